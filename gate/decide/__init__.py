"""The decision: four layers asked in order, merged into one verdict. Pure.

It reads no clock, no environment and no network: everything it may know stands in its
arguments.
"""

from dataclasses import dataclass
from datetime import datetime

from gate.coherence import fingerprint
from gate.config.model import Policy
from gate.decide.asking import Asking, ask_layers, void_incoherent
from gate.decide.word import choose_word, end_denied
from gate.facts.bundle import Asked, Facts
from gate.facts.release import Release
from gate.layers.finding import Answer, Clock, result
from gate.layers.intent import changes
from gate.memory import Memory
from gate.notes import collect_notes
from gate.observed import Present
from gate.outcomes import LAYERS, Outcome
from gate.verdict import LayerResult, Verdict


@dataclass(frozen=True)
class Decision:
    """The verdict of one moment, what to remember for the next, and the facts and releases it rests on."""

    verdict: Verdict
    memory: Memory
    facts: Facts
    releases: tuple[Release, ...]


def _layers(answers: list[Answer], memory: Memory, facts: Facts) -> tuple[LayerResult, ...]:
    found = []
    for layer, answer in zip(LAYERS, answers, strict=True):
        one = result(layer, answer)
        found.append(one.model_copy(update={"since": memory.since(layer, one.outcome, one.reason, facts.now)}))
    return tuple(found)


def _watched(answers: list[Answer], memory: Memory, facts: Facts) -> dict[str, datetime]:
    keys = {key for answer in answers for key in answer.watched}
    return {key: memory.first_seen.get(key, facts.now) for key in sorted(keys)}


def _remember(asking: Asking, answers: list[Answer], layers: tuple[LayerResult, ...], denied: int) -> Memory:
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
    asking = Asking(facts, asked, _clock(facts, asked.settings.policy, memory), memory)
    denied = memory.denied + 1 if facts.denied else 0
    answers = end_denied(void_incoherent(asking, ask_layers(asking)), denied)
    layers = _layers(answers, memory, facts)
    remembered = _remember(asking, answers, layers, denied)
    settled = remembered.settled(remembered.fingerprint, facts.now, asked.settings.policy.settle)
    no_op = any(sync.no_op for sync in asking.syncs)
    word = choose_word(layers, facts, settled=settled, no_op=no_op)
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
    return Decision(verdict, remembered, facts, asking.releases)
