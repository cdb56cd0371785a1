"""What to do next: the catalogue's advice with real names, and when a revert may be offered. Pure.

Names go into commands that people copy, so only what is a Kubernetes name, a full commit id or
a known kind is ever filled in; what is not known keeps its angle brackets.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from gate.catalogue import load_catalogue
from gate.outcomes import Layer, VerdictWord
from gate.reasons import Reason
from gate.render.words import failing, findings, word_of
from gate.verdict import Changes, Verdict

_NAME = r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?"
_OBJECT = re.compile(
    rf"\b(Application|Deployment|Pod|Service|AppProject) ({_NAME})/({_NAME})(?![\w/-])( \(old\)| of an older)?"
)
_LONGEST, _MOST_EVIDENCE = 2000, 500
_FULL_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_PLACEHOLDER = re.compile(r"<[a-z-]+>")
# Paths that look as if the change touches data: then a revert is not a matter of Git alone.
_DATA = re.compile(
    r"(?i)migrat|schema|\.sql$|statefulset|persistent|pvc|volume|backup|restore|databas|(^|/)dbs?(/|$)|postgres|mysql"
    r"|mongo|redis|kafka|elastic|liquibase|flyway|alembic|seed"
)
_MAY_HAVE_CHANGED_DATA = (Reason.HOOK_FAILED, Reason.ROLLED_BACK)


class Revert(NamedTuple):
    """``command`` where a revert may be offered, else None; ``why`` says in words on what that rests."""

    command: str | None
    why: str


def _texts(verdict: Verdict) -> Iterator[str]:
    """Texts that name objects, the most telling first."""
    worst = failing(verdict)
    layers = verdict.layers if worst is None else (worst, *(layer for layer in verdict.layers if layer is not worst))
    for layer in layers:
        yield from findings(layer.message)
        for one in layer.evidence[:_MOST_EVIDENCE]:
            yield one.subject[:_LONGEST]
            yield one.value[:_LONGEST]
    yield from (f"Application {name}" for name in verdict.applications)


def known_names(verdict: Verdict) -> dict[str, str]:
    """Placeholder to name, for every placeholder of the catalogue that the evidence knows."""
    found: dict[str, str] = {}
    if _FULL_ID.fullmatch(verdict.intended) is not None:
        found["<revision>"] = verdict.intended
    for text in _texts(verdict):
        for kind, namespace, name, old in _OBJECT.findall(text):
            if kind == "AppProject":
                found.setdefault("<project>", name)
            elif kind == "Application":
                if "<application>" not in found:
                    found |= {"<argocd-namespace>": namespace, "<application>": name}
            elif not old and found.setdefault("<namespace>", namespace) == namespace:
                found.setdefault(f"<{kind.lower()}>", name)
    return found


def commands(verdict: Verdict) -> tuple[str, ...]:
    """Commands that only read, with the names filled in; first what the release changed, where that is known."""
    names = known_names(verdict)
    wanted = list(load_catalogue()[verdict.reason].commands)
    worst = failing(verdict)
    if word_of(verdict) is VerdictWord.FAILED and worst is not None and worst.layer is not Layer.INTENT:
        base = None if verdict.changes is None else verdict.changes.since
        known = base is not None and _FULL_ID.fullmatch(base) is not None
        look = f"git diff {base} <revision>" if known else "git show --stat <revision>"
        wanted = [look, *(command for command in wanted if not command.startswith("git show"))]
    return tuple(_PLACEHOLDER.sub(lambda match: names.get(match[0], match[0]), command) for command in wanted)


def data_files(changes: Changes) -> tuple[str, ...]:
    """Changed files whose path looks as if they have to do with data."""
    return tuple(path for path in changes.files if _DATA.search(path) is not None)


def revert(verdict: Verdict) -> Revert | None:
    """Whether to offer a revert; None where the verdict is no fault of this commit's.

    It is offered only where the fault came with a change that is known whole and in which
    nothing looks like data.
    """
    worst = failing(verdict)
    if word_of(verdict) is not VerdictWord.FAILED or worst is None or worst.layer is Layer.INTENT or not worst.bad:
        return None
    changes = verdict.changes
    if verdict.reason in _MAY_HAVE_CHANGED_DATA:
        return Revert(None, "it is not known whether data was changed on the way")
    if changes is None or changes.relation != "ahead" or len(changes.commits) == 0:
        return Revert(None, "it is not known what this release changed against the one before")
    if len(changes.files) == 0:
        return Revert(None, "it is not known which files this release changed")
    if changes.truncated:
        return Revert(None, "the change is too large to be seen whole")
    if len(data_files(changes)) > 0:
        return Revert(None, "this release changed files that look as if they have to do with data")
    return _offer(verdict, changes)


def _offer(verdict: Verdict, changes: Changes) -> Revert:
    parts = (verdict.intended, changes.since, *(commit.id for commit in changes.commits))
    if not all(_FULL_ID.fullmatch(part) for part in parts):
        return Revert(None, "the ids of the commits are not known")
    if len(changes.commits) > 1:
        command = f"git revert --no-edit {changes.since}..{verdict.intended}"
        return Revert(command, f"the fault came with {len(changes.commits)} commits in which nothing looks like data")
    only = changes.commits[0]
    merge = "-m 1 " if len(only.parents) > 1 else ""
    return Revert(
        f"git revert --no-edit {merge}{only.id}", "the fault came with one commit in which nothing looks like data"
    )
