"""The decision: four layers asked in order, merged into one verdict. Pure.

It reads no clock, no environment and no network: everything it may know stands in its
arguments. The layers behind one that has not passed are pending and are not credited with
older evidence; the one exception is in the readiness layer (a running operation's workloads
may be judged bad).
"""

from dataclasses import dataclass, field, replace
from datetime import datetime

from gate.coherence import check_bundle, fingerprint
from gate.config.model import Policy
from gate.facts.bundle import Asked, Facts
from gate.facts.release import Release
from gate.layers.applied import Applied
from gate.layers.finding import Answer, Clock, Finding, ask, held, pending, result, seen
from gate.layers.intent import Intent, changes, commit_evidence, judge_intent
from gate.layers.readiness.health import check_health
from gate.layers.readiness.judge import Readiness, judge_readiness
from gate.layers.request.judge import judge_requests
from gate.layers.sync import judge_sync
from gate.memory import Memory
from gate.notes import collect_notes
from gate.observed import Present
from gate.outcomes import LAYERS, Layer, Outcome, VerdictWord, merge, severity
from gate.reasons import Reason
from gate.verdict import LayerResult, Verdict

_DENIED_MOMENTS = 3

BEHIND_SYNC = "not judged before sync has passed"
"""The readiness layer's message while no running operation lets it look at workloads."""

_BEHIND = {
    Layer.SYNC: (Reason.AWAITING_INTENT, "not judged before intent has passed"),
    Layer.READINESS: (Reason.AWAITING_SYNC, BEHIND_SYNC),
    Layer.REQUEST: (Reason.AWAITING_READINESS, "not judged before readiness has passed"),
}


@dataclass(frozen=True)
class Decision:
    """The verdict of one moment, and what to remember for the next."""

    verdict: Verdict
    memory: Memory


@dataclass
class _Asking:
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


def _intent(asking: _Asking) -> Answer:
    for one in asking.facts.applications:
        before = one.what in asking.memory.pinned
        asking.intents.append(judge_intent(asking.facts, asking.asked, one, asking.clock, pinned_before=before))
    merged = _together([intent.answer for intent in asking.intents])
    return replace(merged, evidence=(*merged.evidence, *commit_evidence(asking.facts)))


def _sync(asking: _Asking) -> Answer:
    for one in asking.facts.applications:
        asking.syncs.append(judge_sync(asking.facts, asking.asked, one, asking.clock))
    return _together([sync.answer for sync in asking.syncs])


def _readiness(asking: _Asking) -> Answer:
    for one, sync in zip(asking.facts.applications, asking.syncs, strict=True):
        asking.readies.append(judge_readiness(asking.facts, asking.asked, one, sync, asking.clock))
    return _together([ready.answer for ready in asking.readies])


def _request(asking: _Asking) -> Answer:
    finished = [sync.finished_at for sync in asking.syncs if sync.finished_at is not None]
    latest = max(finished, default=None)
    return judge_requests(asking.facts, asking.asked, asking.releases, latest, asking.clock)


def _running(asking: _Asking) -> Answer | None:
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


def _answers(asking: _Asking) -> list[Answer]:
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


def _again(asking: _Asking) -> Finding | None:
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


def _coherent(asking: _Asking, answers: list[Answer]) -> list[Answer]:
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
    void = Answer(finding, answers[1].evidence, answers[1].watched)
    rest = [
        Answer(pending(*_BEHIND[layer]), answer.evidence, answer.watched)
        for layer, answer in zip(LAYERS[2:], answers[2:], strict=True)
    ]
    return [*kept, void, *rest]


def _denied(answers: list[Answer], denied: int) -> list[Answer]:
    """Access that was refused in three moments in a row will not come back by waiting."""
    if denied < _DENIED_MOMENTS:
        return answers
    return [
        replace(answer, finding=replace(answer.finding, final=True))
        if answer.finding.reason is Reason.ACCESS_DENIED
        else answer
        for answer in answers
    ]


def _layers(answers: list[Answer], memory: Memory, facts: Facts) -> tuple[LayerResult, ...]:
    found = []
    for layer, answer in zip(LAYERS, answers, strict=True):
        one = result(layer, answer)
        found.append(one.model_copy(update={"since": memory.since(layer, one.outcome, one.reason, facts.now)}))
    return tuple(found)


def _time_up(layers: tuple[LayerResult, ...]) -> VerdictWord:
    """At the deadline a pending verdict is failed where bad evidence was seen for this commit, else held."""
    bad = any(one.bad for one in layers if one.layer in (Layer.READINESS, Layer.REQUEST))
    return VerdictWord.FAILED if bad else VerdictWord.HELD


@dataclass(frozen=True)
class _Word:
    """The verdict's word before it is dressed."""

    word: VerdictWord
    reason: Reason
    message: str
    final: bool
    layer: Layer | None
    timed_out: bool = False


def _word(layers: tuple[LayerResult, ...], facts: Facts, *, settled: bool, no_op: bool) -> _Word:
    outcome = merge(one.outcome for one in layers)
    if outcome is Outcome.PASSED:
        if settled:
            reason = Reason.NO_OP if no_op else Reason.ALL_LAYERS_AGREE
            message = "all four layers agree about this commit, in two bundles of evidence"
            return _Word(VerdictWord.PASSED, reason, message, final=True, layer=None)
        message = "all four layers passed once; a second agreeing bundle is awaited"
        if facts.deadline:
            return _Word(VerdictWord.HELD, Reason.SETTLING, message, final=True, layer=None, timed_out=True)
        return _Word(VerdictWord.PENDING, Reason.SETTLING, message, final=False, layer=None)
    ending = [one for one in layers if one.final and one.outcome is not Outcome.PASSED]
    if ending:
        first = min(ending, key=lambda one: severity(one.outcome))
        return _Word(VerdictWord(first.outcome.value), first.reason, first.message, final=True, layer=first.layer)
    first = next(one for one in layers if one.outcome is outcome)
    if not facts.deadline:
        return _Word(VerdictWord(outcome.value), first.reason, first.message, final=False, layer=first.layer)
    word = _time_up(layers) if outcome is Outcome.PENDING else VerdictWord(outcome.value)
    if word is VerdictWord.FAILED:
        first = next(one for one in layers if one.bad and one.layer in (Layer.READINESS, Layer.REQUEST))
    return _Word(word, first.reason, first.message, final=True, layer=first.layer, timed_out=True)


def _watched(answers: list[Answer], memory: Memory, facts: Facts) -> dict[str, datetime]:
    keys = {key for answer in answers for key in answer.watched}
    return {key: memory.first_seen.get(key, facts.now) for key in sorted(keys)}


def _remember(asking: _Asking, answers: list[Answer], layers: tuple[LayerResult, ...], denied: int) -> Memory:
    """What the next moment may know; a broken run of agreeing bundles begins anew."""
    facts, memory = asking.facts, asking.memory
    passed = all(one.outcome is Outcome.PASSED for one in layers)
    mark = fingerprint(facts, asking.releases) if passed else ""
    goes_on = passed and memory.agreeing_since is not None and memory.fingerprint == mark
    pinned = {one.what for one, intent in zip(facts.applications, asking.intents, strict=True) if intent.pinned}
    return Memory(
        previous=facts.now,
        first_seen=_watched(answers, memory, facts),
        agreeing_since=memory.agreeing_since if goes_on else (facts.now if passed else None),
        fingerprint=mark,
        denied=denied,
        pinned=memory.pinned | pinned,
        timeline=memory.with_answers(layers, facts.now),
    )


def _clock(facts: Facts, policy: Policy, memory: Memory) -> Clock:
    return Clock(facts.now, dict(memory.first_seen), policy.degraded_grace, policy.settle, memory.previous)


def decide(facts: Facts, asked: Asked, memory: Memory) -> Decision:
    """One moment's verdict for what was asked, given what earlier moments left behind."""
    asking = _Asking(facts, asked, _clock(facts, asked.settings.policy, memory), memory)
    denied = memory.denied + 1 if facts.denied else 0
    answers = _denied(_coherent(asking, _answers(asking)), denied)
    layers = _layers(answers, memory, facts)
    remembered = _remember(asking, answers, layers, denied)
    settled = remembered.settled(remembered.fingerprint, facts.now, asked.settings.policy.settle)
    no_op = any(sync.no_op for sync in asking.syncs)
    word = _word(layers, facts, settled=settled, no_op=no_op)
    verdict = Verdict(
        word=word.word,
        reason=word.reason,
        message=word.message,
        final=word.final,
        environment=asked.environment,
        intended=asked.intended,
        at=facts.now,
        failed_layer=word.layer,
        timed_out=word.timed_out,
        layers=layers,
        applications=tuple(one.what.removeprefix("Application ") for one in facts.applications),
        newer=next((intent.newer for intent in asking.intents if intent.newer is not None), None),
        notes=collect_notes(facts, asked, asking.releases, no_op=no_op),
        commit=facts.commit.value if isinstance(facts.commit, Present) else None,
        changes=changes(facts, asked),
        timeline=remembered.timeline,
    )
    return Decision(verdict, remembered)
