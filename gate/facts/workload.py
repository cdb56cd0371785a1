"""Deployments, ReplicaSets, Pods and Events as the gate reads them."""

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from gate.facts.upstream import Condition, Conditions, Count, Metadata, Time, Upstream, condition, normal

Json = dict[str, Any]

TEMPLATE_HASH = "pod-template-hash"
REVISION = "deployment.kubernetes.io/revision"


class Whole(Upstream):
    """Base of models that also keep what the gate does not read, because they are compared as a whole."""

    model_config = ConfigDict(extra="allow")


class TemplateMetadata(Whole):
    """``template.metadata``."""

    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None


class Container(Whole):
    """One entry of ``template.spec.containers``."""

    name: str | None = None
    image: str | None = None


class TemplateSpec(Whole):
    """``template.spec``."""

    containers: Annotated[tuple[Container, ...], Field(strict=False)] | None = None


class PodTemplate(Whole):
    """A Pod template, whole."""

    metadata: TemplateMetadata | None = None
    spec: TemplateSpec | None = None

    @property
    def labels(self) -> dict[str, str]:
        """The labels of the Pods to be; empty when there are none."""
        return {} if self.metadata is None else self.metadata.labels or {}

    @property
    def annotations(self) -> dict[str, str]:
        """The annotations of the Pods to be; empty when there are none."""
        return {} if self.metadata is None else self.metadata.annotations or {}

    @property
    def images(self) -> dict[str, str]:
        """The image of every container that has a name and an image."""
        containers = () if self.spec is None else self.spec.containers or ()
        return {one.name: one.image for one in containers if one.name is not None and one.image is not None}

    @property
    def bare(self) -> Json:
        """Without the hash label that the Deployment controller adds, nulls dropped.

        Two templates of one release are equal in this form; the Deployment controller compares
        them the same way (EqualIgnoreHash).
        """
        whole: Json = normal(self.model_dump(mode="json", by_alias=True))
        labels = {key: value for key, value in self.labels.items() if key != TEMPLATE_HASH}
        return {**whole, "metadata": {**whole.get("metadata", {}), "labels": labels}}


class Strategy(Upstream):
    """``spec.strategy``."""

    type: str | None = None


class LabelSelector(Upstream):
    """``spec.selector``."""

    match_labels: dict[str, str] | None = None
    match_expressions: Annotated[tuple[Json, ...], Field(strict=False)] | None = None


class DeploymentSpec(Upstream):
    """``spec``. ``replicas`` of None in a live object is not current: the API server sets it."""

    replicas: Count | None = None
    paused: bool | None = None
    selector: LabelSelector | None = None
    strategy: Strategy | None = None
    progress_deadline_seconds: int | None = None
    template: PodTemplate | None = None


class DeploymentStatus(Upstream):
    """``status``: counters are omitted when zero."""

    observed_generation: Count | None = None
    replicas: Count | None = None
    updated_replicas: Count | None = None
    ready_replicas: Count | None = None
    available_replicas: Count | None = None
    unavailable_replicas: Count | None = None
    terminating_replicas: Count | None = None
    conditions: Conditions | None = None


class Deployment(Upstream):
    """apps/v1 Deployment."""

    metadata: Metadata
    spec: DeploymentSpec
    status: DeploymentStatus | None = None


class ReplicaSetSpec(Upstream):
    """``spec``."""

    replicas: Count | None = None
    template: PodTemplate | None = None


class ReplicaSet(Upstream):
    """apps/v1 ReplicaSet."""

    metadata: Metadata
    spec: ReplicaSetSpec


class Waiting(Upstream):
    """``state.waiting``."""

    reason: str | None = None
    message: str | None = None


class Terminated(Upstream):
    """``state.terminated``."""

    reason: str | None = None
    exit_code: int | None = None


class ContainerState(Upstream):
    """``state``: one of three."""

    running: Json | None = None
    waiting: Waiting | None = None
    terminated: Terminated | None = None


class ContainerStatus(Upstream):
    """One entry of ``status.containerStatuses``."""

    name: str | None = None
    ready: bool | None = None
    image: str | None = None
    image_id: str | None = Field(default=None, alias="imageID")
    restart_count: Count | None = None
    state: ContainerState | None = None


class PodIP(Upstream):
    """One entry of ``status.podIPs``."""

    ip: str | None = None


class PodStatus(Upstream):
    """``status``."""

    phase: str | None = None
    conditions: Conditions | None = None
    pod_ips: Annotated[tuple[PodIP, ...], Field(strict=False)] | None = Field(default=None, alias="podIPs")
    container_statuses: Annotated[tuple[ContainerStatus, ...], Field(strict=False)] | None = None
    init_container_statuses: Annotated[tuple[ContainerStatus, ...], Field(strict=False)] | None = None


class PodContainer(Upstream):
    """One entry of ``spec.containers``."""

    name: str | None = None
    image: str | None = None


class PodSpec(Upstream):
    """``spec``: its images can be changed in place, without the ReplicaSet's template."""

    containers: Annotated[tuple[PodContainer, ...], Field(strict=False)] | None = None


class Pod(Upstream):
    """v1 Pod."""

    metadata: Metadata
    spec: PodSpec | None = None
    status: PodStatus | None = None

    @property
    def ready_condition(self) -> Condition | None:
        """The Ready condition; None when the kubelet has not written it."""
        conditions = None if self.status is None else self.status.conditions
        return condition(conditions, "Ready")


class InvolvedObject(Upstream):
    """What an Event is about."""

    kind: str | None = None
    name: str | None = None
    uid: str | None = None


class Event(Upstream):
    """v1 Event."""

    metadata: Metadata
    involved_object: InvolvedObject
    reason: str | None = None
    message: str | None = None
    type: str | None = None
    last_timestamp: Time | None = None
    event_time: Time | None = None
