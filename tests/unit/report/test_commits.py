"""How the three commits stand to each other: told by Git, or not known, and never guessed."""

from typing import Any

import pytest

from gate.facts.moment import GitRecord
from gate.render.report.subject import REPAIRS, Kind
from gate.report.commits import GitFacts, contradictions, relate
from gate.report.kinds import kind_by_git
from tests.support.recoveries import commits, facts

GOOD, BAD, BACK = "a" * 40, "b" * 40, "c" * 40
SAYS = f'Revert "Break it"\n\nThis reverts commit {BAD}.\n'
A, B = ("1", (), "Good"), ("2", ("a",), "Break it")
CHANGED = {"f": ("100644 1", "100644 2")}
BACK_AGAIN = {"f": ("100644 2", "100644 1")}

# what Git has | patches | undone, by, says | kind
TABLE: dict[str, tuple[GitRecord, Any, tuple[str, str, str], Kind]] = {
    "a revert": (commits(a=A, b=B, c=("1", ("b",), SAYS)), {}, ("yes", "tree", "yes"), Kind.REVERT),
    "taken back without a word": (
        commits(a=A, b=B, c=("1", ("b",), "Release 1.0.1")), {}, ("yes", "tree", "no"), Kind.ROLL_FORWARD,
    ),
    "a short id is no word": (
        commits(a=A, b=B, c=("1", ("b",), f"This reverts commit {BAD[:12]}.")), {}, ("yes", "tree", "no"),
        Kind.ROLL_FORWARD,
    ),
    "another commit is reverted": (
        commits(a=A, b=B, c=("1", ("b",), f"This reverts commit {GOOD}.")), {}, ("yes", "tree", "no"),
        Kind.ROLL_FORWARD,
    ),
    "the word without the deed": (commits(a=A, b=B, c=("3", ("b",), SAYS)), {}, ("no", "", "yes"), Kind.ROLL_FORWARD),
    "a correction": (commits(a=A, b=B, c=("3", ("b",), "Mend it")), {}, ("no", "", "no"), Kind.ROLL_FORWARD),
    "others between, the same tree": (
        commits(a=A, b=B, d=("4", ("b",), "More"), c=("1", ("d",), SAYS)), {}, ("yes", "tree", "yes"), Kind.REVERT,
    ),
    "others between, the patch turned round": (
        commits(a=A, b=B, d=("4", ("b",), "More"), c=("5", ("d",), SAYS)), {"b": CHANGED, "c": BACK_AGAIN},
        ("yes", "patch", "yes"), Kind.REVERT,
    ),
    "others between, another patch": (
        commits(a=A, b=B, d=("4", ("b",), "More"), c=("5", ("d",), SAYS)), {"b": CHANGED, "c": CHANGED},
        ("no", "", "yes"), Kind.ROLL_FORWARD,
    ),
    "others between, half of the patch": (
        commits(a=A, b=B, d=("4", ("b",), "More"), c=("5", ("d",), SAYS)),
        {"b": {**CHANGED, "g": ("0 0", "1 1")}, "c": BACK_AGAIN}, ("no", "", "yes"), Kind.ROLL_FORWARD,
    ),
    "others between, no patch known": (
        commits(a=A, b=B, d=("4", ("b",), "More"), c=("5", ("d",), SAYS)), {}, ("unknown", "", "yes"),
        Kind.ROLL_FORWARD,
    ),
    "a revert that was merged": (
        commits(a=A, b=B, r=("1", ("b",), SAYS), c=("1", ("b", "r"), SAYS)), {}, ("yes", "tree", "yes"), Kind.REVERT,
    ),
    "before the bad one is not known": (
        commits(b=B, c=("1", ("b",), SAYS)), {}, ("unknown", "", "yes"), Kind.ROLL_FORWARD,
    ),
    "the recovered one is not known": (commits(a=A, b=B), {}, ("unknown", "", "unknown"), Kind.UNKNOWN),
    "nothing between is known": (commits(a=A, b=B, c=("1", ("d",), SAYS)), {}, ("unknown", "", "yes"), Kind.UNKNOWN),
    "a line beside it": (commits(a=A, b=B, c=("3", ("a",), "Beside")), {}, ("unknown", "", "no"), Kind.ROLL_FORWARD),
    "an ancestor": (
        commits(c=("1", (), "Old"), a=("1", ("c",), "Good"), b=B), {}, ("unknown", "", "no"), Kind.PIN_MOVED_BACK,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLE)
def test_what_git_tells_of_bad_and_recovered(name: str) -> None:
    record, patches, (undone, by, says), kind = TABLE[name]
    found = relate(facts(record, patches), GOOD, BAD, BACK)
    assert (found.undone, found.undone_by, found.says_revert) == (undone, by, says)
    told, words = kind_by_git(found, BAD)
    assert told is kind
    assert "bbbbbbb" in words


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (commits(a=A, b=B, c=("1", ("b",), SAYS)), "yes"),
        (commits(a=A, b=B, c=("3", ("b",), SAYS)), "no"),
        (commits(b=B, c=("1", ("b",), SAYS)), "unknown"),
        (GitRecord(), "unknown"),
    ],
    ids=["same", "another", "good not known", "nothing"],
)
def test_the_tree_of_good(record: GitRecord, expected: str) -> None:
    assert relate(GitFacts(record, {}), GOOD, BAD, BACK).same_tree == expected


def test_what_is_not_known_is_no_answer() -> None:
    found = relate(GitFacts(GitRecord(), {}), GOOD, BAD, BACK)
    assert {found.good_to_bad, found.bad_to_recovered, found.good_to_recovered} == {"unknown"}
    assert {found.same_tree, found.undone, found.says_revert} == {"unknown"}


def test_an_answer_of_the_api_counts_where_history_was_not_read() -> None:
    record = GitRecord(relations={f"{BAD}...{BACK}": "ahead"})
    assert relate(GitFacts(record, {}), GOOD, BAD, BACK).bad_to_recovered == "ahead"


def test_only_a_new_commit_repairs_what_git_says() -> None:
    assert {kind for kind, repairs in REPAIRS.items() if repairs == "yes"} == {Kind.REVERT, Kind.ROLL_FORWARD}
    assert REPAIRS[Kind.UNKNOWN] == "unknown"
    assert set(REPAIRS) == set(Kind)


def test_a_file_and_the_repository_that_say_different_things() -> None:
    ours = commits(a=A, b=B)
    assert contradictions(ours, ours) == ()
    assert contradictions(ours, GitRecord()) == ()
    [tree] = contradictions(ours, commits(a=("7", (), "Good"), b=B))
    assert f"commit {GOOD} has the tree {'1' * 40}; the repository says {'7' * 40}" in tree
    [parents] = contradictions(ours, commits(a=A, b=("2", ("d",), "Break it")))
    assert f"other parents of commit {BAD}" in parents
