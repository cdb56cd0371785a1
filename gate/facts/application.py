"""An Argo CD Application as the gate reads it (argoproj.io/v1alpha1, read raw).

Sources and operations stay plain JSON where they are only compared as a whole.
"""

from typing import Annotated, Any

from pydantic import Field

from gate.facts.upstream import Metadata, Time, Upstream

Json = dict[str, Any]
Items = Annotated[tuple[Json, ...], Field(strict=False)]
Texts = Annotated[tuple[str, ...], Field(strict=False)]


class Automated(Upstream):
    """``spec.syncPolicy.automated``; its presence turns automated sync on unless ``enabled`` is false."""

    enabled: bool | None = None
    prune: bool | None = None
    self_heal: bool | None = None


class SyncPolicy(Upstream):
    """``spec.syncPolicy``."""

    automated: Automated | None = None
    sync_options: Texts | None = None


class Spec(Upstream):
    """``spec``: what was asked of Argo CD."""

    project: str | None = None
    destination: Json | None = None
    source: Json | None = None
    sources: Items | None = None
    source_hydrator: Json | None = None
    sync_policy: SyncPolicy | None = None
    ignore_differences: Items | None = None

    @property
    def automated(self) -> Automated | None:
        """The automated policy in force; None when a person has to start each sync."""
        policy = None if self.sync_policy is None else self.sync_policy.automated
        return None if policy is None or policy.enabled is False else policy


class ComparedTo(Upstream):
    """``status.sync.comparedTo``: the spec that the comparison was made for."""

    source: Json | None = None
    sources: Items | None = None
    destination: Json | None = None
    ignore_differences: Items | None = None


class SyncStatus(Upstream):
    """``status.sync``."""

    status: str | None = None
    revision: str | None = None
    revisions: Texts | None = None
    compared_to: ComparedTo | None = None


class Health(Upstream):
    """``status.health``."""

    status: str | None = None
    message: str | None = None


class ApplicationCondition(Upstream):
    """One entry of ``status.conditions`` (no status field: being there is being true)."""

    type: str | None = None
    message: str | None = None
    last_transition_time: Time | None = None


class SyncedResource(Upstream):
    """One entry of ``operationState.syncResult.resources``; a hook has ``hookType`` and no ``status``."""

    group: str | None = None
    kind: str | None = None
    namespace: str | None = None
    name: str | None = None
    status: str | None = None
    message: str | None = None
    hook_type: str | None = None
    hook_phase: str | None = None


class SyncResult(Upstream):
    """``operationState.syncResult``: what the operation applied."""

    revision: str | None = None
    revisions: Texts | None = None
    source: Json | None = None
    sources: Items | None = None
    resources: Annotated[tuple[SyncedResource, ...], Field(strict=False)] | None = None


class SyncOperation(Upstream):
    """``operationState.operation.sync``: what the operation was asked to do."""

    revision: str | None = None
    revisions: Texts | None = None
    resources: Items | None = None
    manifests: Annotated[tuple[Any, ...], Field(strict=False)] | None = None
    dry_run: bool | None = None
    sync_options: Texts | None = None


class Retry(Upstream):
    """``operation.retry``."""

    limit: int | None = None


class Operation(Upstream):
    """``operationState.operation``."""

    sync: SyncOperation | None = None
    retry: Retry | None = None


class OperationState(Upstream):
    """``status.operationState``: the running or the last operation."""

    phase: str | None = None
    message: str | None = None
    started_at: Time | None = None
    finished_at: Time | None = None
    retry_count: int | None = None
    operation: Operation | None = None
    sync_result: SyncResult | None = None


class HistoryEntry(Upstream):
    """One entry of ``status.history``: a full operation that succeeded."""

    revision: str | None = None
    revisions: Texts | None = None
    source: Json | None = None
    sources: Items | None = None
    deployed_at: Time | None = None


class ManagedResource(Upstream):
    """One entry of ``status.resources``."""

    group: str | None = None
    kind: str | None = None
    namespace: str | None = None
    name: str | None = None
    status: str | None = None
    hook: bool | None = None
    requires_pruning: bool | None = None


class Status(Upstream):
    """``status``."""

    sync: SyncStatus | None = None
    health: Health | None = None
    operation_state: OperationState | None = None
    conditions: Annotated[tuple[ApplicationCondition, ...], Field(strict=False)] | None = None
    history: Annotated[tuple[HistoryEntry, ...], Field(strict=False)] | None = None
    resources: Annotated[tuple[ManagedResource, ...], Field(strict=False)] | None = None
    reconciled_at: Time | None = None


class Application(Upstream):
    """The whole Application. ``operation`` is a requested operation that has not begun."""

    metadata: Metadata
    spec: Spec
    operation: Json | None = None
    status: Status | None = None
