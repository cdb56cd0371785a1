"""A recorder beside a whole wait in warped time: few looks kept, and the run's own verdict follows from them."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from gate.errors import UsageError
from gate.evidence.making import make_evidence
from gate.evidence.record import EvidenceFile, parse_evidence
from gate.evidence.recorder import Recorder
from gate.evidence.redecide import check_verdict
from gate.evidence.scrub import make_clean
from gate.outcomes import VerdictWord
from gate.secrecy import Secrets
from gate.verdict import Verdict
from tests.support import raw_workload as kube
from tests.support.bundles import NEW, OLD, Json, both, changed, find, moment, recording
from tests.support.kept import AT, RUN, made_of, signed_anew, written
from tests.support.warp import warped
from tests.support.world import World, poll


def _not_pinned(made: Json) -> None:
    for app in both(made):
        app["spec"]["source"]["targetRevision"] = OLD


def _not_ready(made: Json) -> None:
    find(made, "Deployment")["status"] |= {"readyReplicas": 0, "availableReplicas": 0, "unavailableReplicas": 1}
    made["objects"] = [one for one in made["objects"] if one["kind"] not in ("Pod", "EndpointSlice")]
    made["objects"] += [kube.pod(NEW, ready=False), kube.endpoint_slice([])]


def _scripted(now: float, *, ready_at: float) -> Json:
    made = moment(now)
    if now < 60:
        _not_pinned(made)
    elif now < ready_at:
        _not_ready(made)
    return made


def run(script: Callable[[float], Json], *, deadline: float = 900, **world: Any) -> tuple[Verdict, EvidenceFile]:
    """The verdict of a whole wait, and its evidence."""

    async def main() -> tuple[Verdict, EvidenceFile]:
        waiting = poll(World(script, **world), deadline=deadline)
        recorder = Recorder(waiting.judge.asked, make_clean(Secrets()))
        waiting.record = recorder.hear
        verdict = await asyncio.wait_for(waiting.run(), 5000)
        made = make_evidence(recorder, verdict, RUN, AT)
        assert made.follows
        return verdict, made.evidence

    return warped(main())


def test_a_release_that_is_late_and_passes() -> None:
    verdict, one = run(lambda now: _scripted(now, ready_at=150))
    assert verdict.word is VerdictWord.PASSED
    assert one.verdict == verdict
    assert check_verdict(parse_evidence(written(one)))
    assert len(one.polls) <= 8
    assert sum(poll.repeated for poll in one.polls) > 10


def test_a_release_that_never_comes_and_times_out() -> None:
    verdict, one = run(lambda now: _scripted(now, ready_at=9999), deadline=200)
    assert (verdict.word, verdict.timed_out) == (VerdictWord.FAILED, True)
    assert one.verdict == verdict
    assert check_verdict(parse_evidence(written(one)))


@pytest.mark.parametrize("kind", ["commit", "relation", "Event"])
def test_what_could_not_be_read_is_kept_as_such(kind: str) -> None:
    verdict, one = run(lambda now: _scripted(now, ready_at=90), deadline=200, fails={kind: 500})
    assert one.verdict == verdict
    assert check_verdict(parse_evidence(written(one)))
    assert ("could not be read" in verdict.message) is (kind == "commit")


def test_access_that_is_refused_three_times() -> None:
    verdict, one = run(lambda now: _scripted(now, ready_at=90), fails={"Pod": 403})
    assert verdict.final
    assert one.verdict == verdict
    assert check_verdict(parse_evidence(written(one)))


def _old_answers(made: Json) -> None:
    for answer in made["responses"]:
        answer["body"] = '{"release": "1.0.0"}'


EXPECTED = {
    "regex": r'"release": *"{label:app.kubernetes.io/version}"',
    "body": '{{"release": "{label:app.kubernetes.io/version}"}}',
}


@pytest.mark.parametrize("kind", EXPECTED)
def test_a_pattern_and_a_whole_body_are_judged_without_the_body(kind: str) -> None:
    raw = recording()
    raw["config"]["environments"]["staging"]["requests"][0]["expect"] = {"status": 200, kind: EXPECTED[kind]}
    made = made_of(raw)
    assert (made.follows, made.evidence.verdict.word) == (True, VerdictWord.PASSED)
    other = made_of(changed(raw, _old_answers))
    assert (other.follows, other.evidence.verdict.word) == (True, VerdictWord.FAILED)
    swapped = written(made.evidence)
    wrong = written(other.evidence)["polls"][-1]["responses"][0]["seen"]
    for answer in swapped["polls"][-1]["responses"]:
        answer["seen"] = wrong
    assert not _holds(swapped)


def test_another_release_cannot_be_put_under_a_pattern_that_was_found() -> None:
    raw = recording()
    raw["config"]["environments"]["staging"]["requests"][0]["expect"] = {"status": 200, "regex": EXPECTED["regex"]}
    made = written(made_of(raw).evidence)
    for one in made["objects"]:
        if one["kind"] in ("Deployment", "ReplicaSet"):
            one["spec"]["template"]["metadata"]["labels"]["app.kubernetes.io/version"] = "9.9.9"
    assert not _holds(made)


def _holds(raw: Any) -> bool:
    try:
        return check_verdict(parse_evidence(signed_anew(raw)))
    except UsageError as error:
        assert "does not follow" in error.happened  # noqa: PT017  # not its digest
        return False
