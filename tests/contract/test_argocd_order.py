"""In which order the states of an Application follow each other in Argo CD's model, as its writes say."""

from itertools import groupby
from pathlib import Path

import pytest

from gate.lab.cluster.apply import merge_patch
from gate.lab.cluster.store import Object
from tests.support.argocd import APP, WEB, Room, play
from tests.support.argocd_tales import NOBODY, hooked, refused

REFRESH = "argocd.argoproj.io/refresh"
State = tuple[str, str, str, bool, str]


def state(app: Object, sha: str) -> State:
    """Its words: sync, at this commit or another one, health, whether an operation is asked for, its phase."""
    status = app.get("status", {})
    sync = status.get("sync", {})
    at = "new" if sync.get("revision") == sha else "old"
    phase = status.get("operationState", {}).get("phase", "")
    return sync.get("status", ""), at, status.get("health", {}).get("status", ""), "operation" in app, phase


def order(room: Room, since: int, sha: str) -> list[State]:
    """The states one after the other, each once where it was written several times."""
    return [found for found, _ in groupby(state(app, sha) for app in room.statuses(since))]


def test_a_bump_is_compared_then_applied_then_compared_again(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        await room.begin(room.release("1.0.0"))
        sha, since = room.release("1.1.0"), room.store.version
        await room.moved(sha)
        assert order(room, since, sha) == [
            ("Synced", "old", "Healthy", False, "Succeeded"),  # the pin has moved, nobody has looked
            ("Synced", "old", "Healthy", True, ""),  # an operation is asked for; the words are the old ones
            ("OutOfSync", "new", "Healthy", True, ""),
            ("OutOfSync", "new", "Healthy", True, "Running"),
            ("OutOfSync", "new", "Healthy", False, "Succeeded"),  # applied, and not compared again
            ("Synced", "new", "Progressing", False, "Succeeded"),
            ("Synced", "new", "Healthy", False, "Succeeded"),
        ]

    play(tmp_path, tale)


def test_health_changes_without_a_new_comparison(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        await room.begin(room.release("1.0.0"))
        sha, since = room.release("1.1.0"), room.store.version
        await room.moved(sha)
        last = [app["status"] for app in room.statuses(since) if app["status"]["sync"].get("status") == "Synced"][-2:]
        assert [one["health"]["status"] for one in last] == ["Progressing", "Healthy"]
        assert last[0]["reconciledAt"] == last[1]["reconciledAt"] >= last[0]["operationState"]["finishedAt"]

    play(tmp_path, tale, resync=1000)


@pytest.mark.exhaustive
def test_from_the_third_rolling_update_on_a_second_partial_operation_follows(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        await room.begin(room.release("1.0.0", strategy="RollingUpdate"))
        counts = []
        for version in ("1.1.0", "1.2.0"):
            sha = await room.moved(room.release(version, strategy="RollingUpdate"))
            await room.until(lambda: room.status["health"]["status"] == "Healthy")
            operation = room.status["operationState"]["operation"]["sync"]
            counts.append(operation.get("autoHealAttemptsCount"))
            assert room.status["history"][-1]["revision"] == sha
        assert counts == [None, 1]
        assert len(room.status["history"]) == 3, "a partial operation writes no history"

    play(tmp_path, tale)


def test_a_no_op_commit_starts_no_operation(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        first = await room.begin(room.release("1.0.0"))
        sha, since = room.repository.commit({"README.md": "Orders\n"}, "Describe"), room.store.version
        await room.moved(sha)
        assert order(room, since, sha) == [
            ("Synced", "old", "Healthy", False, "Succeeded"),
            ("Synced", "new", "Healthy", False, "Succeeded"),
        ]
        assert room.status["operationState"]["syncResult"]["revision"] == first

    play(tmp_path, tale)


@pytest.mark.exhaustive
def test_a_refused_commit_is_tried_again_and_then_not_any_more(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        await room.begin(room.release("1.0.0"), retry_limit=2)
        since = room.store.version
        room.pin(refused(room))
        await room.until(lambda: bool(room.status.get("conditions")))
        states = [app["status"].get("operationState", {}) for app in room.statuses(since)]
        tries = [(one.get("phase"), one.get("retryCount"), "finishedAt" in one) for one in states if "phase" in one]
        assert [found for found, _ in groupby(tries)][1:] == [
            ("Running", None, False),
            ("Running", 1, True),
            ("Running", 1, False),
            ("Running", 2, True),
            ("Running", 2, False),
            ("Failed", 2, True),
        ]
        assert room.status["operationState"]["message"].endswith("inclusive (retried 2 times).")
        assert [one["type"] for one in room.status["conditions"]] == ["SyncError"]
        assert "operation" not in room.app, "a commit that failed is not tried again"

    play(tmp_path, tale)


@pytest.mark.exhaustive
@pytest.mark.parametrize("refresh", [True, False])
def test_another_try_takes_a_newer_commit_only_where_it_is_told_to(*, refresh: bool, tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        await room.begin(room.release("1.0.0"))
        room.patch({"spec": {"syncPolicy": {"retry": {"limit": 2, "refresh": refresh}}}})
        room.pin("main")
        bad = refused(room)
        await room.until(lambda: room.status.get("operationState", {}).get("retryCount") == 1)
        good = room.release("1.1.0")
        await room.until(lambda: room.status["operationState"]["phase"] != "Running")
        state = room.status["operationState"]
        expected = ("Succeeded", good) if refresh else ("Failed", bad)
        assert (state["phase"], state["syncResult"]["revision"]) == expected

    play(tmp_path, tale)


def test_an_unknown_commit_is_told_at_once_and_starts_nothing(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        await room.begin(room.release("1.0.0"))
        since = room.store.version
        room.pin(NOBODY)
        await room.until(lambda: room.status["sync"]["status"] == "Unknown")
        assert order(room, since, NOBODY) == [
            ("Synced", "old", "Healthy", False, "Succeeded"),
            ("Unknown", "new", "Healthy", False, "Succeeded"),
        ]

    play(tmp_path, tale)


def test_a_hook_runs_after_what_it_follows_is_healthy(tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        await room.begin(room.release("1.0.0"))
        sha, since = hooked(room, "1.1.0", 2), room.store.version
        await room.moved(sha)
        job = next(one.version for one in room.seen if one.key == ("Job", APP, "after"))
        ready = [one for one in room.seen if one.key == ("Deployment", APP, WEB) and one.version > since]
        before = [one.body["status"] for one in ready if one.version < job][-1]
        assert before["availableReplicas"] == 1

    play(tmp_path, tale)


@pytest.mark.parametrize("heals", [True, False])
def test_a_hand_edit_is_undone_only_with_self_heal(*, heals: bool, tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        sha = await room.begin(room.release("1.0.0"), self_heal=heals)
        since = room.store.version
        room.edit("by-hand")
        await room.until(lambda: room.status["sync"]["status"] == "OutOfSync")
        if heals:
            await room.until(lambda: room.done(sha))
            assert room.status["operationState"]["operation"]["sync"]["resources"] == [
                {"group": "apps", "kind": "Deployment", "name": WEB}
            ]
        else:
            merge_patch(room.store, "Application", "argocd", APP, {"metadata": {"annotations": {REFRESH: "normal"}}})
            await room.until(lambda: REFRESH not in room.app["metadata"].get("annotations", {}))
            words = {(found[0], found[3]) for found in order(room, since, sha)}
            assert words - {("Synced", False)} == {("OutOfSync", False)}, "no operation was started"

    play(tmp_path, tale)
