"""The configuration file ``promotion-gate.yaml`` as frozen models. No reading of files here.

Keys in the file are kebab-case; Python names are snake_case. The published JSON Schema and
``docs/configuration.md`` are held to these models by tests.
"""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from gate.config.approval import Approval
from gate.config.bump import Bump
from gate.config.duration import Between, Duration
from gate.config.request import Expectation, Request, Route
from gate.config.shapes import BRANCH, Configured, Kind, Line, Listing, Misplaced, Name, Namespace, refuse_twins
from gate.config.targets import ApplicationTarget, ExpectedWorkload, Pin, Selector

__all__ = [
    "Allow",
    "ApplicationTarget",
    "Approval",
    "ArgoCD",
    "Bump",
    "Cluster",
    "Configuration",
    "Configured",
    "Environment",
    "Expectation",
    "ExpectedWorkload",
    "Opening",
    "Pin",
    "Policy",
    "Request",
    "Route",
    "Selector",
]

VERSION = 1
# What the readiness layer rests on cannot be left unjudged.
_ALWAYS_JUDGED = frozenset({"Application", "Deployment", "EndpointSlice", "Pod", "ReplicaSet", "Service"})


class Allow(StrEnum):
    """Explicit opt-ins that loosen the gate; every one in force is printed in the verdict."""

    ANSWERS_WITHOUT_IDENTITY = "answers-without-identity"
    REFRESH = "refresh"
    PUBLISHES_NOT_READY = "publishes-not-ready"
    INSECURE_SKIP_TLS_VERIFY = "insecure-skip-tls-verify"
    SAME_HOST_REDIRECTS = "same-host-redirects"


class Opening(StrEnum):
    """Opt-ins that hold for the whole file."""

    PULL_REQUEST_TARGET = "pull-request-target"


def _judged_anyway(kind: str) -> str:
    if kind in _ALWAYS_JUDGED:
        raise ValueError("the gate rests on this kind; it cannot be left unjudged")
    return kind


class Cluster(Configured):
    """Where the workloads run."""

    context: Line | None = Field(
        default=None,
        description="Context of the kubeconfig. Default: its current one, or the cluster the gate runs in.",
    )


class ArgoCD(Configured):
    """Where the Application objects are."""

    context: Line | None = Field(
        default=None,
        description="Context of the kubeconfig when Argo CD lives in another cluster. Default: cluster.context.",
    )
    namespace: Namespace = Field(default="argocd", description="Namespace that Argo CD watches.")


class Policy(Configured):
    """Thresholds, and opt-ins that loosen the gate."""

    settle: Annotated[Duration, Between(timedelta(seconds=1), timedelta(hours=1))] = Field(
        default=timedelta(seconds=5), description="How far apart two agreeing bundles of evidence are; at least 1s."
    )
    degraded_grace: Duration = Field(
        default=timedelta(seconds=60),
        description="How long what may still mend itself (health Degraded, a container that cannot start, answers with "
        "5xx) may be seen without a break before that fails the gate.",
    )
    allow: Listing[Annotated[Allow, Field(strict=False)]] = Field(
        default=(), description="Explicit opt-ins; each one in force is printed in the verdict."
    )
    unjudged_kinds: Listing[Annotated[Kind, AfterValidator(_judged_anyway)]] = Field(
        default=(),
        description="Kinds that have no readiness rule and are left unjudged on purpose; printed in the verdict.",
    )

    @model_validator(mode="after")
    def _each_once(self) -> "Policy":
        refuse_twins(self.allow, "allow")
        refuse_twins(self.unjudged_kinds, "unjudged-kinds")
        return self

    def allows(self, opt_in: Allow) -> bool:
        """Whether this opt-in was given."""
        return opt_in in self.allow


class Environment(Configured):
    """One environment: what is deployed there and what proves it."""

    promotes_to: Name | None = Field(default=None, description="The environment that a pass here opens.")
    branch: Annotated[str, BRANCH] | None = Field(
        default=None,
        description="Branch that this environment stands on. Default: the default branch, with the other environments.",
    )
    cluster: Cluster = Field(default_factory=Cluster, description="The cluster in which the workloads run.")
    argocd: ArgoCD = Field(default_factory=ArgoCD, description="The cluster and namespace of the Application objects.")
    applications: Listing[ApplicationTarget] = Field(
        min_length=1, max_length=100, description="What is deployed: Applications by name or by label."
    )
    workloads: Listing[ExpectedWorkload] = Field(
        default=(), max_length=1000, description="Workloads that must exist, whatever the Applications list."
    )
    requests: Listing[Request] = Field(
        default=(), max_length=100, description="Requests that the new release must answer. Without one nothing passes."
    )
    timeout: Annotated[Duration, Between(timedelta(seconds=2))] = Field(
        default=timedelta(minutes=15), description="How long the gate waits; at most 24h and more than policy.settle."
    )
    bump: Bump = Field(default_factory=Bump, description="How gate bump may write the pins.")
    approval: Approval = Field(
        default_factory=Approval, description="What the evidence has to be like that gate approve rests on."
    )
    policy: Policy = Field(default_factory=Policy, description="Thresholds and opt-ins.")

    def apart(self, other: "Environment") -> bool:
        """Whether it stands on another branch than this one, so that a promotion goes from branch to branch."""
        return self.branch is not None and self.branch != other.branch

    @model_validator(mode="after")
    def _sound(self) -> "Environment":
        for key in ("workloads", "requests"):
            if key in self.model_fields_set and len(getattr(self, key)) == 0:
                raise Misplaced("must not be empty: leave the key out, or list something", key)
        refuse_twins((one.identified(self.argocd.namespace) for one in self.applications), "applications")
        refuse_twins((one.identified for one in self.workloads), "workloads")
        refuse_twins((one.name for one in self.requests), "requests")
        if self.timeout <= self.policy.settle:
            raise Misplaced("must be longer than policy.settle, or nothing can pass", "timeout")
        return self


class Configuration(Configured):
    """The whole file."""

    version: Literal[1] = Field(description="Version of this format.")
    environments: dict[Name, Environment] = Field(
        min_length=1, max_length=200, description="Environments by name; the commit status is gate/NAME."
    )
    allow: Listing[Annotated[Opening, Field(strict=False)]] = Field(
        default=(), description="Opt-ins for the whole file."
    )

    @model_validator(mode="after")
    def _allowed_once(self) -> "Configuration":
        refuse_twins(self.allow, "allow")
        return self

    @model_validator(mode="after")
    def _told_apart(self) -> "Configuration":
        folded: dict[str, str] = {}
        for name in self.environments:
            twin = folded.setdefault(name.lower(), name)
            if twin != name:
                raise Misplaced(f"differs from {twin} in upper and lower case only", "environments", name)
        return self

    @model_validator(mode="after")
    def _no_circle(self) -> "Configuration":
        for name in self.environments:
            chain = [name]
            while (following := self._after(chain[-1])) is not None and following not in chain:
                chain.append(following)
            if following == name:
                circle = " -> ".join([*chain, name])
                raise Misplaced(f"goes in a circle: {circle}", "environments", name, "promotes-to")
        return self

    def _after(self, name: str) -> str | None:
        environment = self.environments.get(name)
        return None if environment is None else environment.promotes_to
