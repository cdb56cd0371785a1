"""What a run keeps: by allow-list, within bounds, and so that the same verdict follows from it."""

import json
from typing import Any

import pytest

from gate.errors import Cancelled, UsageError
from gate.evidence import making
from gate.evidence.making import make_evidence
from gate.evidence.page import page_of
from gate.evidence.predicate import predicate_of
from gate.evidence.record import EvidenceFile, parse_evidence
from gate.evidence.redecide import check_verdict
from gate.outcomes import VerdictWord
from gate.reasons import Reason
from gate.verdict import Verdict
from tests.support.bundles import Json, both, changed, find, moment, recording
from tests.support.kept import AT, RUN, evidence, heard, made_of, written
from tests.support.mutations import copy_of, mutations, put, walk
from tests.support.states import State, every_state

PARTS = 7
STATES = {one.name: one for one in every_state()}


def said(verdict: Verdict) -> Any:
    """A verdict without its words and its time."""
    layers = [(one.layer, one.outcome, one.reason, one.final, one.since) for one in verdict.layers]
    return verdict.word, verdict.reason, verdict.final, verdict.failed_layer, layers, verdict.timeline


@pytest.mark.exhaustive
@pytest.mark.parametrize("most", [40, 2, 1])
def test_the_same_verdict_follows_from_what_is_kept_of_every_state(most: int) -> None:
    for name, state in STATES.items():
        recorder, verdict = heard(state.raw, most=most)
        made = make_evidence(recorder, verdict, RUN, AT)
        assert made.follows, name
        assert said(made.evidence.verdict) == said(verdict), name
        assert check_verdict(parse_evidence(written(made.evidence))), name


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(PARTS))
def test_the_same_verdict_follows_whatever_is_spoiled(part: int) -> None:
    """Objects that cannot be understood, and nulls and empties, are judged from evidence as they were live."""
    raw = recording(times=(40, 45), hook=True)
    for number, (path, value) in enumerate(walk(raw["polls"][1])):
        if path[0] == "now" or number % PARTS != part:
            continue
        for _, new in list(mutations(value))[number % 2 :: 2]:
            made = copy_of(raw)
            put(made["polls"][1], path, new)
            try:
                recorder, verdict = heard(made)
            except (UsageError, ValueError):
                continue  # no recording any more
            assert make_evidence(recorder, verdict, RUN, AT).follows, path


CANARY = "canary-7f3a"


def _planted(poll: Json) -> None:
    """A secret in every place that is read by nobody, and in texts that are."""
    for app in both(poll):
        app["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": CANARY}
        app["metadata"]["managedFields"] = [{"manager": CANARY}]
        state = app["status"]["operationState"]
        for source in (app["spec"]["source"], app["status"]["sync"]["comparedTo"]["source"]):
            source["helm"] = {"values": CANARY, "parameters": [{"name": "password", "value": CANARY}]}
        state["syncResult"]["source"]["helm"] = app["spec"]["source"]["helm"]
        state["operation"]["sync"]["source"] = {"helm": {"values": CANARY}}
        state["operation"]["info"] = [{"name": "reason", "value": CANARY}]
        state["message"] = f"fetched https://user:{CANARY}@git.example/repo?token={CANARY}"
        app["status"]["summary"] = {"images": [CANARY]}
    for one in poll["objects"]:
        one["metadata"].setdefault("annotations", {})["example.com/token"] = CANARY
        if one["kind"] in ("Deployment", "ReplicaSet") and one["spec"]["template"] is not None:
            container = one["spec"]["template"]["spec"]["containers"][0]
            container["env"] = [{"name": "PASSWORD", "value": CANARY}]
            container["args"] = [CANARY]
            one["spec"]["template"]["metadata"].setdefault("annotations", {})["vault/secret"] = CANARY
    find(poll, "Pod")["spec"] = {**find(poll, "Pod")["spec"], "nodeName": CANARY}
    stranger = copy_of(find(poll, "Pod"))
    stranger["metadata"] |= {"name": CANARY, "uid": CANARY, "ownerReferences": [], "labels": {CANARY: "x"}}
    poll["objects"] += [stranger, {"apiVersion": "v1", "kind": "Secret", "data": {"password": CANARY}}]
    for answer in poll["responses"]:
        answer["headers"]["Set-Cookie"] = CANARY
        answer["body"] = json.dumps({**json.loads(answer["body"]), "password": CANARY})


def _texts(one: EvidenceFile) -> dict[str, str]:
    return {
        "evidence": json.dumps(one.plain),
        "page": page_of(one),
        "predicate": json.dumps(predicate_of(one)),
    }


def test_what_is_not_read_does_not_enter() -> None:
    raw = changed(recording(), _planted)
    raw["config"]["environments"]["staging"]["requests"][0]["path"] = f"/version?key={CANARY}"
    for commit in raw["git"]["commits"].values():
        commit["message"] += f"\nSigned with {CANARY}\n"
    made = made_of(raw)
    assert (made.follows, made.evidence.verdict.word) == (True, VerdictWord.PASSED)
    for name, text in _texts(made.evidence).items():
        assert CANARY not in text, name
    assert made.evidence.asked.hidden


def test_secrets_of_the_run_are_hidden_where_they_are_said_aloud() -> None:
    def told(poll: Json) -> None:
        for app in both(poll):
            app["status"]["operationState"] |= {"phase": "Failed", "message": f"denied for {CANARY}"}
        for answer in poll["responses"]:
            answer |= {"error": f"refused {CANARY}", "status": None, "body": None}

    raw = changed(recording(), told)
    made = made_of(raw, secrets=(CANARY,))
    assert made.follows
    assert made.evidence.verdict.reason is Reason.OPERATION_FAILED
    assert "denied for ***" in made.evidence.verdict.message
    for name, text in _texts(made.evidence).items():
        assert CANARY not in text, name
    assert CANARY in json.dumps(made_of(raw).evidence.plain), "it would have been there"


def test_a_look_that_changes_nothing_is_counted_and_not_kept() -> None:
    raw = recording(times=(40, 42, 43, 45))
    one = evidence(raw)
    assert [poll.repeated for poll in one.polls] == [2, 0]
    assert one.verdict.word is VerdictWord.PASSED


def test_each_object_is_kept_once() -> None:
    one = evidence(recording(times=(40, 45)))
    first, last = one.polls
    assert (first.applications, first.applications_again) == (last.applications, last.applications_again)
    assert first.applications == first.applications_again
    assert len({json.dumps(raw, sort_keys=True) for raw in one.objects}) == len(one.objects)


def _flapping(looks: int) -> Json:
    """A run in which something changes at every look, until it settles."""
    raw = recording(times=range(40, 40 + looks))
    for number, poll in enumerate(raw["polls"]):
        for app in both(poll):
            app["metadata"]["annotations"] = {"argocd.argoproj.io/refresh": "normal"} if number % 2 else {}
    raw["polls"] += [moment(40 + looks), moment(45 + looks)]
    return raw


def test_a_long_run_is_cut_and_says_so() -> None:
    recorder, verdict = heard(_flapping(60), most=10)
    one = make_evidence(recorder, verdict, RUN, AT).evidence
    assert verdict.word is VerdictWord.PASSED
    assert (len(one.polls), recorder.length) == (11, 10)
    assert one.cut is not None
    assert len(one.polls) + one.cut.polls + sum(poll.repeated for poll in one.polls) == 62
    assert one.polls[0].now < one.cut.since < one.cut.until < one.polls[1].now
    assert one.verdict == verdict
    assert check_verdict(parse_evidence(written(one)))
    assert f"{one.cut.polls} looks between" in page_of(one)


def test_a_large_run_is_cut_to_size(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = made_of(_flapping(30)).evidence
    assert whole.cut is None
    monkeypatch.setattr(making, "LARGEST", len(json.dumps(whole.plain["polls"])) // 2)
    made = made_of(_flapping(30))
    assert made.follows
    assert made.evidence.cut is not None
    assert 2 < len(made.evidence.polls) < len(whole.polls)
    assert made.evidence.verdict == whole.verdict
    assert check_verdict(parse_evidence(written(made.evidence)))


def _ended(raw: Json) -> EvidenceFile:
    recorder, verdict = heard(raw)
    error = Cancelled(15)
    update = {"word": VerdictWord.CANCELLED, "reason": Reason(error.reason), "message": error.diagnostics()}
    ended = verdict.model_copy(update={**update, "final": True, "failed_layer": None, "at": AT})
    return make_evidence(recorder, ended, RUN, AT).evidence


def test_the_layers_of_a_cancelled_run_are_decided_again() -> None:
    raw = written(_ended(recording(times=(20,))))
    assert check_verdict(parse_evidence(raw))
    assert raw["verdict"]["verdict"] == "cancelled"


def test_a_run_that_looked_at_nothing_has_nothing_to_decide_again() -> None:
    one = _ended(recording(times=(20,)))
    bare = one.verdict.model_copy(update={"layers": (), "timeline": ()})
    empty = one.model_copy(update={"polls": (), "objects": (), "verdict": bare})
    assert check_verdict(empty) is False


@pytest.mark.parametrize("state", [one for one in STATES.values() if "argocd" in one.name or "hand" in one.name])
def test_what_a_report_will_ask_is_there(state: State) -> None:
    """Operations, their revisions, what was deployed before, and how commits are related."""
    one = evidence(state.raw)
    apps = [raw for raw in one.objects if raw["kind"] == "Application"]
    assert all("revision" in app["status"]["operationState"]["syncResult"] for app in apps)
    assert all(entry["revision"] for app in apps for entry in app["status"]["history"])
    assert one.polls[0].git is not None
    assert one.verdict.intended in one.polls[0].git.commits
