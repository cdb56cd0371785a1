"""What Git says about commits: one commit in words, and how two commits are related. Pure."""

from collections import deque
from typing import Literal

from gate.facts.moment import GitRecord, RawCommit
from gate.facts.upstream import is_full_id
from gate.observed import Absent, Observed, Present, Unreadable
from gate.verdict import Changes, CommitSummary

Relation = Literal["ahead", "behind", "identical", "diverged", "unknown"]

_MOST_COMMITS = 50


def summarise(commit_id: str, raw: RawCommit) -> CommitSummary:
    """A raw commit to its summary; the subject is the first line of the message."""
    subject, _, _ = raw.message.strip().partition("\n")
    return CommitSummary(
        id=commit_id,
        tree=raw.tree,
        parents=raw.parents,
        subject=subject,
        author=raw.author,
        committed_at=raw.committed_at,
    )


def read_commit_fact(git: GitRecord, commit_id: str) -> Observed[CommitSummary]:
    """The commit, if Git has it with a full tree id and full parent ids."""
    what = f"commit {commit_id}"
    raw = git.commits.get(commit_id)
    if raw is None:
        return Absent(what=what)
    if not is_full_id(raw.tree):
        return Unreadable(what=what, field="tree", error="is not a full object id")
    if not all(is_full_id(parent) for parent in raw.parents):
        return Unreadable(what=what, field="parents", error="holds something that is not a full commit id")
    return Present(value=summarise(commit_id, raw))


def _reaches(git: GitRecord, start: str, goal: str) -> bool | None:
    """Whether ``goal`` is an ancestor of ``start`` (or it itself); None when history ends unread."""
    seen = {start}
    queue = deque([start])
    complete = True
    while queue:
        current = queue.popleft()
        if current == goal:
            return True
        raw = git.commits.get(current)
        if raw is None:
            complete = False
            continue
        for parent in raw.parents:
            if parent not in seen:
                seen.add(parent)
                queue.append(parent)
    return False if complete else None


def relation(git: GitRecord, base: str, head: str) -> Relation:
    """How ``head`` stands to ``base``: ``ahead`` means that base is an ancestor of head."""
    if base == head:
        return "identical"
    known = git.relations.get(f"{base}...{head}")
    if known in ("ahead", "behind", "identical", "diverged"):
        return known  # type: ignore[return-value]  # narrowed by the membership test above
    forward = _reaches(git, head, base)
    backward = _reaches(git, base, head)
    if forward is True:
        return "ahead"
    if backward is True:
        return "behind"
    return "diverged" if forward is False and backward is False else "unknown"


def changes_since(git: GitRecord, base: str, head: str) -> Changes:
    """The commits between ``base`` and ``head``, newest first, with the files they change.

    ``truncated`` also where the files of one of the commits are not known.
    """
    word = relation(git, base, head)
    if word not in ("ahead", "diverged"):
        return Changes(since=base, relation=word)
    commits, whole = _between(git, base, head)
    told = git.files.get(f"{base}...{head}")
    if told is None:
        whole = whole and all(raw.files is not None for raw in commits.values())
        told = tuple({file for raw in commits.values() for file in raw.files or ()})
    else:
        whole = True  # what was not read of history was there before
    shown = list(commits.items())[:_MOST_COMMITS]
    return Changes(
        since=base,
        relation=word,
        commits=tuple(summarise(commit_id, raw) for commit_id, raw in shown),
        files=tuple(sorted(told)),
        truncated=not whole or len(commits) > _MOST_COMMITS,
    )


def _between(git: GitRecord, base: str, head: str) -> tuple[dict[str, RawCommit], bool]:
    """What ``head`` has and ``base`` has not, one more than is shown at most; whether all of it was read."""
    found: dict[str, RawCommit] = {}
    seen, queue, whole = {head}, deque([head]), True
    while queue and len(found) <= _MOST_COMMITS:
        current = queue.popleft()
        if current == base or _reaches(git, base, current) is True:
            continue
        raw = git.commits.get(current)
        if raw is None:
            whole = False
            continue
        found[current] = raw
        queue.extend(parent for parent in raw.parents if parent not in seen)
        seen.update(raw.parents)
    return found, whole
