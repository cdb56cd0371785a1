"""What to do next: real names in commands, none of them hostile, and a revert only where it fits."""

import re

import pytest
from hypothesis import given, settings

from gate.outcomes import Layer
from gate.reasons import Reason
from gate.render.advice import commands, known_names, revert
from tests.support import release, verdicts
from tests.support.texts import ANYTHING

SAFE = re.compile(r"[A-Za-z0-9 ./:=,_@{}\[\]()'?*\\\"<>-]+")


def test_commands_bear_the_names_of_the_evidence() -> None:
    assert commands(verdicts.failed()) == (
        f"git diff {release.GOOD} {release.BAD}",
        "kubectl -n shop describe deployment orders",
        "kubectl -n shop get pods -o wide",
        "kubectl -n shop describe pod orders-7667fd7fc7-45z2f",
    )


def test_the_failing_layer_is_asked_for_names_first() -> None:
    message = "Deployment other/web: Paused; also: Pod other/web-1 is not ready"
    layer = release.NOT_READY.model_copy(update={"message": message})
    names = known_names(verdicts.failed(layers=(release.INTENT, release.SYNC, layer)))
    assert (names["<namespace>"], names["<deployment>"], names["<pod>"]) == ("other", "web", "web-1")
    assert names["<argocd-namespace>"] == "argocd"


def test_names_of_one_namespace_are_not_mixed_with_those_of_another() -> None:
    layer = release.NOT_READY.model_copy(update={"message": "Deployment a/web and Service b/web", "evidence": ()})
    names = known_names(verdicts.failed(layers=(layer,)))
    assert names["<namespace>"] == "a"
    assert "<service>" not in names


@pytest.mark.parametrize(
    "message",
    [
        "Pod shop/a (old), Pod shop/b (current)",
        "Deployment shop/web: Pod shop/a of an older ReplicaSet is there; also: Pod shop/b: Readiness probe failed",
        "EndpointSlice shop/web: Pod shop/a of an older release still serves; also: Pod shop/b is not ready",
    ],
)
def test_an_old_pod_is_not_the_one_to_look_at(message: str) -> None:
    layer = release.NOT_READY.model_copy(update={"message": message})
    assert known_names(verdicts.failed(layers=(layer,)))["<pod>"] == "b"


def test_the_application_is_known_from_the_verdict_where_no_layer_names_it() -> None:
    assert known_names(verdicts.failed(layers=()))["<application>"] == "orders"


def test_what_is_not_known_keeps_its_brackets() -> None:
    bare = verdicts.failed(layers=(), applications=(), intended="main", changes=None)
    assert "kubectl -n <namespace> describe pod <pod>" in commands(bare)
    assert known_names(bare) == {}


def test_without_a_known_base_the_commit_itself_is_shown() -> None:
    assert commands(verdicts.failed(changes=None))[0] == f"git show --stat {release.BAD}"


@pytest.mark.parametrize("make", [verdicts.held, verdicts.pending, verdicts.passed, verdicts.superseded])
def test_only_a_failure_asks_first_what_the_release_changed(make: object) -> None:
    assert not any(command.startswith("git diff") for command in commands(make()))  # type: ignore[operator]


@pytest.mark.parametrize(
    "name", ["$(id)", "a;b", "-x", "a b", "a`b", "A", "a'b", "a\nb", "../x", "a_b", "a|b", "x" * 300]
)
def test_only_names_that_kubernetes_allows_are_filled_in(name: str) -> None:
    layer = release.NOT_READY.model_copy(update={"message": f"Pod shop/{name}", "evidence": ()})
    verdict = verdicts.failed(layers=(layer,), applications=(f"argocd/{name}",))
    filled = known_names(verdict)
    assert filled.get("<pod>", "ok") in ("ok", "a", "a.b")
    for command in commands(verdict):
        assert name not in command


@given(ANYTHING)
@settings(deadline=None)
def test_no_text_reaches_a_command(text: str) -> None:
    for command in commands(verdicts.hostile(f"Pod shop/{text} Deployment {text}/{text}")):
        assert SAFE.fullmatch(command), command


def test_a_revert_is_offered_for_one_commit_in_which_nothing_looks_like_data() -> None:
    offered = revert(verdicts.failed())
    assert offered is not None
    assert offered.command == f"git revert --no-edit {release.BAD}"


def test_a_merge_is_reverted_against_its_first_parent() -> None:
    merge = release.commit(parents=(release.GOOD, release.NEWER))
    offered = revert(verdicts.failed(changes=release.changes(commits=(merge,))))
    assert offered is not None
    assert offered.command == f"git revert --no-edit -m 1 {release.BAD}"


def test_several_commits_are_reverted_as_a_range() -> None:
    two = (release.commit(), release.commit(id=release.NEWER))
    offered = revert(verdicts.failed(changes=release.changes(commits=two)))
    assert offered is not None
    assert offered.command == f"git revert --no-edit {release.GOOD}..{release.BAD}"


@pytest.mark.parametrize(
    "path",
    [
        "db/migrations/0007.sql", "charts/postgres/values.yaml", "apps/orders/statefulset.yaml", "pvc.yaml",
        "jobs/backup.yaml", "SCHEMA.md", "apps/redis/deployment.yaml", "orders/db/config.yaml",
    ],
)  # fmt: skip
def test_no_revert_is_offered_where_a_path_looks_like_data(path: str) -> None:
    offered = revert(verdicts.failed(changes=release.changes(files=("a.yaml", path))))
    assert offered is not None
    assert offered.command is None
    assert "data" in offered.why


@pytest.mark.parametrize(
    "path", ["apps/orders/deployment.yaml", "dbus/config.yaml", "README.md", "apps/web/service.yaml"]
)
def test_an_ordinary_path_does_not_look_like_data(path: str) -> None:
    offered = revert(verdicts.failed(changes=release.changes(files=(path,))))
    assert offered is not None
    assert offered.command is not None


@pytest.mark.parametrize(
    "changes",
    [
        None,
        release.changes(files=()),
        release.changes(commits=()),
        release.changes(truncated=True),
        release.changes(relation="unknown"),
        release.changes(relation="diverged"),
        release.changes(relation="behind"),
        release.changes(since="main"),
        release.changes(commits=(release.commit(id="c7581a7"),)),
    ],
)
def test_no_revert_is_offered_for_a_change_that_is_not_known_whole(changes: object) -> None:
    offered = revert(verdicts.failed(changes=changes))
    assert offered is not None
    assert offered.command is None


@pytest.mark.parametrize("reason", [Reason.HOOK_FAILED, Reason.ROLLED_BACK])
def test_no_revert_is_offered_where_data_may_have_been_changed_on_the_way(reason: Reason) -> None:
    offered = revert(verdicts.failed(reason=reason))
    assert offered is not None
    assert offered.command is None


@pytest.mark.parametrize(
    "verdict",
    [
        verdicts.held(),
        verdicts.pending(),
        verdicts.passed(),
        verdicts.superseded(),
        verdicts.cancelled(),
        verdicts.failed(failed_layer=Layer.INTENT),
        verdicts.failed(failed_layer=None),
        verdicts.failed(layers=(release.NOT_READY.model_copy(update={"bad": False}),)),
    ],
)
def test_a_revert_is_no_matter_where_no_fault_of_this_commit_was_seen(verdict: object) -> None:
    assert revert(verdict) is None  # type: ignore[arg-type]
