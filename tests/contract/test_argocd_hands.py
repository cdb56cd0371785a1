"""What people and other controllers do around an Application, and what Argo CD's model makes of it."""

from pathlib import Path

import pytest

from gate.lab.applications import sync_window_project
from gate.lab.argocd import RefusedError
from gate.lab.cluster.apply import apply
from gate.lab.cluster.store import Object
from gate.lab.manifests import web_release
from tests.support.argocd import APP, WEB, Room, play
from tests.support.argocd_tales import hooked, refused

REFRESH = "argocd.argoproj.io/refresh"


def refresh(room: Room) -> None:
    """Ask for a comparison."""
    room.patch({"metadata": {"annotations": {REFRESH: "normal"}}})


def refreshed(room: Room) -> bool:
    """Whether the comparison that was asked for is there."""
    return REFRESH not in room.app["metadata"].get("annotations", {})


def conditions(room: Room) -> list[tuple[str, str]]:
    """Types and messages of its conditions."""
    return [(one["type"], one["message"]) for one in room.status.get("conditions", ())]


def test_nobody_rolls_back_while_sync_is_automated(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        await room.begin(room.release("1.0.0"))
        with pytest.raises(RefusedError, match="auto-sync is enabled"):
            await room.argocd.roll_back(APP, 0)
        with pytest.raises(RefusedError, match="No operation is in progress"):
            await room.argocd.terminate(APP)

    play(tmp_path, tale)


def test_a_second_sync_waits_for_the_first(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        room.create(room.release("1.0.0"), automated=False)
        await room.argocd.sync(APP)
        with pytest.raises(RefusedError, match="already in progress"):
            await room.argocd.sync(APP)

    play(tmp_path, tale)


@pytest.mark.exhaustive
@pytest.mark.parametrize("manual", [True, False])
def test_a_window_lets_a_person_sync_only_where_it_says_so(*, manual: bool, tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        apply(room.store, sync_window_project(APP, manual_sync=manual))
        sha = room.create(room.release("1.0.0"), project=APP)
        await room.until(lambda: room.status.get("sync", {}).get("status") == "OutOfSync")
        if not manual:
            with pytest.raises(RefusedError, match="sync window"):
                await room.argocd.sync(APP)
            return
        await room.argocd.sync(APP)
        await room.until(lambda: room.done(sha))

    play(tmp_path, tale)


def test_terminating_ends_a_hook(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        await room.begin(room.release("1.0.0"))
        room.pin(hooked(room, "1.1.0", 3600))
        await room.until(lambda: room.store.find("Job", APP, "after") is not None)
        message = "waiting for completion of hook batch/Job/after"
        await room.until(lambda: room.status["operationState"].get("message") == message)
        await room.argocd.terminate(APP)
        await room.until(lambda: room.status["operationState"]["phase"] == "Failed")
        assert room.status["operationState"]["message"] == "Operation terminated"
        assert room.store.find("Job", APP, "after") is None

    play(tmp_path, tale)


def test_an_unknown_project_is_an_invalid_spec(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        sha = room.create(room.release("1.0.0"), project="nobodys")
        await room.until(lambda: bool(conditions(room)))
        words = "Application referencing project nobodys which does not exist"
        assert conditions(room) == [("InvalidSpecError", words)]
        assert (room.status["sync"]["status"], room.status["health"]["status"]) == ("Unknown", "Unknown")
        room.patch({"spec": {"project": "default"}})
        await room.until(lambda: room.done(sha))
        assert conditions(room) == []

    play(tmp_path, tale)


@pytest.mark.parametrize("prune", [True, False])
def test_what_git_no_longer_has_goes_only_where_it_is_pruned(*, prune: bool, tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        extra: Object = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "extra"}, "data": {}}
        await room.begin(room.commit([*web_release(WEB, "1.0.0"), extra]), prune=prune)
        room.pin(room.release("1.0.0"))
        sha = room.repository.head
        if prune:
            await room.until(lambda: room.done(sha))
            assert room.store.find("ConfigMap", APP, "extra") is None
            entries = room.status["operationState"]["syncResult"]["resources"]
            assert {one["name"]: one["status"] for one in entries} == {"extra": "Pruned", WEB: "Synced"}
            return
        await room.until(lambda: room.status["sync"]["revision"] == sha)
        found = next(one for one in room.status["resources"] if one["name"] == "extra")
        assert (found["requiresPruning"], found["status"]) == (True, "OutOfSync")
        assert "operation" not in room.app, "only a difference that has to be pruned starts no operation"

    play(tmp_path, tale)


def test_nothing_is_wiped_out(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        await room.begin(room.release("1.0.0"))
        sha = room.repository.commit({"workloads/web.yaml": None, "workloads/README": "Gone.\n"}, "Remove all")
        room.pin(sha)
        await room.until(lambda: bool(conditions(room)))
        words = f"Skipping sync attempt to [{sha}]: auto-sync will wipe out all resources"
        assert conditions(room) == [("SyncError", words)]
        assert room.store.find("Deployment", APP, WEB) is not None

    play(tmp_path, tale)


def test_waves_wait_for_each_other(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        last: Object = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "last", "annotations": {"argocd.argoproj.io/sync-wave": "1"}},
        }
        await room.begin(room.commit([last, *web_release(WEB, "1.0.0")]))
        made = next(one.version for one in room.seen if one.key == ("ConfigMap", APP, "last"))
        deployments = [one.body for one in room.seen if one.key == ("Deployment", APP, WEB) and one.version < made]
        assert deployments[-1]["status"]["availableReplicas"] == 1
        assert room.status["resources"][0]["syncWave"] == 1

    play(tmp_path, tale)


def test_a_kind_that_the_cluster_does_not_have(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        body: Object = {"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "one"}}
        room.create(room.commit([body]), retry_limit=0)
        await room.until(lambda: room.status.get("operationState", {}).get("phase") == "Failed")
        state = room.status["operationState"]
        assert state["message"] == "one or more synchronization tasks are not valid"
        (entry,) = state["syncResult"]["resources"]
        assert entry["status"] == "SyncFailed"
        assert 'Make sure the "Gadget" CRD is installed' in entry["message"]

    play(tmp_path, tale)


def test_an_object_without_a_name_is_refused(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        body: Object = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "one-"}}
        room.create(room.commit([body]), retry_limit=0)
        await room.until(lambda: room.status.get("operationState", {}).get("phase") == "Failed")
        assert room.status["operationState"]["message"].endswith(": resource name may not be empty")

    play(tmp_path, tale)


@pytest.mark.exhaustive
@pytest.mark.parametrize("cascades", [True, False])
def test_deleting_it_deletes_what_it_made_only_with_its_finalizer(*, cascades: bool, tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        await room.begin(room.release("1.0.0"))
        if not cascades:
            room.patch({"metadata": {"finalizers": None}})
        room.store.delete("Application", "argocd", APP)
        await room.until(lambda: room.store.find("Application", "argocd", APP) is None)
        assert (room.store.find("Deployment", APP, WEB) is None) is cascades

    play(tmp_path, tale)


@pytest.mark.exhaustive
def test_without_the_repository_server_the_words_stay_until_they_are_asked_for(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        sha = await room.begin(room.release("1.0.0"))
        room.argocd.repository_server.away = True
        room.edit("1.0.0")
        refresh(room)
        await room.until(lambda: refreshed(room))
        assert room.status["sync"]["status"] == "Unknown"
        assert room.status["sync"]["revision"] == sha
        assert [type_ for type_, _ in conditions(room)] == ["ComparisonError"]
        room.argocd.repository_server.away = False
        await room.until(lambda: room.done(sha))
        assert conditions(room) == []

    play(tmp_path, tale)


@pytest.mark.exhaustive
def test_words_grow_old_where_nothing_is_compared(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        sha = await room.begin(room.release("1.0.0"))
        room.argocd.stop_comparing()
        new = room.pin(room.release("1.1.0"))
        refresh(room)
        await room.pace.sleep(20)  # two resyncs
        assert (room.status["sync"]["revision"], refreshed(room)) == (sha, False)
        room.argocd.go_on_comparing()
        await room.until(lambda: room.done(new))

    play(tmp_path, tale)


@pytest.mark.exhaustive
def test_a_controller_that_starts_again_goes_on_with_the_operation(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        await room.begin(room.release("1.0.0"))
        room.pin(refused(room))
        await room.until(lambda: room.status.get("operationState", {}).get("retryCount") == 1)
        await room.restart()
        await room.until(lambda: room.status["operationState"].get("retryCount") == 2)

    play(tmp_path, tale)
