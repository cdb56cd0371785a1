"""Hooks, namespaces and refusals in the syncs of Argo CD's model."""

from pathlib import Path

import pytest

from gate.lab.applications import application
from gate.lab.cluster.apply import apply
from gate.lab.cluster.store import Object
from gate.lab.manifests import hook_job, web_release
from tests.support.argocd import APP, URL, WEB, Room, play


def with_hook(room: Room, version: str, hook: Object, port: int = 80) -> str:
    """A commit with a hook; port 70000 is one that the API server refuses."""
    service, deployment = web_release(WEB, version)
    service["spec"]["ports"][0]["port"] = port
    return room.commit([service, deployment, hook])


def made(room: Room, kind: str, name: str) -> list[int]:
    """When objects of this name came to be."""
    return [one.version for one in room.seen if one.key == (kind, APP, name) and one.type == "ADDED"]


def entries(room: Room) -> dict[str, tuple[str, str]]:
    """Phase and hook phase of what the last operation did, by name."""
    found = room.status["operationState"]["syncResult"]["resources"]
    return {one["name"]: (one["syncPhase"], one["hookPhase"]) for one in found if one["kind"] == "Job"}


def test_a_hook_before_the_sync_goes_first_and_is_deleted_where_it_says_so(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        hook = hook_job("before", hook="PreSync", delete_policy="HookSucceeded")
        await room.begin(with_hook(room, "1.0.0", hook))
        (job,), (deployment,) = made(room, "Job", "before"), made(room, "Deployment", WEB)
        assert job < deployment
        assert entries(room) == {"before": ("PreSync", "Succeeded")}
        assert room.store.find("Job", APP, "before") is None

    play(tmp_path, tale)


def test_a_hook_that_fails_before_the_sync_keeps_it_from_beginning(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        hook = hook_job("before", hook="PreSync", exit_code=1, delete_policy="HookFailed")
        room.create(with_hook(room, "1.0.0", hook), retry_limit=0)
        await room.until(lambda: room.status.get("operationState", {}).get("phase") == "Failed")
        assert made(room, "Deployment", WEB) == []
        assert entries(room) == {"before": ("PreSync", "Failed")}
        await room.until(lambda: room.store.find("Job", APP, "before") is None)

    play(tmp_path, tale)


@pytest.mark.exhaustive
def test_a_hook_is_made_anew_for_each_sync(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        hook = hook_job("after", hook="PostSync")
        await room.begin(with_hook(room, "1.0.0", hook))
        await room.moved(with_hook(room, "1.1.0", hook))
        assert len(made(room, "Job", "after")) == 2
        assert entries(room) == {"after": ("PostSync", "Succeeded")}

    play(tmp_path, tale)


@pytest.mark.exhaustive
def test_a_hook_without_a_name_gets_one_of_its_commit(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        hook = hook_job("", hook="PostSync")
        hook["metadata"] = {"generateName": "after-", "annotations": hook["metadata"]["annotations"]}
        sha = await room.begin(with_hook(room, "1.0.0", hook))
        (name,) = entries(room)
        assert name.startswith(f"after-{sha[:7]}-postsync-")

    play(tmp_path, tale)


@pytest.mark.exhaustive
@pytest.mark.parametrize("refused", [True, False])
def test_a_hook_for_failures_runs_only_after_one(*, refused: bool, tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        hook = hook_job("sorry", hook="SyncFail")
        sha = room.create(with_hook(room, "1.0.0", hook, 70000 if refused else 80), retry_limit=0)
        if not refused:
            await room.until(lambda: room.done(sha))
            assert made(room, "Job", "sorry") == []
            return
        await room.until(lambda: room.status.get("operationState", {}).get("phase") == "Failed")
        assert entries(room) == {"sorry": ("SyncFail", "Succeeded")}
        assert "Invalid value: 70000" in room.status["operationState"]["message"]

    play(tmp_path, tale)


@pytest.mark.parametrize("creates", [True, False])
def test_a_namespace_is_made_only_where_that_is_asked_for(*, creates: bool, tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        options = ["CreateNamespace=true"] if creates else []
        sha = room.release("1.0.0")
        body = application(APP, URL, "workloads", sha, destination="new", sync_options=options, retry_limit=0)
        apply(room.store, body, manager="hands")
        if creates:
            await room.until(lambda: room.done(sha))
            first = room.status["operationState"]["syncResult"]["resources"][0]
            words = (first["kind"], first["syncPhase"], first["message"])
            assert words == ("Namespace", "PreSync", "namespace/new created")
            return
        await room.until(lambda: room.status.get("operationState", {}).get("phase") == "Failed")
        assert 'namespaces "new" not found' in room.status["operationState"]["message"]

    play(tmp_path, tale)


def test_a_version_of_a_kind_that_the_cluster_does_not_have(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        body: Object = {"apiVersion": "apps/v1beta1", "kind": "Deployment", "metadata": {"name": WEB}, "spec": {}}
        room.create(room.commit([body]), retry_limit=0)
        await room.until(lambda: room.status.get("operationState", {}).get("phase") == "Failed")
        (entry,) = room.status["operationState"]["syncResult"]["resources"]
        assert 'Version "v1" of apps/Deployment is installed' in entry["message"]

    play(tmp_path, tale)


def test_a_person_may_sync_another_revision(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        first, second = room.release("1.0.0"), room.release("1.1.0")
        room.create(second, automated=False)
        await room.argocd.sync(APP, revision=first)
        await room.until(lambda: "operation" not in room.app and "history" in room.status)
        assert room.status["operationState"]["syncResult"]["revision"] == first
        await room.until(lambda: room.status["sync"]["revision"] == second)
        assert room.status["sync"]["status"] == "OutOfSync"

    play(tmp_path, tale)


@pytest.mark.exhaustive
def test_the_repository_servers_absence_is_not_told_at_once(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        sha = await room.begin(room.release("1.0.0"))
        room.argocd.repository_server.away = True
        await room.pace.sleep(25)  # two resyncs
        assert (room.status["sync"]["status"], room.status["sync"]["revision"]) == ("Synced", sha)
        assert "conditions" not in room.status

    play(tmp_path, tale)
