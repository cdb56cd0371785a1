"""What the gate said in one act, and whether that was what it had to say."""

import json
from dataclasses import dataclass
from pathlib import Path

from gate.errors import ExitCode
from gate.lab.scenarios.act import Act, Scenario
from gate.render.outputs import render_result
from gate.render.words import SYMBOLS, word_of
from gate.verdict import Verdict


@dataclass(frozen=True)
class Told:
    """One verdict. ``statuses`` are state and description of those put on the commit, in order.

    ``comment`` is the pull request's, as Markdown without its marker; ``evidence`` the file written,
    None where none could be written; ``seconds`` how long the gate took.
    """

    scenario: Scenario
    act: Act
    commit: str
    verdict: Verdict
    code: ExitCode
    statuses: tuple[tuple[str, str], ...]
    comment: str
    evidence: Path | None
    seconds: float

    @property
    def differences(self) -> tuple[str, ...]:
        """What is not as expected, in words; empty where all is."""
        result, expected = render_result(self.verdict), self.act.expected
        code = self.verdict.exit_code if expected.code is None else expected.code
        pairs = (
            ("verdict", result.verdict, expected.verdict),
            ("reason", result.reason, expected.reason),
            ("failed layer", result.failed_layer, expected.layer),
            ("timed out", result.timed_out, expected.timed_out),
            ("exit code", int(self.code), int(code)),
        )
        said = [f"{name} is {found!r}, expected {wanted!r}" for name, found, wanted in pairs if found != wanted]
        said += ["no evidence was written"] if self.evidence is None else []
        said += [f"the message does not say {text!r}" for text in expected.says if text not in result.message]
        given = {one.reason.value for one in self.verdict.timeline}
        said += [f"{reason} was never given" for reason in expected.meanwhile if reason not in given]
        return tuple(said)

    @property
    def row(self) -> tuple[str, str, str]:
        """Its symbol, word and reason."""
        word = word_of(self.verdict)
        return SYMBOLS[word], word.value, self.verdict.reason.value

    @property
    def line(self) -> str:
        """The verdict as one JSON object on one line."""
        result = render_result(self.verdict).model_dump(mode="json", by_alias=True)
        values = {
            "scenario": self.scenario.name,
            "act": self.act.name,
            "commit": self.commit,
            **{key: result[key] for key in ("verdict", "reason", "failed-layer", "layers")},
        }
        return json.dumps(values, separators=(",", ":"))
