"""The question that a proposed change asks of an environment: does it run what the change would promote?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gate.errors import ConfigurationError, UsageError
from gate.outcomes import Layer, Outcome, VerdictWord
from gate.pin.beside import is_beside, makes
from gate.pin.promotion import Promotion, Side, decide_promotion, nothing, pin_files, pinned_in
from gate.reasons import Reason
from gate.verdict import LayerResult, Verdict

if TYPE_CHECKING:  # PyGithub is slow to import, and a laptop does without
    from gate.adapters.github.client import GitHubClient
    from gate.app.comparison import Comparison
    from gate.app.configuration import Chosen
    from gate.app.options import CheckOptions
    from gate.config.event import Run

_BEHIND = (
    (Layer.SYNC, Reason.AWAITING_INTENT, "not judged before intent has passed"),
    (Layer.READINESS, Reason.AWAITING_SYNC, "not judged before sync has passed"),
    (Layer.REQUEST, Reason.AWAITING_READINESS, "not judged before readiness has passed"),
)


@dataclass(frozen=True)
class Question:
    """What is asked in the end: ``options`` with the revision that is meant, or the verdict that there is already."""

    options: CheckOptions
    promotion: Promotion | None = None
    ended: Verdict | None = None

    def told(self, verdict: Verdict) -> Verdict:
        """The environment's verdict, saying what it was asked for."""
        return verdict if self.promotion is None else _told(self.promotion, verdict)


async def ask(
    chosen: Chosen, options: CheckOptions, run: Run | None, client: GitHubClient | None, *, pinned: bool = False
) -> Question:
    """The question about the chosen environment: for a promotion, whether it runs what would be promoted.

    ``run`` of None: the revision stands already. ``pinned``: it is what a bump wrote, and nobody else asks about it.
    Raises UsageError and AccessError.
    """
    if run is None or client is None:
        return Question(options)
    promotion = await find_promotion(client, run, chosen, options.revision)
    if promotion is None:
        return Question(options)
    if promotion.revision is not None and options.revision not in (None, promotion.revision):
        raise _contradiction(options.revision, promotion, run, pinned=pinned)
    if promotion.revision is not None and chosen.settings.approval.required and not options.approving:
        message = f"{promotion.message}, which takes an approval: approval.required is set for {chosen.name}"
        promotion = Promotion(following=promotion.following, message=message, reason=Reason.APPROVAL_REQUIRED)
    ended = ended_promotion(promotion, chosen.name, datetime.now(UTC))
    return Question(replace(options, revision=promotion.revision), promotion, ended)


def is_pull(run: Run) -> bool:
    """Whether the run is about what a pull request proposes."""
    return run.event.startswith("pull_request") or run.event == "merge_group" or run.pull_request is not None


async def find_promotion(client: GitHubClient, run: Run, chosen: Chosen, given: str | None) -> Promotion | None:
    """What the reported commit would promote from the chosen environment; None where that is not the question.

    It is not for a commit of the branch that promotions go into, for an environment that promotes to none of
    the file, and where the next one has a branch of its own: then the commit to judge is what the head pins,
    unless it would bring along what that says nothing about.
    The branch that a pull request goes into does not count: its author can change it, and the status stays.
    ``given`` is a revision that a person named. Raises UsageError and AccessError.
    """
    following = chosen.following
    if run.reported is None or following is None:
        return None
    from gate.adapters.github.reading import GitHubRepository

    repository = GitHubRepository(client, run.repository)
    if following.settings.apart(chosen.settings):
        from gate.app.apart import find_obstacle

        return await find_obstacle(repository, chosen, following, run.reported, given)
    if run.proposed_to is None:
        return None
    from gate.app.comparison import compare, open_target

    target = await open_target(repository, following.settings.branch or run.proposed_to)
    found = await compare(target, run.reported)
    if found.contained and not is_pull(run):
        return None
    if not pinned_in(following.settings):
        raise no_pin(following.name)
    promotion = await read_promotion(found, Side(name=chosen.name, settings=chosen.settings), following)
    if promotion.reason is Reason.NOTHING_TO_GATE and given is not None and not is_pull(run):
        return None
    return promotion


def _contradiction(given: str | None, promotion: Promotion, run: Run, *, pinned: bool) -> UsageError:
    """The error for a commit that promotes something else than what is to be judged."""
    if pinned:
        return UsageError(
            f"The pin of {given} is written, and at {run.commit} {promotion.message}.",
            means="a pin of the next environment was changed there as well, and the status of what was pinned would"
            " stand for that too, on the head of a pull request.",
            change=f"take the change of {promotion.following} off that branch, and propose it by itself; or have pins"
            " written to another branch (bump.branch).",
        )
    return UsageError(
        f"The revision {given} was given, and {promotion.message}.",
        means="what a change promotes is read from the change itself.",
        change="leave the revision out, or give it on a branch that promotes nothing.",
    )


async def read_promotion(found: Comparison, here: Side, following: Side, *, apart: bool = False) -> Promotion:
    """What a commit would promote from one environment to the next, ``apart`` on a branch of its own.

    Raises AccessError.
    """
    paths = pin_files(here, following)
    if await found.leaves(pin_files(following)):
        promotion = nothing(following.name, f"the change touches no file that pins {following.name}")
    else:
        promotion = decide_promotion(here, following, {path: await found.read(path) for path in paths}, apart=apart)
    if promotion.revision is None and promotion.reason is not Reason.NOTHING_TO_GATE:
        return promotion
    return await _made_elsewhere(found, following) or promotion


async def _made_elsewhere(found: Comparison, following: Side) -> Promotion | None:
    """Why a change is held that has another file make an Application of the next environment as well."""
    for target in pinned_in(following.settings):
        beside = [path for path in sorted(found.changed or ()) if is_beside(path, target)]
        for path in (one for one in beside if one not in following.known_files):
            text = await found.head.read(path)
            if text is None or not makes(text, target, following.settings):
                continue
            if target.pin is not None and text != await found.head.read(target.pin.file):  # or it is behind that link
                return Promotion(
                    following=following.name,
                    message=f"{path}, which the change touches, makes Application {target.name} of {following.name} as"
                    " well, beside its pin.file",
                    reason=Reason.PROMOTES_MORE_THAN_THE_PIN,
                )
    return None


def no_pin(name: str) -> ConfigurationError:
    """The error for an environment that changes of pins cannot promote to."""
    return ConfigurationError(
        f"{name} has no pin.file, so that what a pull request promotes to it cannot be found out.",
        means="its Applications are found by a selector, or the manifests stand elsewhere.",
        change="list them by name with pin: {file: ...}; with a branch for each environment, name it with branch.",
    )


def ended_promotion(promotion: Promotion, environment: str, now: datetime) -> Verdict | None:
    """The verdict on a change that needs no look at the cluster; None where it does."""
    if promotion.reason is None:
        return None
    if promotion.reason is Reason.NOTHING_TO_GATE:
        return Verdict(
            word=VerdictWord.PASSED,
            reason=promotion.reason,
            message=promotion.message,
            final=True,
            environment=environment,
            intended="",
            at=now,
        )
    first = LayerResult(
        layer=Layer.INTENT,
        outcome=Outcome.HELD,
        reason=promotion.reason,
        message=promotion.message,
        final=True,
        since=now,
    )
    rest = (
        LayerResult(layer=layer, outcome=Outcome.PENDING, reason=reason, message=message, since=now)
        for layer, reason, message in _BEHIND
    )
    return Verdict(
        word=VerdictWord.HELD,
        reason=promotion.reason,
        message=promotion.message,
        final=True,
        environment=environment,
        intended="",
        at=now,
        failed_layer=Layer.INTENT,
        layers=(first, *rest),
    )


def _told(promotion: Promotion, verdict: Verdict) -> Verdict:
    note = f"{promotion.message[:1].upper()}{promotion.message[1:]}; {verdict.environment} was judged for it."
    message = verdict.message
    if verdict.word is not VerdictWord.PASSED:
        message = f"{message}; also: {promotion.message}"
    notes = (note, *verdict.notes) if verdict.layers else verdict.notes
    return verdict.model_copy(update={"message": message, "notes": notes})
