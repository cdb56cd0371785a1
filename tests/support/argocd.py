"""A room with a cluster, its controllers and Argo CD's model: Applications go through their states in it."""

from __future__ import annotations

import asyncio
import copy
import difflib
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from gate.lab.applications import application, pinned
from gate.lab.argocd import Controller
from gate.lab.cluster.apply import apply, merge_patch
from gate.lab.cluster.controllers import run_controllers
from gate.lab.cluster.store import Change, Object, Store
from gate.lab.manifests import web_release
from gate.lab.pace import Pace
from gate.lab.repository import EnvironmentRepository, manifest_file

URL = "git://git.example.test/environment.git"
APP, WEB = "orders-staging", "orders"
SPEED = 25.0
_LONG = 30.0
_RECORDED = Path(__file__).parents[1] / "states" / "recorded"
_SHA, _TIME = re.compile(r"\b[0-9a-f]{40}\b"), re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


class Room:
    """A store with its controllers and Argo CD, and an environment repository. ``seen``: every write."""

    def __init__(self, folder: Path, resync: float = 10.0) -> None:
        self.repository = EnvironmentRepository(folder / "bare.git", folder / "clone", URL)
        self.store, self.pace = Store(), Pace(SPEED)
        self.argocd = Controller(self.store, self.pace, {URL: self.repository.bare}, resync=resync)
        self.seen: list[Change] = []
        self.store.listen(self.seen.append)
        self._tasks: list[asyncio.Task[None]] = []
        self._looked = 0
        for name in ("argocd", APP):
            apply(self.store, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})

    async def __aenter__(self) -> Self:
        work = (run_controllers(self.store, self.pace), self.argocd.run())
        self._tasks = [asyncio.create_task(one) for one in work]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        for ended in await asyncio.gather(*self._tasks, return_exceptions=True):
            if not isinstance(ended, asyncio.CancelledError):
                raise AssertionError("a part of the room ended") from ended

    async def restart(self) -> None:
        """End Argo CD's controller, and start it again."""
        ended = self._tasks.pop()
        ended.cancel()
        await asyncio.gather(ended, return_exceptions=True)
        self._tasks.append(asyncio.create_task(self.argocd.run()))

    # --- what is there ----------------------------------------------------------------------

    @property
    def app(self) -> Object:
        """The Application as it is."""
        return self.store.get("Application", "argocd", APP)

    @property
    def status(self) -> Object:
        """Its status; empty before the first one."""
        found: Object = self.app.get("status", {})
        return found

    def statuses(self, since: int = 0) -> list[Object]:
        """Every Application as it was written, from that resourceVersion on."""
        return [one.body for one in self.seen if one.version > since and one.key == ("Application", "argocd", APP)]

    def done(self, sha: str, health: str = "Healthy") -> bool:
        """Whether it is Synced at this commit, with this health, and no operation is at work."""
        sync = self.status.get("sync", {})
        at = set(sync.get("revisions") or [sync.get("revision")])
        words = sync.get("status"), self.status.get("health", {}).get("status")
        return words == ("Synced", health) and at == {sha} and "operation" not in self.app

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for this to be so; it is asked after every write."""
        changed = asyncio.Event()
        deaf = self.store.listen(lambda _: changed.set())
        try:
            async with asyncio.timeout(_LONG):
                while not condition():
                    changed.clear()
                    await changed.wait()
        finally:
            deaf()

    async def comes_to(self, recording: str, poll: int = -1) -> None:
        """Wait until the Application says what the recorded one says, names and times apart.

        It is looked at in every write from now on: some of these states are there for a moment only.
        """
        wanted = neutral(recorded(recording, poll))
        self._looked = self.store.version
        with suppress(TimeoutError):
            await self.until(lambda: any(neutral(app) == wanted for app in self._unseen()))
            return
        one, other = _lines(wanted), _lines(neutral(self.app))
        raise AssertionError("\n".join(difflib.unified_diff(one, other, "recorded", "model")))

    def _unseen(self) -> list[Object]:
        """The Applications written since it was asked before."""
        since, self._looked = self._looked, self.store.version
        return self.statuses(since)

    # --- hands ------------------------------------------------------------------------------

    def commit(self, objects: list[Object], file: str = "workloads/web.yaml") -> str:
        """Write the objects into a file, and commit it."""
        return self.repository.commit({file: manifest_file(objects)}, "A change")

    def release(self, version: str, **options: Any) -> str:
        """Commit a release."""
        return self.commit(web_release(WEB, version, **options))

    def create(self, sha: str, path: str = "workloads", **options: Any) -> str:
        """Create the Application."""
        body = application(APP, URL, path, sha, destination=APP, **options)
        apply(self.store, body, manager="hands")
        return sha

    async def begin(self, sha: str, **options: Any) -> str:
        """Create the Application, and wait until it is there."""
        self.create(sha, **options)
        await self.until(lambda: self.done(sha))
        return sha

    def pin(self, revision: str) -> str:
        """Pin every source to this revision."""
        self.patch({"spec": pinned(self.app["spec"], revision)})
        return revision

    async def moved(self, sha: str) -> str:
        """Pin to this commit, and wait until it is there."""
        self.pin(sha)
        await self.until(lambda: self.done(sha))
        return sha

    def patch(self, change: Object) -> None:
        """Change the Application."""
        merge_patch(self.store, "Application", "argocd", APP, change)

    def edit(self, value: str) -> None:
        """What a hand does to the live Deployment: another RELEASE."""
        deployment = self.store.get("Deployment", APP, WEB)
        deployment["spec"]["template"]["spec"]["containers"][0]["env"] = [{"name": "RELEASE", "value": value}]
        self.store.update(deployment)


def play(folder: Path, tale: Callable[[Room], Awaitable[None]], resync: float = 10.0) -> None:
    """Let a tale happen in a room of its own."""

    async def played() -> None:
        async with Room(folder, resync) as room:
            await tale(room)

    asyncio.run(played())


def recorded(name: str, poll: int = -1) -> Object:
    """The Application of a recording from the real cluster, in one of its polls."""
    found: Object = json.loads((_RECORDED / f"{name}.json").read_text())["polls"][poll]["applications"][0]
    return found


def neutral(app: Object) -> Object:
    """What an Application says, without what is its own: names, commits, times, counts of writes.

    Commits are numbered in the order in which they come, so that equal ones stay equal. Of the history
    only the last entry is looked at, without its number: it depends on the tale.
    """
    body = copy.deepcopy(app)
    name, url = body["metadata"]["name"], _url(body["spec"])
    body["metadata"] = {field: body["metadata"][field] for field in ("annotations", "finalizers", "namespace")
                        if field in body["metadata"]}  # fmt: skip
    body.get("status", {})["history"] = [{**one, "id": 0} for one in body.get("status", {}).get("history", ())][-1:]
    text = json.dumps(body, sort_keys=True).replace(url, "URL").replace(f'"{name}"', '"NAME"')
    text = re.sub(r"(?<=/shm/)\d+", "N", text)
    text = re.sub(r"at \d+:\d\d[AP]M", "at TIME", _TIME.sub("TIME", text))
    order: dict[str, str] = {}
    text = _SHA.sub(lambda found: order.setdefault(found[0], f"commit {len(order)}"), text)
    neutralised: Object = json.loads(text)
    return neutralised


def _lines(body: Object) -> list[str]:
    return json.dumps(body, indent=1, sort_keys=True).splitlines()


def _url(spec: Mapping[str, Any]) -> str:
    return str((spec.get("sources") or [spec["source"]])[0]["repoURL"])
