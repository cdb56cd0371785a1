"""The action in a workflow: a step before it, one after it that reads its outputs, and a job that waits for it."""

from pathlib import Path
from typing import Any

import pytest

from tests.container.engine import Engine
from tests.container.workflow import Ran, Workflow
from tests.support import situations
from tests.support.action import Stage, stage
from tests.support.cluster import TOKEN
from tests.support.environments import SERVER

pytestmark = pytest.mark.timeout(600)

JOBS: dict[str, Any] = {
    "gate": {
        "runs-on": "ubuntu-latest",
        "outputs": {"verdict": "${{ steps.gate.outputs.verdict }}"},
        "steps": [
            {"uses": "actions/checkout@v6"},
            {"run": "echo before the gate"},
            {
                "id": "gate",
                "uses": "./action",
                "with": {
                    "environment": "staging",
                    "kubeconfig": "${{ secrets.STAGING_KUBECONFIG }}",
                    "github-token": "${{ secrets.GITHUB_TOKEN }}",
                },
            },
            {
                "if": "always()",
                "env": {
                    "VERDICT": "${{ steps.gate.outputs.verdict }}",
                    "REASON": "${{ steps.gate.outputs.reason }}",
                    "EVIDENCE": "${{ steps.gate.outputs.evidence }}",
                    "RESULT": "${{ steps.gate.outputs.result }}",
                },
                "run": 'echo "verdict=$VERDICT reason=$REASON"; test -s "$EVIDENCE" && echo "evidence is there"; '
                'echo "$RESULT" | grep -q "\\"verdict\\":\\"$VERDICT\\"" && echo "the result says so too"',
            },
        ],
    },
    "promote": {
        "runs-on": "ubuntu-latest",
        "needs": "gate",
        "steps": [{"run": "echo promoted"}],
    },
}
CONTEXT = "gate/staging"


def _run(engine: Engine, on: Stage, folder: Path) -> Ran:
    """One run of the workflow for the stage's push."""
    kubeconfig = Path(on.inputs["kubeconfig"]).read_text()
    workflow = Workflow(engine, folder / "checkout", on.lab.github, SERVER)
    return workflow.run_jobs(JOBS, "push", on.payload, {"STAGING_KUBECONFIG": kubeconfig})


def test_a_passed_verdict_lets_the_next_job_run(engine: Engine, tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        ran = _run(engine, on, tmp_path)
        assert ran.code == 0, ran.log
        assert ran.results == {"gate": "success", "promote": "success"}
        assert "before the gate" in ran.said["gate"]
        assert "verdict=passed reason=AllLayersAgree" in ran.said["gate"]
        assert "evidence is there" in ran.said["gate"]
        assert "the result says so too" in ran.said["gate"]
        assert "promoted" in ran.said["promote"]
        assert '"stage":"Post","step":"./action","stepID":["gate"],"stepResult":"success"' in ran.log
        assert on.statuses() == [("pending", CONTEXT), ("success", CONTEXT)]


def test_a_refused_verdict_blocks_the_next_job(engine: Engine, tmp_path: Path) -> None:
    with stage(tmp_path, situations.broken()) as on:
        ran = _run(engine, on, tmp_path)
        assert ran.code != 0, ran.log
        assert ran.results["gate"] == "failure"
        assert "promote" not in ran.said
        assert "verdict=failed reason=ProgressDeadlineExceeded" in ran.said["gate"]
        assert "evidence is there" in ran.said["gate"]
        assert on.statuses() == [("pending", CONTEXT), ("failure", CONTEXT)]


def test_no_secret_stands_in_the_log(engine: Engine, tmp_path: Path) -> None:
    with stage(tmp_path, situations.broken()) as on:
        ran = _run(engine, on, tmp_path)
        shown = "\n".join(line for line in ran.log.splitlines() if "add-mask" not in line)
        assert TOKEN not in shown
        assert on.lab.github.token not in shown
