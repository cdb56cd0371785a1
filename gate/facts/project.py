"""An AppProject's sync windows as the gate reads them (argoproj.io/v1alpha1)."""

from typing import Annotated

from pydantic import Field

from gate.facts.upstream import Metadata, Upstream

Texts = Annotated[tuple[str, ...], Field(strict=False)]


class SyncWindow(Upstream):
    """One window: ``kind`` allow or deny, cron ``schedule``, ``duration`` such as 1h."""

    kind: str | None = None
    schedule: str | None = None
    duration: str | None = None
    time_zone: str | None = None
    applications: Texts | None = None
    namespaces: Texts | None = None
    clusters: Texts | None = None
    use_and_operator: bool | None = Field(default=None, alias="andOperator")


class ProjectSpec(Upstream):
    """``spec``."""

    sync_windows: Annotated[tuple[SyncWindow, ...], Field(strict=False)] | None = None


class AppProject(Upstream):
    """argoproj.io/v1alpha1 AppProject."""

    metadata: Metadata
    spec: ProjectSpec
