"""Argo CD 3.2's application controller (and its ApplicationSet controller), and what a person does."""

import asyncio
import random
from collections.abc import Mapping
from pathlib import Path

from gate.lab.applications import ARGOCD_NAMESPACE, project
from gate.lab.argocd import people
from gate.lab.argocd.applications import Applications
from gate.lab.argocd.applicationsets import ApplicationSets
from gate.lab.argocd.autosync import is_automated
from gate.lab.argocd.kubectl import Kubectl
from gate.lab.argocd.live import LiveState
from gate.lab.argocd.operating import Operating
from gate.lab.argocd.queue import WorkQueue
from gate.lab.argocd.refreshing import Level, Refreshing
from gate.lab.argocd.sources import Repositories
from gate.lab.argocd.states import StateManager
from gate.lab.cluster.store import Change, Object, Store
from gate.lab.pace import Pace

_REACTION = 0.06
"""Seconds from a change of an Application to the work on it: watch, rate limit."""
_BATCH = 0.1
"""Seconds in which changes of live objects are gathered."""


class Controller:
    """The controller. ``run`` it in the laboratory's loop; cancelled, it can be run again.

    ``repositories``: bare repositories by the URL that Applications name; looked up at each use, so that
    more can be added. ``resync``, ``jitter``: seconds of the model between comparisons without a reason.
    ``repository_server.away`` set to True takes the repository server away.
    """

    def __init__(
        self,
        store: Store,
        pace: Pace,
        repositories: Mapping[str, str | Path],
        *,
        resync: float = 10.0,
        jitter: float = 0.0,
    ) -> None:
        self._store, self._pace = store, pace
        self._resync, self._jitter = resync, jitter
        self._live = LiveState(store)
        self._applications = Applications(store, self._live)
        self.repository_server = Repositories(repositories)
        states = StateManager(store, pace, self.repository_server, self._live)
        self._refreshing = Refreshing(self._applications, states, pace)
        self._operating = Operating(self._applications, states, Kubectl(store, pace), pace)
        self._refreshes = WorkQueue(self._refresh, pace)
        self._operations = WorkQueue(self._operate, pace)
        self._sets = WorkQueue(self._keep, pace)
        self._application_sets = ApplicationSets(store, ARGOCD_NAMESPACE, self._ask)
        self._automated: dict[str, bool] = {}

    async def run(self) -> None:
        """Work until cancelled."""
        if self._store.find("AppProject", ARGOCD_NAMESPACE, "default") is None:
            self._store.create(project("default"))
        self._refreshing.forget()
        async with asyncio.TaskGroup() as group:
            queues = (self._refreshes, self._operations, self._sets)
            for queue in queues:
                queue.open(group)
            for name in self._application_sets.names():
                self._sets.add(name)
            deaf = self._store.listen(self._hear)
            try:
                await self._resync_for_ever()
            finally:
                deaf()
                for queue in queues:
                    queue.close()

    def stop_comparing(self) -> None:
        """Compare nothing from now on: the words of Applications grow old. Operations go on."""
        self._refreshing.comparing = False

    def go_on_comparing(self) -> None:
        """Compare again."""
        self._refreshing.comparing = True
        for name in self._applications.names():
            self._refreshes.add(name)

    # --- what a person does ------------------------------------------------------------------

    async def sync(self, name: str, *, revision: str | None = None, prune: bool = False) -> None:
        """Sync an Application, as ``argocd app sync``; raises people.RefusedError and RepositoryError."""
        await people.sync(self._applications, self.repository_server, name, revision=revision, prune=prune)

    async def roll_back(self, name: str, history_id: int) -> None:
        """Deploy an entry of the history again; raises people.RefusedError, also with automated sync on."""
        people.roll_back(self._applications, name, history_id)

    async def terminate(self, name: str) -> None:
        """Terminate the operation; raises people.RefusedError where none is in progress."""
        people.terminate(self._applications, name)

    # --- the loops --------------------------------------------------------------------------

    async def _resync_for_ever(self) -> None:
        while True:
            for name in self._applications.names():
                self._request(name, Level.LATEST, random.uniform(0.0, self._jitter))  # noqa: S311
            await self._pace.sleep(self._resync)

    async def _refresh(self, name: str) -> None:
        again = await self._refreshing.refresh(name)
        if again > 0:
            self._request(name, Level.LATEST, again)
        self._operations.add(name)

    async def _operate(self, name: str) -> None:
        after = await self._operating.work(name)
        if after.compare:
            self._request(name, Level.FORCE_RESOLVE if after.forced else Level.LATEST, after.after)

    async def _keep(self, name: str) -> None:
        self._application_sets.reconcile(name)

    def _ask(self, name: str) -> None:
        self._sets.later(_BATCH, lambda: self._sets.add(name))

    def _request(self, name: str, level: Level, after: float = 0.0) -> None:
        def due() -> None:
            self._refreshing.request(name, level)
            self._refreshes.add(name)

        if after > 0:
            self._refreshes.later(after, due)
        else:
            due()

    # --- what it hears ----------------------------------------------------------------------

    def _hear(self, change: Change) -> None:
        if change.kind == "Application" and change.key[1] == ARGOCD_NAMESPACE:
            self._hear_application(change.key[2], change.body)
        self._application_sets.hear(change)
        owner = self._live.owner(change.body)
        if owner is not None and (change.kind, owner[0]) != ("Application", change.key[2]):
            name, itself = owner
            self._request(name, Level.RECENT if itself else Level.NOTHING, _BATCH)

    def _hear_application(self, name: str, app: Object) -> None:
        automated = is_automated(app)
        if automated and self._automated.get(name) is False:
            self._refreshing.request(name, Level.LATEST)
        self._automated[name] = automated
        self._refreshes.later(_REACTION, lambda: self._refreshes.add(name))
