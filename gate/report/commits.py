"""How good, bad and recovered commit stand to each other, by what Git told. Pure: what it did not tell is unknown."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gate.evidence.record import EvidenceFile
from gate.evidence.recorder import merged
from gate.facts.commit import relation
from gate.facts.moment import GitRecord
from gate.render.report.subject import Known, Relations

Patch = Mapping[str, tuple[str, str]]
"""What a commit changed against its first parent: path to mode and object id before and after, as one text each."""

_REVERTS = re.compile(r"\bThis reverts commit ([0-9a-f]{64}|[0-9a-f]{40})\b")


class GitFacts(NamedTuple):
    """What Git told; ``patches`` only where a clone was asked."""

    record: GitRecord
    patches: Mapping[str, Patch]


def recorded_git(files: Iterable[EvidenceFile]) -> GitRecord:
    """What the evidence files hold of Git."""
    record = GitRecord()
    for file in files:
        for part in (None if file.cut is None else file.cut.git, *(poll.git for poll in file.polls)):
            record = merged(record, part)
    return record


def _said(value: bool | None) -> Known:
    return "unknown" if value is None else "yes" if value else "no"


def _tree(git: GitRecord, commit: str) -> str | None:
    raw = git.commits.get(commit)
    return None if raw is None else raw.tree


def _same(one: str | None, other: str | None) -> bool | None:
    return None if one is None or other is None else one == other


def _by_tree(git: GitRecord, bad: str, recovered: str) -> bool | None:
    """Whether recovered, made on top of bad, has the tree from before it.

    Another tree says no only where recovered is bad's very child: else something may have come between.
    """
    was, now = git.commits.get(bad), git.commits.get(recovered)
    if was is None or now is None or not was.parents or relation(git, bad, recovered) != "ahead":
        return None
    same = _same(_tree(git, was.parents[0]), now.tree)
    return same if same is not False or now.parents == (bad,) else None


def _by_patch(patches: Mapping[str, Patch], bad: str, recovered: str) -> bool | None:
    was, now = patches.get(bad), patches.get(recovered)
    if was is None or now is None or not was:
        return None
    return now == {path: (after, before) for path, (before, after) in was.items()}


def _undone(git: GitFacts, bad: str, recovered: str) -> tuple[bool | None, str]:
    by_tree, by_patch = _by_tree(git.record, bad, recovered), _by_patch(git.patches, bad, recovered)
    if by_tree is True:
        return True, "tree"
    if by_patch is True:
        return True, "patch"
    return (False if False in (by_tree, by_patch) else None), ""


def says_revert(git: GitRecord, bad: str, recovered: str) -> bool | None:
    """Whether the recovered commit's message says that it reverts the bad one, by its full id."""
    raw = git.commits.get(recovered)
    return None if raw is None else bad in _REVERTS.findall(raw.message)


def relate(git: GitFacts, good: str, bad: str, recovered: str) -> Relations:
    """How the three stand to each other."""
    undone, undone_by = _undone(git, bad, recovered)
    return Relations(
        good_to_bad=relation(git.record, good, bad),
        bad_to_recovered=relation(git.record, bad, recovered),
        good_to_recovered=relation(git.record, good, recovered),
        same_tree=_said(_same(_tree(git.record, good), _tree(git.record, recovered))),
        undone=_said(undone),
        undone_by=undone_by,  # type: ignore[arg-type]  # one of the three texts above
        says_revert=_said(says_revert(git.record, bad, recovered)),
    )


def contradictions(recorded: GitRecord, looked: GitRecord) -> tuple[str, ...]:
    """Where evidence says of a commit what the repository does not: a full id stands for one content only."""
    found = []
    for commit, ours in recorded.commits.items():
        theirs = looked.commits.get(commit)
        if theirs is not None and (ours.tree, ours.parents) != (theirs.tree, theirs.parents):
            found.append(
                f"The evidence says that commit {commit} has the tree {ours.tree}; the repository says {theirs.tree}."
                if ours.tree != theirs.tree
                else f"The evidence names other parents of commit {commit} than the repository."
            )
    return tuple(found)
