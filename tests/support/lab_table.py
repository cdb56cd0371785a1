"""The scenarios as the table of docs/laboratory.md; `python -m tests.support.lab_table` prints it."""

from collections.abc import Iterable

from gate.lab.scenarios import SCENARIOS
from gate.lab.scenarios.act import Expected, ExpectedReport, Scenario
from gate.reasons import Reason
from gate.render.report.subject import KIND_WORDS


def render_table(scenarios: Iterable[Scenario]) -> str:
    """A Markdown table: one row an act, the scenario named in its first."""
    lines = ["| scenario | act | the gate must say | layer |", "| --- | --- | --- | --- |"]
    for scenario in scenarios:
        for number, act in enumerate(scenario.acts):
            name = f"`{scenario.name}`: {scenario.line}" if number == 0 else ""
            lines.append(f"| {name} | {act.title} | {' | '.join(_expected(act.expected))} |")
    return "\n".join(lines) + "\n"


def _expected(expected: Expected | ExpectedReport) -> tuple[str, str]:
    """What must be said, and the failed layer."""
    if isinstance(expected, ExpectedReport):
        return f"report: [{KIND_WORDS[expected.kind]}](recovery.md#afterwards-the-report)", "–"
    return _verdict(expected), expected.layer or "–"


def _verdict(expected: Expected) -> str:
    reason = Reason(expected.reason)
    said = f"{expected.verdict}: [{reason.value}](reasons.md#{reason.value.lower()})"
    if expected.code is not None:
        said += f", exit code {int(expected.code)}"
    return f"{said}, timed out" if expected.timed_out else said


if __name__ == "__main__":
    print(render_table(SCENARIOS.values()), end="")
