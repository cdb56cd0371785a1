"""What must hold of every act, on the cluster and in the laboratory."""

from gate.errors import ExitCode
from tests.cluster.story.play import Outcome

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


def has_the_right_verdict(outcome: Outcome) -> None:
    """Verdict, reason, failed layer, whether it timed out, message and exit code are those of the table."""
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


def passed_not_too_early(outcome: Outcome) -> None:
    """Nothing passes before it is there: the release was looked at from outside while the gate judged it."""
    assert (outcome.said.code == 0) is (outcome.act.truth == "pass")
    if outcome.act.truth == "pass":
        assert outcome.there_after is not None
        assert outcome.said.seconds > outcome.there_after


def status_is_pending_first_and_final_once(outcome: Outcome) -> None:
    statuses, expected = outcome.said.statuses, outcome.act.expected
    states = [status["state"] for status in statuses]
    assert {status["context"] for status in statuses} == {"gate/staging"}
    assert states[0] == "pending", states
    assert states[-1] == STATES[expected.verdict], states
    assert set(states[:-1]) == {"pending"}, states
    assert expected.reason in str(statuses[-1]["description"])


def comment_says_the_verdict_first(outcome: Outcome) -> None:
    """A superseded run is about an older head: it leaves the comment to the run about the newer one."""
    expected = outcome.act.expected
    [comment] = outcome.said.comments
    first, second = [line for line in comment.splitlines() if line.strip()][:2]
    assert first.startswith("<!-- promotion-gate:staging:")  # no reader sees it
    if expected.verdict == "superseded":
        assert HEADLINES["passed"] in second
        return
    assert HEADLINES[expected.verdict].format(layer=expected.layer) in second
    assert expected.verdict == "passed" or expected.reason in comment
    assert outcome.target.intended[:7] in comment


def left_one_evidence_file(outcome: Outcome) -> None:
    [evidence] = outcome.said.evidence
    assert outcome.target.intended in str(evidence)


CHECKS = (
    has_the_right_verdict,
    passed_not_too_early,
    status_is_pending_first_and_final_once,
    comment_says_the_verdict_first,
    left_one_evidence_file,
)
