"""How commits are related, and what lies between two of them."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.facts.commit import changes_since, read_commit_fact, relation
from gate.facts.moment import GitRecord
from gate.observed import Absent, Present, Unreadable
from tests.support.bundles import APART, NEW, NEWER, OLD, OLDER, git
from tests.support.sampling import examples

GIT = GitRecord.model_validate(git())
UNKNOWN = "9" * 40


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        (OLD, NEW, "ahead"),
        (OLDER, NEWER, "ahead"),
        (NEW, OLD, "behind"),
        (NEW, NEW, "identical"),
        (UNKNOWN, UNKNOWN, "identical"),
        (NEW, APART, "diverged"),
        (NEW, UNKNOWN, "unknown"),
        (UNKNOWN, NEW, "unknown"),
    ],
)
def test_relation(base: str, head: str, expected: str) -> None:
    assert relation(GIT, base, head) == expected


def test_a_relation_that_an_api_told_is_taken() -> None:
    told = GIT.model_copy(update={"relations": {f"{NEW}...{UNKNOWN}": "ahead", f"{UNKNOWN}...{NEW}": "nonsense"}})
    assert relation(told, NEW, UNKNOWN) == "ahead"
    assert relation(told, UNKNOWN, NEW) == "unknown"


def test_history_that_was_not_read_to_its_end_proves_no_divergence() -> None:
    cut = GitRecord.model_validate({"commits": {key: git()["commits"][key] for key in (NEW, APART)}})
    assert relation(cut, NEW, APART) == "unknown"


@settings(max_examples=examples(60), deadline=None, derandomize=True)
@given(parents=st.lists(st.lists(st.integers(0, 7), max_size=2), min_size=8, max_size=8))
def test_relation_agrees_with_a_plain_walk(parents: list[list[int]]) -> None:
    """Any history, merges and circles included."""
    names = [str(number) * 40 for number in range(8)]
    commits = {
        name: {"tree": name, "parents": [names[parent] for parent in before], "message": ""}
        for name, before in zip(names, parents, strict=True)
    }
    record = GitRecord.model_validate({"commits": commits})

    def ancestors(start: str) -> set[str]:
        found, waiting = set(), [start]
        while waiting:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                waiting += commits[one]["parents"]
        return found

    for base in names[:3]:
        for head in names[3:]:
            forward, backward = base in ancestors(head), head in ancestors(base)
            expected = "ahead" if forward else "behind" if backward else "diverged"
            assert relation(record, base, head) == expected


def test_what_changed() -> None:
    raw = git()
    raw["commits"][NEW] |= {"files": ["b", "a"], "message": "Subject\n\nBody"}
    raw["commits"][OLD] |= {"files": ["c", "a"]}
    found = changes_since(GitRecord.model_validate(raw), OLDER, NEW)
    assert (found.relation, found.truncated, found.files) == ("ahead", False, ("a", "b", "c"))
    assert [(one.id, one.subject) for one in found.commits] == [(NEW, "Subject"), (OLD, "Release 1.0.0")]


@pytest.mark.parametrize(("base", "head"), [(NEW, OLD), (NEW, NEW), (NEW, UNKNOWN)])
def test_nothing_is_said_of_what_changed_the_other_way(base: str, head: str) -> None:
    found = changes_since(GIT, base, head)
    assert (found.commits, found.files) == ((), ())


def test_a_merge_tells_the_commits_of_both_sides_once() -> None:
    raw = git()
    merge = "8" * 40
    raw["commits"][merge] = {"tree": merge, "parents": [NEW, APART], "message": "Merge"}
    found = changes_since(GitRecord.model_validate(raw), OLD, merge)
    assert {one.id for one in found.commits} == {merge, NEW, APART}


def test_a_long_history_is_cut_and_says_so() -> None:
    names = [f"{number:040x}" for number in range(80)]
    commits = {
        name: {"tree": name, "parents": names[number - 1 : number] if number else [], "message": ""}
        for number, name in enumerate(names)
    }
    found = changes_since(GitRecord.model_validate({"commits": commits}), names[0], names[-1])
    assert (len(found.commits), found.truncated) == (50, True)


def test_a_commit_is_present_only_with_full_ids() -> None:
    assert isinstance(read_commit_fact(GIT, NEW), Present)
    assert isinstance(read_commit_fact(GIT, UNKNOWN), Absent)
    for key, value in (("tree", "b" * 39), ("tree", ""), ("parents", ["1" * 12])):
        raw = git()
        raw["commits"][NEW][key] = value
        assert isinstance(read_commit_fact(GitRecord.model_validate(raw), NEW), Unreadable)


FILES = {"files": ["docs/a.md"]}


def between(**commits: Any) -> GitRecord:
    """OLDER is told to be behind NEW, and not read: an API tells only what is new."""
    raw = {name: {"tree": name, "message": "", **git()["commits"][name], **more} for name, more in commits.items()}
    return GitRecord.model_validate({"commits": raw, "relations": {f"{OLDER}...{NEW}": "ahead"}})


def test_a_base_that_was_not_read_leaves_nothing_out() -> None:
    found = changes_since(between(**{NEW: FILES, OLD: FILES}), OLDER, NEW)
    assert (len(found.commits), found.files, found.truncated) == (2, ("docs/a.md",), False)


def test_files_that_one_commit_does_not_tell_are_missing() -> None:
    """The newest commit's own files are not those since the release before."""
    found = changes_since(between(**{NEW: FILES, OLD: {"files": None}}), OLDER, NEW)
    assert (found.files, found.truncated) == (("docs/a.md",), True)


def test_files_that_an_api_told_of_the_whole_are_taken() -> None:
    record = between(**{NEW: FILES, OLD: {"files": None}})
    told = record.model_copy(update={"files": {f"{OLDER}...{NEW}": ("shop/web.yaml", "docs/a.md")}})
    found = changes_since(told, OLDER, NEW)
    assert (found.files, found.truncated) == (("docs/a.md", "shop/web.yaml"), False)
    assert changes_since(told, OLD, NEW).files == ("docs/a.md",)
