"""How long a commit has passed without a break, by all that is known of its environment. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from gate.config.digest import environment_digest
from gate.outcomes import VerdictWord
from gate.render.words import full_time

if TYPE_CHECKING:
    from gate.config.model import Environment
    from gate.evidence.record import EvidenceFile

SKEW = timedelta(minutes=1)
"""How far the clocks of two runners, or of a runner and GitHub, may be apart."""


@dataclass(frozen=True)
class Wanted:
    """What the evidence has to be about: ``settings`` are those in force now, ``commit`` is what would be promoted.

    ``soak`` of None: there is no such time. ``now`` is in UTC. ``head`` is the commit that the approval itself
    reports on; None on a laptop.
    """

    environment: str
    commit: str
    settings: Environment
    max_age: timedelta
    soak: timedelta | None
    now: datetime
    head: str | None = None


class Unbroken(NamedTuple):
    """The newest verdicts that passed one after the other, newest first, and in words what was before them."""

    passes: tuple[EvidenceFile, ...]
    broken: str


def same_settings(evidence: EvidenceFile, wanted: Wanted) -> bool:
    """Whether a verdict was given by the settings in force."""
    return evidence.asked.settings_digest == digest_in_force(evidence, wanted.settings)


def digest_in_force(evidence: EvidenceFile, settings: Environment) -> str:
    """That of the settings with the evidence's timeout: a workflow may give another, and it loosens nothing."""
    return environment_digest(settings.model_copy(update={"timeout": evidence.environment.timeout}))


def applications_of(evidence: EvidenceFile) -> dict[str, str]:
    """The Applications that the last look saw: namespace and name to uid."""
    last = evidence.polls[-1].applications if evidence.polls else ()
    return dict(named(evidence.objects[number]) for number in last)


def named(application: dict[str, object]) -> tuple[str, str]:
    """Namespace and name of an Application, and its uid; "" for what it does not have."""
    metadata = application.get("metadata")
    place = metadata if isinstance(metadata, dict) else {}
    return f"{place.get('namespace', '')}/{place.get('name', '')}", str(place.get("uid", ""))


def unbroken(seen: Sequence[EvidenceFile], wanted: Wanted, lost: datetime | None = None) -> Unbroken:
    """The passes of the commit up to the first break; ``seen`` are verdicts of the environment, newest first.

    ``lost`` is when GitHub last heard of a verdict that is none of a pass, its evidence known or not. A verdict on
    another commit is a break where that one was pinned: so this one was not.
    """
    passes: list[EvidenceFile] = []
    for one in seen:
        other = one.verdict.intended != wanted.commit
        if other and not one.was_pinned:
            continue
        why = "pinned to another commit" if other else _why_not(one, passes, wanted)
        if why != "":
            return Unbroken(tuple(passes), f"before, at {full_time(one.verdict.at)}, it was {why}")
        if lost is not None and one.verdict.at < lost + SKEW:
            return Unbroken(
                tuple(passes), f"before, at {full_time(lost)}, GitHub was told of a verdict that is not passed"
            )
        passes.append(one)
    return Unbroken(tuple(passes), "")


def _why_not(one: EvidenceFile, passes: list[EvidenceFile], wanted: Wanted) -> str:
    """Why a verdict on the commit is no pass that counts; "" where it is one."""
    verdict = one.verdict
    said = f"{verdict.word.value} ({verdict.reason.value}"
    if not same_settings(one, wanted):
        return f"{said}, by other settings)"
    if passes and applications_of(one) != applications_of(passes[0]):
        return f"{said}, of other Applications)"
    return "" if verdict.word is VerdictWord.PASSED else f"{said})"
