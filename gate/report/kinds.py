"""How the service came to be well again: told by what was recorded of Git and of operations. Pure."""

from collections.abc import Iterator

from gate.evidence.record import EvidenceFile
from gate.reasons import Reason
from gate.render.report.subject import KIND_WORDS, Kind, Relations, Role
from gate.render.words import full_time, short_id
from gate.verdict import Verdict

_BY_REASON: dict[Reason, Kind] = {
    Reason.ROLLED_BACK: Kind.ROLLBACK,
    Reason.NOT_MENDED: Kind.HAND_EDIT,
    Reason.PIN_MOVED_BACK: Kind.PIN_MOVED_BACK,
}

DOES_NOT_REPAIR: dict[Kind, str] = {
    Kind.ROLLBACK: "an older revision was applied, Git still says the other one, and the next sync brings that back",
    Kind.HAND_EDIT: "the live objects are not what Git says, so that self-heal or the next sync undoes it",
    Kind.PIN_MOVED_BACK: "an older commit is pinned again, and the next release is still built on the other one",
}
"""Why these kinds do not repair what Git says."""


def kind_of_verdict(verdict: Verdict) -> Kind | None:
    """The kind that a verdict which is not passed tells of; None where it tells of none."""
    reasons = [verdict.reason, *(layer.reason for layer in verdict.layers)]
    return next((_BY_REASON[reason] for reason in reasons if reason in _BY_REASON), None)


def kind_by_git(relations: Relations, bad: str) -> tuple[Kind, str]:
    """The kind of a recovery that passed on its own evidence, by how its commit stands to the bad one; in words."""
    called = short_id(bad)
    if relations.bad_to_recovered == "behind":
        return Kind.PIN_MOVED_BACK, f"the recovered commit is an ancestor of {called}"
    if relations.bad_to_recovered == "diverged":
        return Kind.ROLL_FORWARD, f"a commit of another line of history, which does not hold {called}"
    if relations.bad_to_recovered != "ahead":
        return Kind.UNKNOWN, f"Git did not tell how the recovered commit stands to {called}"
    on_top = f"a new commit on top of {called}"
    by = "its tree is the one from before" if relations.undone_by == "tree" else "its patch is that one turned round"
    if relations.undone == "yes" and relations.says_revert == "yes":
        return Kind.REVERT, f"{on_top} whose message says that it reverts it, and {by}"
    if relations.undone == "yes":
        said = f"{on_top} that takes back exactly what it changed ({by}); its message does not say so"
    elif relations.says_revert == "yes":
        doubt = "is not known" if relations.undone == "unknown" else "is not so"
        said = f"{on_top} whose message says that it reverts it; that it takes back exactly that {doubt}"
    else:
        said = on_top
    return Kind.ROLL_FORWARD, said


def detours(files: dict[Role, EvidenceFile]) -> Iterator[str]:
    """What else was seen on the way that does not repair what Git says."""
    for role in ("bad", "recovered"):
        seen = set[Kind]()
        for turn in files[role].verdict.timeline:
            kind = _BY_REASON.get(turn.reason)
            if kind is not None and kind not in seen:
                seen.add(kind)
                said = f"{KIND_WORDS[kind]} ({DOES_NOT_REPAIR[kind]})"
                yield f"In the evidence of the {role} commit, seen at {full_time(turn.at)}: {said}."
