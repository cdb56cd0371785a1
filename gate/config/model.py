"""The configuration file ``promotion-gate.yaml`` as frozen models. No reading of files here.

Keys in the file are kebab-case; Python names are snake_case.
"""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from gate.config.duration import Duration


def _kebab(name: str) -> str:
    return name.replace("_", "-")


class Configured(BaseModel):
    """Base of the configuration models: frozen, no unknown keys, kebab-case names, strict types."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, alias_generator=_kebab, populate_by_name=True
    )


Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$")]
KubernetesName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$")]
Text = Annotated[str, StringConstraints(min_length=1)]


class Allow(StrEnum):
    """Explicit opt-ins that loosen the gate; every one in force is printed in the verdict."""

    ANSWERS_WITHOUT_IDENTITY = "answers-without-identity"
    REFRESH = "refresh"
    PUBLISHES_NOT_READY = "publishes-not-ready"
    SELF_SIGNED_API_SERVER = "insecure-skip-tls-verify"
    PRIVATE_REDIRECTS = "same-host-redirects"


class Cluster(Configured):
    """Where the workloads run: a kubeconfig context (None: the current one, or in-cluster)."""

    context: Text | None = None


class ArgoCD(Configured):
    """Where the Application objects are: a context and the namespace Argo CD watches."""

    context: Text | None = None
    namespace: KubernetesName = "argocd"


class Pin(Configured):
    """Where ``targetRevision`` stands in the environment repository."""

    file: Text
    source: int | str | None = None


class ApplicationTarget(Configured):
    """One Argo CD Application. ``source`` chooses one of several sources by index or name."""

    name: KubernetesName
    namespace: KubernetesName | None = None
    source: Annotated[int, Field(ge=0)] | Text | None = None
    pin: Pin | None = None


class ExpectedWorkload(Configured):
    """A workload that must exist, and how many replicas it must be asked to have."""

    kind: Literal["Deployment"]
    name: KubernetesName
    namespace: KubernetesName | None = None
    replicas: Annotated[int, Field(ge=1)] | None = None


class Expectation(Configured):
    """What every answer must be. Texts may hold templates such as ``{label:KEY}``.

    ``json_values`` (key ``json``) maps a JSONPath to the text it must select, ``regex`` must be
    found in the body, ``body`` must equal it to the byte.
    """

    status: Annotated[int, Field(ge=100, le=599)] = 200
    json_values: dict[Text, Text] = Field(default_factory=dict, alias="json")
    regex: Text | None = None
    body: Text | None = None


class Request(Configured):
    """One request that has to be answered by the new release, by a named route.

    ``service`` is ``namespace/service:port`` (through the API server, or with
    ``route: cluster`` straight to the Service); ``url`` goes out as a user would.
    ``headers`` maps a header to the NAME of the environment variable that holds its value.
    """

    name: Name
    service: Annotated[str, StringConstraints(pattern=r"^[a-z0-9.-]+/[a-z0-9.-]+:[a-z0-9-]+$")] | None = None
    url: Annotated[str, StringConstraints(pattern=r"^https?://[^\s]+$")] | None = None
    route: Literal["service-proxy", "cluster", "external"] | None = None
    workload: Text | None = None
    method: Literal["GET", "HEAD", "POST"] = "GET"
    path: Annotated[str, StringConstraints(pattern=r"^/[^\s]*$")] = "/"
    headers: dict[Text, Text] = Field(default_factory=dict)
    expect: Expectation = Field(default_factory=Expectation)
    samples: Annotated[int, Field(ge=1, le=50)] = 3
    timeout: Duration = timedelta(seconds=5)
    ca_file: Text | None = None

    @model_validator(mode="after")
    def _one_target(self) -> "Request":
        if (self.service is None) == (self.url is None):
            raise ValueError("give exactly one of service (namespace/service:port) and url")
        if self.url is not None and self.route not in (None, "external", "cluster"):
            raise ValueError("a url goes by route external or cluster, never by service-proxy")
        if self.service is not None and self.route == "external":
            raise ValueError("a service goes by route service-proxy or cluster; route external needs a url")
        if self.url is not None and self.workload is None:
            raise ValueError("a url needs workload: namespace/name of the Deployment it must reach")
        return self

    @property
    def by_route(self) -> Literal["service-proxy", "cluster", "external"]:
        """The route in force: what is written, else service-proxy for a Service, external for a URL."""
        if self.route is not None:
            return self.route
        return "service-proxy" if self.service is not None else "external"


class Policy(Configured):
    """Thresholds. ``settle``: how far apart two agreeing bundles are. ``allow``: opt-ins."""

    settle: Duration = timedelta(seconds=5)
    degraded_grace: Duration = timedelta(seconds=60)
    allow: tuple[Allow, ...] = Field(default=(), strict=False)
    unjudged_kinds: tuple[Text, ...] = Field(default=(), strict=False)

    def allows(self, opt_in: Allow) -> bool:
        """Whether this opt-in was given."""
        return opt_in in self.allow


class Environment(Configured):
    """One environment: what is deployed there and what proves it."""

    promotes_to: Name | None = None
    cluster: Cluster = Field(default_factory=Cluster)
    argocd: ArgoCD = Field(default_factory=ArgoCD)
    applications: tuple[ApplicationTarget, ...] = Field(strict=False, min_length=1)
    workloads: tuple[ExpectedWorkload, ...] = Field(default=(), strict=False)
    requests: tuple[Request, ...] = Field(default=(), strict=False)
    timeout: Duration = timedelta(minutes=15)
    policy: Policy = Field(default_factory=Policy)


class Configuration(Configured):
    """The whole file."""

    version: Literal[1]
    environments: dict[Name, Environment] = Field(min_length=1)
