"""Every situation of the story on the real cluster: what the gate, run as a process, says about it."""

import json
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeAlias

import pytest

from tests.cluster.harness import Harness
from tests.cluster.story.all_tales import LIVE, TALES
from tests.cluster.story.checks import CHECKS
from tests.cluster.story.play import Outcome, play
from tests.cluster.story.recovery import check_report

pytestmark = pytest.mark.cluster

Told: TypeAlias = dict[str, Future[list[Outcome]]]


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


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", LIVE)
def test_what_the_gate_said_in_every_act(outcome: Outcome, check: Callable[[Outcome], None]) -> None:
    check(outcome)


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


def test_the_report_tells_good_bad_and_recovered_apart(told: Told) -> None:
    check_report(told["recreate"].result())


@pytest.mark.parametrize("verb", ["create", "update", "patch", "delete", "deletecollection"])
@pytest.mark.parametrize("kind", ["applications.argoproj.io", "deployments.apps", "pods", "services", "secrets"])
def test_the_account_that_judged_cannot_write(harness: Harness, verb: str, kind: str) -> None:
    reader = {"KUBECONFIG": str(harness.reader_kubeconfig())}
    question = ("auth", "can-i", verb, kind, "--all-namespaces")
    answer = harness.run("kubectl", *question, check=False, environment=reader)
    assert (answer.out.strip(), answer.code) == ("no", 1), answer
