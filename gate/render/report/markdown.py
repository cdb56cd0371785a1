"""The recovery report as Markdown, as GitHub shows it. Pure.

No text from outside reaches it except through ``markdown`` or ``code``.
"""

from gate.render.publication import ADDRESS
from gate.render.report.rows import Row, headline, heads, how, length, rows
from gate.render.report.subject import RefusedReport, Report, Told
from gate.render.text import code, markdown
from gate.render.words import findings, short_ids

_MOST_LINES = 12
_MOST_NOTES = 20


def _cell(lines: tuple[str, ...], *, exact: bool) -> str:
    shown = [code(line, 200) if exact else markdown(short_ids(line), 300) for line in lines[:_MOST_LINES]]
    more = [f"and {len(lines) - _MOST_LINES} more"] if len(lines) > _MOST_LINES else []
    return "<br>".join([*shown, *more])


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _row(row: Row) -> str:
    return _line([f"**{row.head}**", *(_cell(lines, exact=row.exact) for lines in row.cells)])


def _why(one: Told) -> list[str]:
    return [f"- {markdown(short_ids(said), 400)}" for said in findings(one.message)[:6]]


def _evidence(one: Told) -> str:
    run = code(one.run, 60)
    linked = run if one.run_url is None or ADDRESS.fullmatch(one.run_url) is None else f"[{run}]({one.run_url})"
    return f"- {one.role}: run {linked}, {code(one.evidence_digest)}"


def render_markdown(report: Report) -> str:
    """The whole report, with a line end after the last line."""
    head = heads(report)
    parts = [
        f"## {markdown(headline(report), 300)}",
        "",
        f"- **How**: {markdown(how(report), 600)}",
        f"- **Time to detect**: {length(report.time_to_detect)} ({report.time_to_detect.measured})",
        f"- **Time to recover**: {length(report.time_to_recover)} ({report.time_to_recover.measured})",
        f"- **Application**: {', '.join(code(name, 80) for name in report.applications)}",
        "",
        _line([markdown(one) if one else " " for one in head]),
        _line(["---"] * len(head)),
        *(_row(one) for one in rows(report)),
        "",
        "**Why the bad commit was not passed**",
        "",
        *_why(report.bad),
        "",
    ]
    if report.notes:
        parts += ["**Notes**", "", *(f"- {markdown(note, 400)}" for note in report.notes[:_MOST_NOTES]), ""]
    parts += [
        "**What this does not cover**",
        "",
        *(f"- {line}" for line in report.not_covered),
        "",
        "**Made from**",
        "",
        *map(_evidence, report.three),
        "",
        f"<sub>Promotion Gate {markdown(report.gate, 30)}</sub>",
        "",
    ]
    return "\n".join(parts)


def render_refused(refused: RefusedReport) -> str:
    """Why there is no report."""
    reasons = "\n".join(f"- {markdown(reason, 600)}" for reason in refused.reasons)
    return f"## These files show no recovery\n\n{reasons}\n"
