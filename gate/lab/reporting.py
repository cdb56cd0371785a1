"""A recovery report in the laboratory: what `gate report` makes of the evidence that acts left."""

import shlex
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from gate.app.reporting import Reporting
from gate.app.stores import StoreOptions
from gate.errors import GateError
from gate.lab.scenarios.act import ReportAct, Scenario
from gate.lab.stage import SERVER_URL
from gate.lab.told import Told
from gate.outcomes import VerdictWord
from gate.render.report.forms import Form, render_form
from gate.render.report.subject import RefusedReport, Report, Role
from gate.render.words import SYMBOLS, short_id

FILES: Mapping[str, Form] = {".html": "html", ".md": "markdown", ".json": "json"}
"""How the names of the files end, and the form of each."""
_GIST = ("Verdict", "Subject", "Probe failures", "Endpoints", "HTTP result")
"""Rows that are enough to see what happened."""


@dataclass(frozen=True)
class Reported:
    """One report. ``files`` are those written; ``problem`` says why there is none, empty where there is one."""

    scenario: Scenario
    act: ReportAct
    report: Report | RefusedReport | None
    files: tuple[Path, ...]
    problem: str
    seconds: float

    @property
    def differences(self) -> tuple[str, ...]:
        """What is not as expected, in words; empty where all is."""
        if self.report is None or self.problem:
            return (self.problem,)
        if self.report.outcome == "refused":
            return tuple(f"no recovery is shown: {reason}" for reason in self.report.reasons)
        found, wanted, text = self.report.kind.value, self.act.expected.kind.value, render_form(self.report, "markdown")
        said = [f"kind is {found!r}, expected {wanted!r}"] if found != wanted else []
        return (*said, *(f"the report does not say {one!r}" for one in self.act.expected.says if one not in text))

    @property
    def row(self) -> tuple[str, str, str]:
        """Its symbol, what is shown, and how."""
        if self.report is None or self.report.outcome == "refused":
            return SYMBOLS[VerdictWord.HELD], "no report", ""
        return SYMBOLS[VerdictWord.PASSED], self.report.outcome, self.report.kind.value

    @property
    def gist(self) -> str:
        """The report's beginning and the rows that matter most, as Markdown; all of it where it is refused."""
        text = "" if self.report is None else render_form(self.report, "markdown")
        lines = text.partition("\n**")[0].replace("<br>", "; ").split("\n")
        kept = tuple(f"| **{head}** |" for head in _GIST)
        return "\n".join(one for one in lines if not one.startswith("| **") or one.startswith(kept))


async def report_recovery(
    scenario: Scenario, act: ReportAct, told: Iterable[Told], tell: Callable[[str], None]
) -> Reported:
    """Make the report by the code behind `gate report`; write it in every form, beside the folders of evidence.

    ``told`` are the verdicts so far; ``tell`` hears the command that makes it elsewhere.
    """
    began = time.monotonic()
    report: Report | RefusedReport | None = None
    files: tuple[Path, ...] = ()
    problem = ""
    said = {one.act.name: one for one in told if one.scenario is scenario}
    given = {role: file for role, name in act.roles.items() if (file := said[name].evidence) is not None}
    if len(given) < len(act.roles):
        problem = "the evidence that it is made from was not written"
    else:
        name = f"recovery-{short_id(said[act.recovered].commit)}"
        base = given["recovered"].parent.parent / name
        tell(_command(given, base))
        try:
            report = await Reporting(
                {role: str(file) for role, file in given.items()}, None, StoreOptions(), SERVER_URL
            ).run()
            files = _write(report, base)
        except GateError as error:
            problem = error.happened
        except OSError as error:
            problem = f"the report could not be written: {error.strerror}"
    return Reported(scenario, act, report, files, problem, time.monotonic() - began)


def _command(given: Mapping[Role, Path], base: Path) -> str:
    """What to type in the same folder, now or later: the files are all that it takes."""
    options = [f"--{role} {shlex.quote(str(file))}" for role, file in given.items()]
    options.append(f"--format html --output {shlex.quote(str(base.with_suffix('.html')))}")
    return " \\\n    ".join(["gate report", *options])


def _write(report: Report | RefusedReport, base: Path) -> tuple[Path, ...]:
    files = {base.with_suffix(ending): render_form(report, form) for ending, form in FILES.items()}
    for file, text in files.items():
        file.write_text(text, encoding="utf-8")
    return tuple(files)
