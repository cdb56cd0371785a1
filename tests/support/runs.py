"""What a run of the program left behind, read as the workflow runner reads it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tests.support.bundles import Json
from tests.support.runner_protocol import Command, commands_in


@dataclass(frozen=True)
class Ended:
    """What a run left behind."""

    code: int
    stdout: str
    stderr: str
    outputs: dict[str, str]
    summary: str
    took: float

    @property
    def log(self) -> str:
        """Both streams: the runner shows, and parses, one as the other."""
        return self.stdout + self.stderr

    @property
    def commands(self) -> list[Command]:
        """Every command that the runner would carry out."""
        return commands_in(self.stdout) + commands_in(self.stderr)

    @property
    def annotations(self) -> list[Command]:
        """What the runner would show beside the run."""
        return [one for one in self.commands if one.name in ("error", "warning", "notice")]

    @property
    def result(self) -> Json:
        """The output ``result``."""
        parsed: Json = json.loads(self.outputs["result"])
        return parsed
