"""What is done to an Application in a room, up to a state that was recorded from the real Argo CD."""

from gate.lab.applications import source, sync_window_project
from gate.lab.cluster.apply import apply, merge_patch
from gate.lab.cluster.store import Object
from gate.lab.manifests import hook_job, stateful_release, web_release
from tests.support.argocd import APP, URL, WEB, Room

NOBODY = "0123456789abcdef0123456789abcdef01234567"
"""A commit id that no repository has."""


def refused(room: Room) -> str:
    """A commit with a Service port that the API server refuses."""
    service, deployment = web_release(WEB, "1.0.0")
    service["spec"]["ports"][0]["port"] = 70000
    return room.commit([service, deployment])


def hooked(room: Room, version: str, seconds: int, exit_code: int = 0, ready: str = "/healthz") -> str:
    """A commit with a hook after the sync. ``ready``: the path of the readiness probe."""
    hook = hook_job("after", hook="PostSync", seconds=seconds, exit_code=exit_code)
    return room.commit([*web_release(WEB, version, readiness_path=ready), hook])


async def first_release(room: Room) -> None:
    room.create(room.release("1.0.0"))


async def recreate_normal(room: Room) -> None:
    await room.begin(room.release("1.0.0"))
    room.pin(room.release("1.1.0"))


async def recreate_broken(room: Room) -> None:
    await room.begin(room.release("1.0.0"))
    room.pin(room.release("1.0.0", readiness_path="/not-there"))


async def no_op_commit(room: Room) -> None:
    await room.begin(room.release("1.0.0"))
    await recreate_broken_and_back(room)
    room.pin(room.repository.commit({"README.md": "Orders\n"}, "Describe the release"))


async def recreate_broken_and_back(room: Room) -> None:
    broken = room.release("1.0.0", readiness_path="/not-there")
    room.pin(broken)
    await room.until(lambda: room.done(broken, "Degraded"))
    await room.moved(room.repository.revert(broken))


async def rolling_normal(room: Room) -> None:
    await room.begin(room.release("1.0.0", strategy="RollingUpdate"))
    room.pin(room.release("1.1.0", strategy="RollingUpdate"))


async def rolling_broken(room: Room) -> None:
    await room.begin(room.release("1.0.0", strategy="RollingUpdate"))
    await room.moved(room.release("1.1.0", strategy="RollingUpdate"))
    room.pin(room.release("1.1.0", strategy="RollingUpdate", readiness_path="/not-there"))


async def rolling_recovered(room: Room) -> None:
    await rolling_broken(room)
    broken = room.repository.head
    await room.until(lambda: room.done(broken, "Degraded"))
    room.pin(room.repository.revert(broken))


async def branch_as_pin(room: Room) -> None:
    await room.begin(room.release("1.0.0"))
    room.pin("main")
    room.release("1.1.0")


async def commit_unknown(room: Room) -> None:
    await branch_as_pin(room)
    await room.until(lambda: room.done(room.repository.head))
    room.pin(NOBODY)


async def no_resources(room: Room) -> None:
    room.create(room.repository.commit({"nothing/README": "Nothing.\n"}, "A"), "nothing")


async def hand_edit_unhealed(room: Room) -> None:
    await room.begin(room.release("1.0.0"), self_heal=False)
    room.edit("by-hand")


async def hand_edit_taken_back(room: Room) -> None:
    await hand_edit_unhealed(room)
    await room.until(lambda: room.status["sync"]["status"] == "OutOfSync")
    room.edit("1.0.0")


async def hand_edit_healed(room: Room) -> None:
    await room.begin(room.release("1.0.0"))
    room.edit("by-hand")


async def autosync_off(room: Room) -> None:
    await by_hand(room)
    room.pin(room.release("1.1.0"))


async def by_hand(room: Room) -> None:
    first = room.create(room.release("1.0.0"), automated=False)
    await room.until(lambda: room.status.get("sync", {}).get("status") == "OutOfSync")
    await room.argocd.sync(APP)
    await room.until(lambda: room.done(first))


async def synced_by_a_person(room: Room) -> None:
    await autosync_off(room)
    await room.until(lambda: room.status["sync"]["status"] == "OutOfSync")
    await room.argocd.sync(APP)


async def rolled_back(room: Room) -> None:
    await synced_by_a_person(room)
    await room.until(lambda: room.done(room.repository.head))
    await room.argocd.roll_back(APP, room.status["history"][-2]["id"])


async def synced_again(room: Room) -> None:
    await rolled_back(room)
    await room.until(lambda: room.status["sync"]["status"] == "OutOfSync" and "operation" not in room.app)
    await room.argocd.sync(APP)


async def window_closed(room: Room) -> None:
    await room.begin(room.release("1.0.0"))
    apply(room.store, sync_window_project(APP))
    room.patch({"spec": {"project": APP}})
    room.pin(room.release("1.1.0"))


async def window_opened(room: Room) -> None:
    await window_closed(room)
    await room.until(lambda: room.status["sync"]["status"] == "OutOfSync")
    merge_patch(room.store, "AppProject", "argocd", APP, {"spec": {"syncWindows": []}})


async def hook_running(room: Room) -> None:
    await room.begin(room.release("1.0.0"), retry_limit=0)
    room.pin(hooked(room, "1.1.0", 5, ready="/not-there"))  # else it may be ready before the hook's turn


async def hook_succeeded(room: Room) -> None:
    await room.begin(room.release("1.0.0"), retry_limit=0)
    room.pin(hooked(room, "1.2.0", 2))


async def hook_failed(room: Room) -> None:
    await room.begin(room.release("1.0.0"), retry_limit=0)
    room.pin(hooked(room, "1.3.0", 1, exit_code=1))


async def hook_recovered(room: Room) -> None:
    await hook_failed(room)
    await room.until(lambda: room.status.get("operationState", {}).get("phase") == "Failed")
    room.pin(room.release("1.4.0"))


async def refused_retrying(room: Room) -> None:
    await room.begin(room.release("1.0.0"))
    room.pin(refused(room))


async def good_while_refused(room: Room) -> None:
    await refused_retrying(room)
    await room.until(lambda: room.status.get("operationState", {}).get("retryCount") == 1)
    room.pin(room.repository.revert(room.repository.head))


async def refused_terminated(room: Room) -> None:
    await good_while_refused(room)
    await room.until(lambda: room.status["operationState"].get("retryCount") == 2)
    await room.argocd.terminate(APP)


async def refused_failed(room: Room) -> None:
    await room.begin(room.release("1.0.0"), retry_limit=0)
    room.pin(refused(room))


async def refused_recovered(room: Room) -> None:
    await refused_failed(room)
    await room.until(lambda: bool(room.status.get("conditions")))
    room.pin(room.release("1.1.0"))


def settings(colour: str) -> list[Object]:
    return [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"colour": colour}}]


async def two_sources(room: Room) -> None:
    room.release("1.0.0")
    sha = room.commit(settings("green"), "extras/settings.yaml")
    await room.begin(sha, sources=[source(URL, path, sha) for path in ("workloads", "extras")])
    room.pin(room.release("1.1.0"))


async def one_of_two(room: Room) -> None:
    await two_sources(room)
    await room.until(lambda: room.done(room.repository.head))
    room.release("1.2.0")
    sha = room.commit(settings("blue"), "extras/settings.yaml")
    first, second = room.app["spec"]["sources"]
    room.patch({"spec": {"sources": [{**first, "targetRevision": sha}, second]}})


async def both_at_last(room: Room) -> None:
    await one_of_two(room)
    sha = room.repository.head
    await room.until(lambda: sha in room.status["sync"]["revisions"] and room.status["sync"]["status"] == "Synced")
    room.pin(sha)


async def replicas_0(room: Room) -> None:
    await room.begin(room.release("1.0.0"))
    room.pin(room.release("1.1.0", replicas=0))


async def paused(room: Room) -> None:
    await room.begin(room.release("1.0.0"))
    room.pin(room.release("1.2.0", paused=True))


async def on_delete(room: Room) -> None:
    await room.begin(room.commit(stateful_release(WEB, "1.0.0")))
    room.pin(room.commit(stateful_release(WEB, "1.1.0")))
