"""A step of a workflow: the gate's runner, its streams and its files."""

from __future__ import annotations

import io
from pathlib import Path

from gate.adapters.runner.runner import Runner

IN_WORKFLOW = {"GITHUB_ACTIONS": "true"}


class Step:
    """A runner, its streams and its files."""

    def __init__(self, directory: Path, environment: dict[str, str] | None = None) -> None:
        self.output, self.summary = directory / "output", directory / "summary"
        self.output.touch()
        self.summary.touch()
        files = {"GITHUB_OUTPUT": str(self.output), "GITHUB_STEP_SUMMARY": str(self.summary)}
        self.stdout, self.stderr = io.StringIO(), io.StringIO()
        self.runner = Runner(IN_WORKFLOW | files if environment is None else environment, self.stdout, self.stderr)

    @property
    def printed(self) -> str:
        return self.stdout.getvalue()
