"""Making the evidence file of a run that has ended, from what its recorder kept."""

from dataclasses import dataclass
from datetime import datetime

from gate.config.digest import environment_digest
from gate.evidence.record import NO_DIGEST, SCHEMA, AskedFacts, EvidenceFile, RunFacts, canonical, with_digest
from gate.evidence.recorder import Recorder
from gate.evidence.redecide import ENDED, follow
from gate.evidence.scrub import clean_settings
from gate.facts.bundle import Asked
from gate.secrecy import Secrets
from gate.verdict import Verdict

LARGEST = 1024 * 1024
"""Bytes of recorded looks; above it older ones are cut until two are left."""


@dataclass(frozen=True)
class Made:
    """The file, and whether its verdict follows from what it records (else the fault is ours)."""

    evidence: EvidenceFile
    follows: bool


def _asked(asked: Asked, secrets: Secrets) -> AskedFacts:
    settings = asked.settings.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return AskedFacts(
        settings=clean_settings(settings, secrets),
        settings_digest=environment_digest(asked.settings),
        deadline_at=asked.deadline_at,
    )


def _size(evidence: EvidenceFile) -> int:
    plain = evidence.model_dump(mode="json", by_alias=True, include={"objects", "polls"})
    return len(canonical(plain))


def _same(ours: Verdict, theirs: Verdict) -> bool:
    """Whether two verdicts say the same; texts may differ by what was made fit to be kept."""

    def said(verdict: Verdict) -> object:
        layers = [(one.layer, one.outcome, one.reason, one.final, one.since) for one in verdict.layers]
        return verdict.word, verdict.reason, verdict.final, verdict.failed_layer, verdict.timed_out, layers

    return said(ours) == said(theirs)


def make_evidence(
    recorder: Recorder, verdict: Verdict, run: RunFacts, at: datetime, secrets: Secrets | None = None
) -> Made:
    """The evidence of this verdict. The verdict in it is the one that its own records give.

    ``secrets`` are hidden in the settings and in the message of a run that an error ended; what the recorder
    kept is clean already.
    """
    hidden = Secrets() if secrets is None else secrets
    asked = _asked(recorder.asked, hidden)
    ended = verdict.without(hidden) if verdict.word in ENDED else verdict
    while True:
        objects, polls, cut = recorder.polls()
        evidence = EvidenceFile(
            schema_name=SCHEMA,
            recorded_at=at,
            run=run,
            asked=asked,
            verdict=ended,
            objects=objects,
            polls=polls,
            cut=cut,
            digest=NO_DIGEST,
        )
        if recorder.length <= 2 or _size(evidence) <= LARGEST:
            break
        recorder.cut_oldest()
    decided = follow(evidence)
    follows = decided is None or _same(decided, ended)
    kept = decided if decided is not None and follows else verdict.without(hidden)
    return Made(with_digest(evidence.model_copy(update={"verdict": kept})), follows)
