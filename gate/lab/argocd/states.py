"""Comparing an Application: sources from Git, live objects from the cluster (Argo CD's appStateManager)."""

import copy
from collections.abc import Sequence

from gate.lab.argocd.annotations import resource_key
from gate.lab.argocd.comparison import Comparison, Wanted, compare
from gate.lab.argocd.differences import as_ignored
from gate.lab.argocd.encoding import leave_out_zeroes
from gate.lab.argocd.live import LiveState
from gate.lab.argocd.sources import Repositories, RepositoryError
from gate.lab.cluster.apply import apply
from gate.lab.cluster.store import Object, Store, StoreError
from gate.lab.pace import Pace, now

_MANIFESTS = 0.12
"""Seconds that the repository server takes."""
_GRACE = 180.0


class SwallowedError(Exception):
    """The sources could not be read, and that is not said for some time: nothing is to be written."""


def sources_of(spec: Object) -> tuple[list[Object], bool]:
    """The sources of an Application, and whether it is one with several."""
    if spec.get("sources"):
        return list(spec["sources"]), True
    return [spec.get("source") or {"repoURL": ""}], False


class StateManager:
    """Compares Applications."""

    def __init__(self, store: Store, pace: Pace, repositories: Repositories, live: LiveState) -> None:
        self._store, self._pace, self._repositories, self._live = store, pace, repositories, live
        self._errors: dict[str, float] = {}

    async def compare(
        self,
        app: Object,
        sources: Sequence[Object],
        revisions: Sequence[str],
        *,
        several: bool,
        tell: bool,
        late: bool = False,
    ) -> Comparison:
        """Compare with these sources at these revisions.

        ``tell``: an error of the repository is told at once; otherwise raises SwallowedError for 180 s.
        ``late``: the live objects may be seen as they were before an operation that has just ended.
        """
        await self._pace.sleep(_MANIFESTS)
        try:
            wanted = await self._wanted(sources, revisions, several)
        except RepositoryError as error:
            self._swallow(app["metadata"]["name"], tell)
            wanted = Wanted(tuple(sources), tuple(revisions), several, error=str(error))
        else:
            self._errors.pop(app["metadata"]["name"], None)
        return self._against_live(app, wanted, late)

    def _against_live(self, app: Object, wanted: Wanted, late: bool) -> Comparison:
        name = app["metadata"]["name"]
        namespace = app["spec"]["destination"].get("namespace", "")
        placed = [_placed(body, namespace) for body in wanted.targets]
        live = self._live.seen(name, placed)
        missed = self._live.missed(name) if late else {}
        live.update({key: body for key, body in missed.items() if key in live})

        def differs(target: Object, found: Object) -> bool:
            if resource_key(found) in missed:
                return True
            wanted_now = as_ignored(app, target, found)
            if target["kind"] == "Application":
                wanted_now = copy.deepcopy(wanted_now)
                leave_out_zeroes(wanted_now["spec"])
            try:
                return apply(self._store, wanted_now, dry_run=True).result != "unchanged"
            except StoreError:
                return True

        return compare(app, wanted, live, differs)

    async def _wanted(self, sources: Sequence[Object], revisions: Sequence[str], several: bool) -> Wanted:
        commits: list[str] = []
        targets: list[Object] = []
        for number, (source, revision) in enumerate(zip(sources, revisions, strict=True), 1):
            try:
                commit = await self._repositories.resolve(source["repoURL"], revision)
                if source.get("path") or not source.get("ref"):
                    targets += await self._repositories.manifests(source, commit)
            except RepositoryError as error:
                place = f"source {number} of {len(sources)}"
                raise RepositoryError(f"failed to generate manifest for {place}: {error}") from error
            commits.append(commit)
        types = ("Directory",) * len(commits)
        return Wanted(tuple(sources), tuple(commits), several, tuple(targets), source_types=types)

    def _swallow(self, app: str, tell: bool) -> None:
        if tell:
            return
        moment = now().timestamp()
        first = self._errors.setdefault(app, moment)
        if self._pace.model(moment - first) <= _GRACE:
            raise SwallowedError


def _placed(body: Object, namespace: str) -> Object:
    return {**body, "metadata": {**body["metadata"], "namespace": body["metadata"].get("namespace") or namespace}}
