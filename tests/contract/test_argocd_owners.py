"""Applications that something else keeps as they are: an Application of Applications, an ApplicationSet."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from gate.lab.applications import application
from gate.lab.cluster.apply import apply
from gate.lab.cluster.store import Object
from tests.support.argocd import APP, URL, Room, play


def parent(path: str, sha: str) -> Object:
    """An Application of Applications."""
    return application("parent", URL, path, sha, destination="argocd")


async def by_parent(room: Room, sha: str) -> None:
    body = application(APP, URL, "workloads", sha, destination=APP, self_heal=False)
    apply(room.store, parent("apps", room.commit([body], "apps/orders.yaml")), manager="hands")


async def by_application_set(room: Room, sha: str) -> None:
    template = application("{{name}}", URL, "workloads", "{{revision}}", destination=APP, retry_limit=0)
    template["metadata"].pop("namespace")
    elements = [{"name": APP, "revision": sha}]
    spec = {"generators": [{"list": {"elements": elements}}], "template": template}
    metadata = {"name": "environments", "namespace": "argocd"}
    body = {"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "metadata": metadata, "spec": spec}
    apply(room.store, body, manager="hands")


@pytest.mark.parametrize("owned", [by_parent, by_application_set])
def test_a_pin_that_something_else_owns_is_written_back(
    owned: Callable[[Room, str], Awaitable[None]], tmp_path: Path
) -> None:
    async def tale(room: Room) -> None:
        sha = room.release("1.0.0")
        await owned(room, sha)
        await room.until(lambda: room.store.find("Application", "argocd", APP) is not None and room.done(sha))
        other = room.release("1.1.0")
        room.pin(other)
        await room.until(lambda: room.app["spec"]["source"]["targetRevision"] == sha)
        await room.until(lambda: room.done(sha))
        since = room.store.version
        await room.pace.sleep(30)  # three resyncs
        pins = {one["spec"]["source"]["targetRevision"] for one in room.statuses(since)}
        assert pins <= {sha}, "nobody fights about it"
        await room.until(lambda: room.done(sha))  # an operation may have begun before it was written back

    play(tmp_path, tale)
