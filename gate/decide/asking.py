"""Asking the four layers in order, for every Application, and merging what they say. Pure.

The layers behind one that has not passed are pending and are not credited with older evidence.
The one exception: what a running operation at the intended commit has applied may be judged bad.
"""

from dataclasses import dataclass, field, replace

from gate.coherence import check_bundle
from gate.facts.bundle import Asked, Facts
from gate.facts.release import Release
from gate.layers.applied import Applied
from gate.layers.finding import TWICE, Answer, Clock, Finding, ask, held, pending, seen
from gate.layers.intent import Intent, commit_evidence, judge_intent
from gate.layers.readiness.health import check_health
from gate.layers.readiness.judge import Readiness, check_expected, judge_readiness
from gate.layers.request.judge import judge_requests
from gate.layers.sync import judge_sync
from gate.memory import Memory
from gate.outcomes import LAYERS, Layer, Outcome, severity
from gate.reasons import Reason

BEHIND_SYNC = "not judged before sync has passed"
"""The readiness layer's message while no running operation lets it look at workloads."""

_BEHIND = {
    Layer.SYNC: (Reason.AWAITING_INTENT, "not judged before intent has passed"),
    Layer.READINESS: (Reason.AWAITING_SYNC, BEHIND_SYNC),
    Layer.REQUEST: (Reason.AWAITING_READINESS, "not judged before readiness has passed"),
}


@dataclass
class Asking:
    """The layers as they are asked, one after another."""

    facts: Facts
    asked: Asked
    clock: Clock
    memory: Memory
    intents: list[Intent] = field(default_factory=list)
    syncs: list[Applied] = field(default_factory=list)
    readies: list[Readiness] = field(default_factory=list)

    @property
    def releases(self) -> tuple[Release, ...]:
        """All releases of all Applications."""
        return tuple(release for ready in self.readies for release in ready.releases)


def _grave(answer: Answer) -> tuple[int, int]:
    """A final bad answer before any other, then the worst."""
    one = answer.finding
    return (0 if one.final and one.outcome is not Outcome.PASSED else 1, severity(one.outcome))


def _together(answers: list[Answer]) -> Answer:
    """The answers of all Applications as one: the gravest, with everybody's evidence."""
    if not answers:
        return Answer(held(Reason.NO_APPLICATION, "no Application is configured or selected"))
    chosen = min(answers, key=_grave)
    passed = chosen.finding.outcome is Outcome.PASSED and len(answers) > 1
    message = "; ".join(answer.finding.message for answer in answers) if passed else chosen.finding.message
    return Answer(
        replace(chosen.finding, message=message, bad=any(answer.finding.bad for answer in answers)),
        tuple(row for answer in answers for row in answer.evidence),
        frozenset(key for answer in answers for key in answer.watched),
    )


def _intent(asking: Asking) -> Answer:
    for one in asking.facts.applications:
        before = one.what in asking.memory.pinned
        asking.intents.append(judge_intent(asking.facts, asking.asked, one, asking.clock, pinned_before=before))
    merged = _together([intent.answer for intent in asking.intents])
    return replace(merged, evidence=(*merged.evidence, *commit_evidence(asking.facts)))


def _sync(asking: Asking) -> Answer:
    for one in asking.facts.applications:
        asking.syncs.append(judge_sync(asking.facts, asking.asked, one, asking.clock))
    return _together([sync.answer for sync in asking.syncs])


def _readiness(asking: Asking) -> Answer:
    for one, sync in zip(asking.facts.applications, asking.syncs, strict=True):
        asking.readies.append(judge_readiness(asking.facts, asking.asked, one, sync, asking.clock))
    answers = [ready.answer for ready in asking.readies]
    if len(answers) > 1:
        answers += map(Answer, check_expected(asking.asked, "the Applications", asking.releases))
    return _together(answers)


def _request(asking: Asking) -> Answer:
    finished = [sync.finished_at for sync in asking.syncs if sync.finished_at is not None]
    latest = max(finished, default=None)
    return judge_requests(asking.facts, asking.asked, asking.releases, latest, asking.clock)


def _running(asking: Asking) -> Answer | None:
    """The readiness layer's word on what running operations at the intended commit have applied."""
    running = [
        (one, sync)
        for one, sync in zip(asking.facts.applications, asking.syncs, strict=True)
        if sync.running_at_intended
    ]
    if not running:
        return None
    asking.readies = [judge_readiness(asking.facts, asking.asked, one, sync, asking.clock) for one, sync in running]
    answer = _together([ready.answer for ready in asking.readies])
    if answer.finding.outcome is Outcome.PASSED:
        raise AssertionError("a running operation's workloads may never pass")
    return answer


def ask_layers(asking: Asking) -> list[Answer]:
    """One answer for each layer, in order."""
    answers: list[Answer] = []
    for layer, judge in zip(LAYERS, (_intent, _sync, _readiness, _request), strict=True):
        behind = bool(answers) and answers[-1].finding.outcome is not Outcome.PASSED
        if not behind:
            answers.append(judge(asking))
            continue
        reason, message = _BEHIND[layer]
        waiting = Answer(pending(reason, message))
        running = _running(asking) if layer is Layer.READINESS and asking.syncs else None
        answers.append(running if running is not None else waiting)
    return answers


def _again(asking: Asking) -> Finding | None:
    """The second read of each Application must still say what the first one said in layers 1 and 2."""
    for one in asking.facts.applications:
        if one.again is None:
            continue
        later = replace(one, first=one.again)
        intent = judge_intent(asking.facts, asking.asked, later, asking.clock, pinned_before=False)
        sync = judge_sync(asking.facts, asking.asked, later, asking.clock)
        health = ask((lambda later=later: check_health(seen(later.first), later.what),))  # type: ignore[misc]
        for finding in (intent.answer.finding, sync.answer.finding, *health):
            if finding.outcome is not Outcome.PASSED:
                return pending(Reason.BUNDLE_MOVED, f"at the end of the bundle: {finding.message}")
    return None


def _lasting(answer: Answer) -> frozenset[str]:
    """What is watched beyond a void bundle: for how long something has been bad, not in how many sound bundles."""
    return frozenset(key for key in answer.watched if not key.startswith(TWICE))


def void_incoherent(asking: Asking, answers: list[Answer]) -> list[Answer]:
    """What a void bundle says counts for nothing: neither a pass nor an early failure."""
    judged = [answer for answer in answers if answer.finding.outcome is not Outcome.PENDING]
    if not asking.syncs or not judged or not asking.readies:
        return answers
    finding = check_bundle(asking.facts, asking.releases)
    if finding is None and all(answer.finding.outcome is Outcome.PASSED for answer in answers):
        finding = _again(asking)
    if finding is None:
        return answers
    if finding.reason is Reason.BUNDLE_NOT_CLOSED and any(
        answer.finding.outcome is not Outcome.PASSED for answer in answers
    ):
        return answers
    kept = answers[:1]
    void = Answer(finding, answers[1].evidence, _lasting(answers[1]))
    rest = [
        Answer(pending(*_BEHIND[layer]), answer.evidence, _lasting(answer))
        for layer, answer in zip(LAYERS[2:], answers[2:], strict=True)
    ]
    return [*kept, void, *rest]
