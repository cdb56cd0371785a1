"""Evidence files of recordings, made as a run makes them."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gate.evidence.making import Made, make_evidence
from gate.evidence.page import page_of
from gate.evidence.predicate import predicate_of
from gate.evidence.record import EvidenceFile, RunFacts, digest_of, parse_evidence
from gate.evidence.recorder import MOST_POLLS, Recorder
from gate.evidence.recording import parse_recording
from gate.evidence.redecide import check_verdict
from gate.evidence.scrub import make_clean
from gate.judge import Judge
from gate.secrecy import Secrets
from gate.verdict import Verdict
from tests.support.bundles import Json, recording

AT = datetime(2026, 5, 4, 10, 30, tzinfo=UTC)
RUN = RunFacts(
    id="42-1",
    url="https://github.com/acme/shop/actions/runs/42/attempts/1",
    repository="acme/shop",
    reported_commit="9" * 40,
    pull_request=7,
    versions={"gate": "0.1.0", "python": "3.13.1"},
)


def heard(raw: Json, *, most: int = MOST_POLLS, secrets: tuple[str, ...] = ()) -> tuple[Recorder, Verdict]:
    """A recorder that has heard a recording to its end, and the verdict."""
    parsed = parse_recording(raw)
    recorder = Recorder(parsed.asked, make_clean(Secrets(secrets)), most)
    judge = Judge(parsed.asked, parsed.git)
    verdict: Verdict | None = None
    for moment in parsed.moments:
        verdict = judge.consider(moment)
        assert judge.decision is not None
        recorder.hear(moment, judge.decision)
        if verdict.final:
            break
    assert verdict is not None
    return recorder, verdict


def made_of(raw: Json | None = None, *, most: int = MOST_POLLS, secrets: tuple[str, ...] = ()) -> Made:
    """What a run makes of a recording, by default of one that passes."""
    recorder, verdict = heard(recording() if raw is None else raw, most=most, secrets=secrets)
    return make_evidence(recorder, verdict, RUN, AT, Secrets(secrets))


def evidence(raw: Json | None = None) -> EvidenceFile:
    """The evidence file of a recording, by default of one that passes; its verdict follows."""
    made = made_of(raw)
    assert made.follows
    return made.evidence


def written(one: EvidenceFile) -> Any:
    """An evidence file as it is read from disk."""
    return json.loads(json.dumps(one.plain))


def read_whole(path: Path) -> EvidenceFile:
    """An evidence file that holds, with its page and its predicate beside it, all of one owner."""
    kept = parse_evidence(json.loads(path.read_text(encoding="utf-8")))
    assert check_verdict(kept)
    assert path.with_suffix(".html").read_text(encoding="utf-8") == page_of(kept)
    assert json.loads(path.with_suffix(".predicate.json").read_text(encoding="utf-8")) == predicate_of(kept)
    assert {one.name.partition(".")[0] for one in path.parent.iterdir()} == {path.stem}
    assert len({one.stat().st_uid for one in path.parent.iterdir()}) == 1
    return kept


def signed_anew(raw: Any) -> Any:
    """As somebody would forge it who knows how the digest is made."""
    return {**raw, "digest": digest_of(raw)}
