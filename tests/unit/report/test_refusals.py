"""Three files that show no recovery, each beside the nearest three that do."""

import re
from typing import Any

import pytest

from gate.outcomes import VerdictWord
from gate.reasons import Reason
from gate.render.report.subject import Role
from gate.report.commits import GitFacts
from gate.report.refusing import Files
from tests.support.recoveries import ROLLING, altered, commits, evidence_of, facts, moved, refused, shown, story

STORY = story()
GOOD, BAD, RECOVERED = (STORY[role].verdict.intended for role in ("good", "bad", "recovered"))


def _as(role: Role, name: str, **verdict: Any) -> Files:
    """Another recorded state in one of the places, of the same Application and in the right order of time."""
    file = evidence_of(name)
    at = STORY["recovered"].verdict.at if role == "recovered" else file.verdict.at
    return altered(
        {**STORY, role: file}, role, **{"applications": STORY["good"].verdict.applications, "at": at, **verdict}
    )


def _of_repository(name: str | None) -> Files:
    """The story with a good verdict by a run of another repository."""
    good = STORY["good"]
    return {**STORY, "good": good.model_copy(update={"run": good.run.model_copy(update={"repository": name})})}


REFUSED: dict[str, tuple[Files, str]] = {
    "good is not passed": (
        altered(STORY, "good", word=VerdictWord.HELD, reason=Reason.NOT_PINNED),
        r"The good verdict is held \(NotPinned\); expected passed",
    ),
    "recovered failed": (
        altered(STORY, "recovered", word=VerdictWord.FAILED, reason=Reason.WRONG_RELEASE),
        r"The recovered verdict is failed \(WrongRelease\); expected passed",
    ),
    "recovered is superseded": (
        altered(STORY, "recovered", word=VerdictWord.SUPERSEDED, reason=Reason.NEWER_COMMIT_PINNED),
        "The recovered verdict is superseded",
    ),
    "recovered lacks a layer": (
        altered(STORY, "recovered", layers=STORY["recovered"].verdict.layers[:3]),
        "The recovered file lacks evidence of a layer",
    ),
    "good judged nothing": (
        altered(STORY, "good", layers=(), reason=Reason.NOTHING_TO_GATE),
        r"The good file lacks evidence of a layer: a pass that judged nothing \(NothingToGate\)",
    ),
    "recovered has no look": (
        {**STORY, "recovered": STORY["recovered"].model_copy(update={"polls": ()})},
        "The recovered file lacks evidence of a layer",
    ),
    "bad passed": (
        altered(STORY, "bad", word=VerdictWord.PASSED, reason=Reason.ALL_LAYERS_AGREE),
        r"The bad verdict is passed \(AllLayersAgree\); expected failed or held",
    ),
    "bad was cancelled": (
        altered(STORY, "bad", word=VerdictWord.CANCELLED, reason=Reason.CANCELLED),
        "The bad verdict is cancelled",
    ),
    "bad could not run": (
        altered(STORY, "bad", word=VerdictWord.COULD_NOT_RUN, reason=Reason.BAD_ACCESS),
        "The bad verdict is could-not-run",
    ),
    "bad was never pinned": (
        altered(STORY, "bad", word=VerdictWord.HELD, reason=Reason.NOT_PINNED, layers=(), timeline=()),
        r"The bad file does not show that its commit was ever pinned \(NotPinned\)",
    ),
    "another repository": (
        _of_repository("acme/elsewhere"),
        "not about one repository: good: acme/elsewhere; bad: acme/shop; recovered: acme/shop",
    ),
    "another environment": (
        altered(STORY, "good", environment="production"),
        "not about one environment: good: production; bad: staging; recovered: staging",
    ),
    "another Application": (
        altered(STORY, "recovered", applications=("argocd/other",)),
        "not about one set of Applications",
    ),
    "one Application more": (
        altered(STORY, "bad", applications=(*STORY["bad"].verdict.applications, "argocd/other")),
        "not about one set of Applications",
    ),
    "no Application at all": (
        altered(altered(altered(STORY, "good", applications=()), "bad", applications=()), "recovered", applications=()),
        "The three are about no set of Applications",
    ),
    "recovered is older than bad": (moved(STORY, "recovered", -3600), "The recovered verdict .* is not newer"),
    "recovered at the very moment of bad": (
        altered(STORY, "recovered", at=STORY["bad"].verdict.at), "The recovered verdict .* is not newer",
    ),
    "good is newer than bad": (moved(STORY, "good", 3600), "The good verdict .* is not older"),
    "good and recovered are one commit": (
        altered(STORY, "recovered", intended=GOOD), f"The good and the recovered commit are the same, {GOOD}: a commit",
    ),
    "bad and recovered are one commit": (
        altered(STORY, "recovered", intended=BAD), "The bad and the recovered commit are the same",
    ),
    "good and bad are one commit": (altered(STORY, "good", intended=BAD), "The good and the bad commit are the same"),
    "no commit": (altered(STORY, "bad", intended=""), "The bad file names no commit"),
    "a rollback inside Argo CD": (
        _as("recovered", "argocd-rollback"), "this: rollback inside Argo CD. It does not repair what Git says",
    ),
    "an edit by hand": (
        _as("recovered", "hand-edit-selfheal-off"), "this: edit of the live objects by hand. It does not repair",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_no_recovery_is_shown(name: str) -> None:
    files, reason = REFUSED[name]
    reasons = refused(files)
    assert any(re.search(reason, one) for one in reasons), reasons


NEAREST: dict[str, Files] = {
    "as recorded": STORY,
    "the other story": story(ROLLING),
    "bad was held": altered(STORY, "bad", word=VerdictWord.HELD, reason=Reason.NO_READY_ENDPOINTS),
    "bad was pinned until it was moved back": altered(
        STORY, "bad", word=VerdictWord.HELD, reason=Reason.PIN_MOVED_BACK, layers=()
    ),
    "good was checked from a laptop": _of_repository(None),
    "a repository in capitals": _of_repository("Acme/Shop"),
    "recovered a second after bad": altered(STORY, "recovered", at=STORY["bad"].verdict.at.replace(microsecond=999999)),
    "Applications in another order": altered(
        altered(altered(STORY, "good", applications=("x/a", "x/b")), "bad", applications=("x/b", "x/a")),
        "recovered",
        applications=("x/a", "x/b"),
    ),
    "one environment of another name": altered(
        altered(altered(STORY, "good", environment="qa"), "bad", environment="qa"), "recovered", environment="qa"
    ),
}


@pytest.mark.parametrize("name", NEAREST)
def test_a_recovery_is_shown(name: str) -> None:
    assert shown(NEAREST[name]).outcome == "recovered"


def test_every_reason_is_said_and_not_only_the_first() -> None:
    files = altered(altered(STORY, "good", environment="production"), "bad", word=VerdictWord.PASSED)
    assert len(refused(files)) == 2


def test_an_ancestor_is_no_recovery_though_it_passed_later() -> None:
    files = altered(altered(altered(STORY, "good", intended="a" * 40), "bad", intended="b" * 40), "recovered",
                    intended="c" * 40)  # fmt: skip
    older = commits(c=("1", (), "Old"), a=("1", ("c",), "Good"), b=("2", ("a",), "Bad"))
    [reason] = refused(files, facts(older))
    assert "The recovered commit ccccccc is older than the bad one bbbbbbb, its ancestor" in reason
    newer = commits(c=("1", ("b",), "New"), a=("1", (), "Good"), b=("2", ("a",), "Bad"))
    assert shown(files, facts(newer)).kind == "roll-forward"


def test_the_tree_of_good_is_noted_and_neither_needed_nor_enough() -> None:
    files = altered(altered(altered(STORY, "good", intended="a" * 40), "bad", intended="b" * 40), "recovered",
                    intended="c" * 40)  # fmt: skip
    other = facts(commits(a=("1", (), "Good"), b=("2", ("a",), "Bad"), c=("3", ("b",), "Mend")))
    same = facts(commits(a=("1", (), "Good"), b=("2", ("a",), "Bad"), c=("1", ("b",), "Mend")))
    assert not any("tree of the good one" in note for note in shown(files, other).notes)
    assert any("tree of the good one. That is noted, and proves nothing" in note for note in shown(files, same).notes)
    held = altered(files, "recovered", word=VerdictWord.HELD, reason=Reason.NOT_PINNED)
    assert any("expected passed" in reason for reason in refused(held, same))


def test_without_git_a_recovery_is_shown_and_its_kind_is_not_known() -> None:
    made = shown(STORY, GitFacts(commits(), {}))
    assert (made.kind, made.repairs_intent) == ("unknown", "unknown")
    assert any("Git did not tell all" in note for note in made.notes)
