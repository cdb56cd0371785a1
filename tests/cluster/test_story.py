"""Every situation of the story on the real cluster: what the gate, run as a process, says about it."""

import json
from concurrent.futures import Future
from typing import Any, TypeAlias

import pytest

from gate.errors import ExitCode
from tests.cluster.harness import Harness
from tests.cluster.story.all_tales import LIVE, TALES
from tests.cluster.story.play import Outcome, play

pytestmark = pytest.mark.cluster

Told: TypeAlias = dict[str, Future[list[Outcome]]]

EXITS = {
    "passed": ExitCode.PASSED,
    "failed": ExitCode.FAILED,
    "held": ExitCode.HELD,
    "superseded": ExitCode.SUPERSEDED,
}
STATES = {"passed": "success", "failed": "failure", "held": "error", "superseded": "error"}
HEADLINES = {
    "passed": "staging passed:",
    "failed": "failed at {layer}:",
    "held": "is held at {layer}:",
    "superseded": "staging is superseded:",
}


@pytest.fixture(scope="session")
def told(request: pytest.FixtureRequest, harness: Harness, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """All tales that the chosen tests ask about, played once, side by side."""
    items = [one for one in request.session.items if isinstance(one, pytest.Function) and "told" in one.fixturenames]
    wanted: set[str] = set()
    for item in items:
        wanted |= {str(item.callspec.params["name"])} if hasattr(item, "callspec") else set(LIVE)
    return play(harness, TALES, tmp_path_factory.mktemp("story"), wanted)


@pytest.fixture
def outcome(told: Told, name: str) -> Outcome:
    """The outcome of one act; where its tale broke off, the test fails with why."""
    tale = next(tale for tale in TALES if any(act.name == name for act in tale.acts))
    return next(one for one in told[tale.name].result() if one.act.name == name)


@pytest.mark.parametrize("name", LIVE)
def test_the_gate_gives_the_right_verdict(outcome: Outcome) -> None:
    said, expected = outcome.said, outcome.act.expected
    result = said.result
    assert (result.get("verdict"), result.get("reason"), result.get("failed-layer")) == (
        expected.verdict,
        expected.reason,
        expected.layer,
    ), said.log
    assert said.code == EXITS[expected.verdict], said.log
    assert result["intended"] == outcome.target.intended
    assert result["timed-out"] is expected.timed_out, said.log
    for text in expected.says:
        assert text in result["message"]


@pytest.mark.parametrize("name", LIVE)
def test_nothing_passes_before_it_is_there(outcome: Outcome) -> None:
    """The release was looked at from outside while the gate judged it."""
    assert (outcome.said.code == 0) is (outcome.act.truth == "pass")
    if outcome.act.truth == "pass":
        assert outcome.there_after is not None
        assert outcome.said.seconds > outcome.there_after


@pytest.mark.parametrize("name", LIVE)
def test_the_status_is_pending_first_and_final_once(outcome: Outcome) -> None:
    statuses, expected = outcome.said.statuses, outcome.act.expected
    states = [status["state"] for status in statuses]
    assert {status["context"] for status in statuses} == {"gate/staging"}
    assert states[0] == "pending", states
    assert states[-1] == STATES[expected.verdict], states
    assert set(states[:-1]) == {"pending"}, states
    assert expected.reason in str(statuses[-1]["description"])


@pytest.mark.parametrize("name", LIVE)
def test_the_comment_says_the_verdict_in_its_first_line(outcome: Outcome) -> None:
    expected = outcome.act.expected
    [comment] = outcome.said.comments
    first, second = [line for line in comment.splitlines() if line.strip()][:2]
    assert first.startswith("<!-- promotion-gate:staging:")  # no reader sees it
    assert HEADLINES[expected.verdict].format(layer=expected.layer) in second
    assert expected.verdict == "passed" or expected.reason in comment
    assert outcome.target.intended[:7] in comment


@pytest.mark.parametrize("name", LIVE)
def test_there_is_one_evidence_file(outcome: Outcome) -> None:
    [evidence] = outcome.said.evidence
    assert outcome.target.intended in str(evidence)


def test_the_table_holds_what_the_story_needs() -> None:
    expected = [act.expected for act in LIVE.values()]
    assert sum(one.verdict == "passed" for one in expected) >= 8
    without_rule = [name for name, act in LIVE.items() if act.expected.reason == "NoReadinessRule"]
    assert without_rule == ["stateful-on-delete"]


def _verdict(told: Told, name: str) -> dict[str, Any]:
    [outcome] = [one for one in told["recreate"].result() if one.act.name == name]
    [evidence] = outcome.said.evidence
    found = json.loads(evidence.read_text())["verdict"]
    assert isinstance(found, dict)
    return found


def test_a_recovered_commit_has_a_verdict_of_its_own(told: Told) -> None:
    """Same tree as the good one, a newer commit, and nothing of the broken one's verdict."""
    good, broken = _verdict(told, "story-recreate-normal"), _verdict(told, "story-recreate-broken")
    recovered = _verdict(told, "story-recreate-recovered")
    assert recovered["commit"]["tree"] == good["commit"]["tree"] != broken["commit"]["tree"]
    assert recovered["commit"]["parents"] == [broken["intended"]]
    assert len({one["intended"] for one in (good, broken, recovered)}) == 3
    assert [one["verdict"] for one in (good, broken, recovered)] == ["passed", "failed", "passed"]


@pytest.mark.parametrize("verb", ["create", "update", "patch", "delete", "deletecollection"])
@pytest.mark.parametrize("kind", ["applications.argoproj.io", "deployments.apps", "pods", "services", "secrets"])
def test_the_account_that_judged_cannot_write(harness: Harness, verb: str, kind: str) -> None:
    reader = {"KUBECONFIG": str(harness.reader_kubeconfig())}
    question = ("auth", "can-i", verb, kind, "--all-namespaces")
    answer = harness.run("kubectl", *question, check=False, environment=reader)
    assert (answer.out.strip(), answer.code) == ("no", 1), answer
