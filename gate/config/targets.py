"""What has to be deployed: Applications by name or by label, and the workloads they must bring."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from gate.config.shapes import (
    Configured,
    KubernetesName,
    LabelKey,
    LabelValue,
    Misplaced,
    Namespace,
    RepositoryFile,
)


def check_source(value: object) -> int | str:
    """An index from 0, or the name of a source; raises ValueError otherwise."""
    if isinstance(value, str) and 0 < len(value) <= 253 and value.isprintable():
        return value
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 999:
        return value
    raise ValueError("expected the index of a source, counted from 0, or its name")


Source = Annotated[int | str, BeforeValidator(check_source)]


def _same_key(value: object) -> object:
    """``matchLabels``, as Kubernetes spells it, is ``match-labels``; both together are left to be refused."""
    if isinstance(value, dict) and "matchLabels" in value and "match-labels" not in value:
        return {("match-labels" if key == "matchLabels" else key): item for key, item in value.items()}
    return value


class Selector(Configured):
    """Which Applications are meant, by their labels."""

    match_labels: dict[LabelKey, LabelValue] = Field(
        min_length=1, description="Labels that an Application must all have. May be spelled matchLabels."
    )


class Pin(Configured):
    """Where ``targetRevision`` stands in the environment repository."""

    file: RepositoryFile = Field(
        description="Manifest (YAML or JSON) that holds the Application, or the ApplicationSet that generates it, "
        "relative to the root of the repository."
    )
    source: Source | None = Field(
        default=None, description="The same as the application's source; may be written in either place."
    )


class ApplicationTarget(Configured):
    """One Argo CD Application, or every Application that a selector finds.

    ``name`` is None exactly when ``selector`` is given; ``minimum`` then says how many must be found.
    """

    name: KubernetesName | None = Field(
        default=None, description="Name of the Application. Exactly one of name and selector."
    )
    selector: Annotated[Selector, BeforeValidator(_same_key)] | None = Field(
        default=None, description="Finds the Applications by their labels. Exactly one of name and selector."
    )
    minimum: Annotated[int, Field(ge=1, le=1000)] | None = Field(
        default=None,
        description="How many Applications the selector must find at least; one that was never made is not found.",
    )
    namespace: Namespace | None = Field(
        default=None, description="Namespace of the Application object. Default: argocd.namespace."
    )
    source: Source | None = Field(
        default=None,
        description="With several sources: the one that is promoted, by index from 0 or by name. "
        "Without it every Git source must be at the intended commit.",
    )
    pin: Pin | None = Field(
        default=None,
        description="Where targetRevision stands in Git. With a name it also tells which commit is intended.",
    )

    @model_validator(mode="before")
    @classmethod
    def _source_of_the_pin(cls, value: object) -> object:
        """A source that is written with the pin alone is the application's source."""
        if not isinstance(value, dict) or value.get("source") is not None:
            return value
        pin = value.get("pin")
        source = pin.source if isinstance(pin, Pin) else pin.get("source") if isinstance(pin, dict) else None
        return value if source is None else {**value, "source": source}

    @model_validator(mode="after")
    def _name_or_selector(self) -> "ApplicationTarget":
        if (self.name is None) == (self.selector is None):
            raise ValueError("give exactly one of name and selector")
        if self.selector is not None and self.minimum is None:
            raise ValueError("a selector needs minimum: how many Applications it must find at least")
        if self.selector is None and self.minimum is not None:
            raise ValueError("minimum goes with selector; one Application has a name")
        if self.selector is not None and self.pin is not None:
            raise Misplaced("goes with name: a file pins Applications one by one", "pin")
        if self.pin is not None and self.pin.source is not None and self.pin.source != self.source:
            raise Misplaced("differs from source; write it once", "pin", "source")
        return self

    def identified(self, namespace: str) -> str:
        """What tells it from the others; ``namespace`` is where Applications are unless it says otherwise."""
        place = namespace if self.namespace is None else self.namespace
        if self.selector is None:
            return f"{place}/{self.name}"
        labels = ",".join(f"{key}={value}" for key, value in sorted(self.selector.match_labels.items()))
        return f"{place}, {labels}"


class ExpectedWorkload(Configured):
    """A workload that must exist, and how many replicas it must be asked to have."""

    kind: Literal["Deployment"] = Field(description="Kind of the workload.")
    name: KubernetesName = Field(description="Name of the workload.")
    namespace: Namespace | None = Field(
        default=None, description="Its namespace. Default: a workload of this name in any namespace will do."
    )
    replicas: Annotated[int, Field(ge=1, le=100_000)] | None = Field(
        default=None, description="How many replicas its spec must ask for. Default: any number above 0."
    )

    @property
    def identified(self) -> str:
        """What tells it from the others; without a namespace it is in one that Argo CD knows."""
        return f"{self.kind} {'' if self.namespace is None else f'{self.namespace}/'}{self.name}"
