"""The loop that compares Applications and writes status.sync, status.health and what goes with them."""

import copy
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

from gate.lab.argocd.annotations import HYDRATE, REFRESH, annotations
from gate.lab.argocd.applications import Applications
from gate.lab.argocd.autosync import Decision, go_on
from gate.lab.argocd.comparison import Comparison
from gate.lab.argocd.conditions import COMPARED, SPEC, SYNC, set_conditions
from gate.lab.argocd.patches import difference
from gate.lab.argocd.projects import spec_errors
from gate.lab.argocd.states import StateManager, SwallowedError, sources_of
from gate.lab.argocd.windows import can_sync
from gate.lab.cluster.store import Object
from gate.lab.pace import Pace, now, whole_seconds


class Level(IntEnum):
    """How far a comparison goes."""

    NOTHING = 0
    """Only the summary: an object changed that the Application does not manage itself."""
    RECENT = 1
    """With the revision that was compared last."""
    LATEST = 2
    FORCE_RESOLVE = 3
    """As LATEST; and an error of the repository is told at once."""


@dataclass
class Refreshing:
    """Compares; ``comparing``: False makes it stand still."""

    applications: Applications
    states: StateManager
    pace: Pace
    comparing: bool = True

    def __post_init__(self) -> None:
        """Nothing is asked for yet, and nothing was compared."""
        self._requested: dict[str, Level] = {}
        self._compared: set[str] = set()

    def request(self, name: str, level: Level) -> None:
        """Ask for a comparison that goes at least so far."""
        self._requested[name] = max(level, self._requested.get(name, level))

    def forget(self) -> None:
        """What a controller that starts again does not know."""
        self._requested.clear()
        self._compared.clear()

    async def refresh(self, name: str) -> float:
        """Compare this Application, if there is a reason; in how many seconds of the model to look again (0: not)."""
        app = self.applications.find(name)
        level = None if app is None or not self.comparing else self._needed(app)
        if app is None or level is None:
            return 0.0
        new = copy.deepcopy(app)
        status = new.setdefault("status", {})
        if level is Level.NOTHING and "reconciledAt" in status:
            self._summarise(name, status)
            self._persist(app, new)
            return 0.0
        started = now()
        errors = spec_errors(app, self.applications.project(app))
        set_conditions(status, errors, SPEC, whole_seconds(started))
        if errors:
            status["sync"] = {**status.get("sync", {}), "status": "Unknown"}
            self._persist(app, new, health="Unknown")
            return 0.0
        try:
            comparison = await self._compare(app, level)
        except SwallowedError:
            return 0.0
        if not self.comparing:  # stopped in the middle of it: nothing comes of that
            return 0.0
        if level >= Level.LATEST:
            self._compared.add(name)
        decision = self._apply(app, new, comparison)
        if "reconciledAt" not in status or level >= Level.LATEST:
            status["reconciledAt"] = whole_seconds(started)
        self._persist(app, new, health=comparison.health)
        return decision.again

    def _needed(self, app: Object) -> Level | None:
        name = app["metadata"]["name"]
        if REFRESH in annotations(app):
            return Level.FORCE_RESOLVE
        spec, compared = app["spec"], app.get("status", {}).get("sync", {}).get("comparedTo") or {}
        sources, several = sources_of(spec)
        if sources != (compared.get("sources") if several else [compared.get("source")]):
            return Level.FORCE_RESOLVE
        same = spec["destination"] == compared.get("destination")
        ignored = (spec.get("ignoreDifferences") or []) == (compared.get("ignoreDifferences") or [])
        if name not in self._compared or not same or not ignored:
            return Level.LATEST
        return self._requested.pop(name, None)

    async def _compare(self, app: Object, level: Level) -> Comparison:
        sources, several = sources_of(app["spec"])
        revisions = [str(source.get("targetRevision") or "HEAD") for source in sources]
        sync = app.get("status", {}).get("sync", {})
        known = sync.get("revisions") if several else [sync.get("revision")]
        if level <= Level.RECENT and known and all(known) and len(known) == len(sources):
            revisions = known
        tell = level is Level.FORCE_RESOLVE
        late = "operation" not in app
        return await self.states.compare(app, sources, revisions, several=several, tell=tell, late=late)

    def _apply(self, app: Object, new: Object, comparison: Comparison) -> Decision:
        """Put a comparison into the new status, and start an operation where automated sync does."""
        status, moment = new["status"], now()
        set_conditions(status, comparison.conditions, COMPARED, whole_seconds(moment))
        self._summarise(app["metadata"]["name"], status)
        decision = Decision()
        project = self.applications.project(app) or {}
        if can_sync(project, app, moment, manual=False):
            decision = go_on(app, comparison, moment, self.pace.model(1.0))
            if decision.operation is not None:
                self.applications.start(app["metadata"]["name"], decision.operation)
            errors = [("SyncError", decision.error)] if decision.error else []
            set_conditions(status, errors, SYNC, whole_seconds(moment))
        status["sync"] = comparison.sync
        status.update(controllerNamespace=app["metadata"]["namespace"], resourceHealthSource="appTree")
        several = "revisions" in comparison.sync
        types = list(comparison.source_types)
        _set(status, "resources", comparison.resources)
        _set(status, "sourceTypes", types if several else [])
        _set(status, "sourceType", types[0] if types and not several else "")
        return decision

    def _summarise(self, name: str, status: Object) -> None:
        images = self.applications.live.images(name)
        if images:
            status["summary"] = {**status.get("summary", {}), "images": images}
        elif "summary" in status:
            status["summary"].pop("images", None)

    def _persist(self, app: Object, new: Object, health: str = "") -> None:
        """Write what has changed; the annotations that asked for a refresh go."""
        status = new["status"]
        if health and status.get("health", {}).get("status") != health:
            status["health"] = {"status": health, "lastTransitionTime": whole_seconds(now())}
        asked: dict[Literal["annotations"], Object] = {}
        found = annotations(app).keys() & {REFRESH, HYDRATE}
        if found:
            asked = {"annotations": dict.fromkeys(found)}
        patch = {"metadata": asked, "status": difference(app.get("status", {}), status)}
        self.applications.patch(app["metadata"]["name"], {part: change for part, change in patch.items() if change})


def _set(status: Object, field: str, value: object) -> None:
    if value:
        status[field] = value
    else:
        status.pop(field, None)
