"""The recovery report as one HTML file that needs nothing from outside, in the style of the evidence page. Pure."""

from gate.render.page.markup import SPACE, Html, code, element, join, moment, table, text
from gate.render.page.page import document, link, part, terms
from gate.render.report.rows import Row, headline, heads, how, length, rows
from gate.render.report.subject import RefusedReport, Report, Told
from gate.render.words import findings, short_ids


def _cell(lines: tuple[str, ...], *, exact: bool) -> Html:
    shown: list[Html] = []
    for line in lines:
        shown += [*([element("br")] if shown else []), code(line) if exact else text(short_ids(line), 400)]
    return join(shown)


def _row(row: Row) -> tuple[Html, ...]:
    return element("b", text(row.head)), *(_cell(lines, exact=row.exact) for lines in row.cells)


def _items(lines: tuple[str, ...]) -> Html:
    return element("ul", *(element("li", text(line, 600)) for line in lines))


def _summary(report: Report) -> Html:
    detect, recover = report.time_to_detect, report.time_to_recover
    mark = element("span", text("✅"), aria_hidden="true")
    return element(
        "div",
        element("h1", mark, SPACE, text(headline(report), 300)),
        element("p", text(how(report), 600)),
        terms(
            [
                ("Environment", text(report.environment)),
                ("Application", text(", ".join(report.applications))),
                ("Time to detect", text(f"{length(detect)} ({detect.measured})")),
                ("Time to recover", text(f"{length(recover)} ({recover.measured})")),
            ]
        ),
        class_="verdict passed",
    )


def _run(one: Told) -> tuple[str, Html]:
    run = join([text("run"), link(one.run_url, one.run), text("at"), moment(one.verdict_at)])
    return f"Evidence, {one.role}", join([run, element("br"), code(one.evidence_digest)])


def _footer(report: Report) -> Html:
    made = ("Made with", text(f"Promotion Gate {report.gate}"))
    note = "This page is made from three evidence files: check each with gate evidence verify."
    return element("footer", terms([*map(_run, report.three), made]), element("p", text(note)))


def render_page(report: Report) -> str:
    """The page as one text, with a line end after the last line."""
    _, *columns = heads(report)
    caption = "Good, bad and recovered commit side by side, each by its own evidence"
    why = tuple(short_ids(one) for one in findings(report.bad.message)[:6])
    main = element(
        "main",
        part("sides", "Side by side", table(caption, ("What", *columns), map(_row, rows(report)), "sides")),
        part("why", "Why the bad commit was not passed", _items(why)),
        part("notes", "Notes", _items(report.notes) if report.notes else element("p", text("None."))),
        part("scope", "What this does not cover", _items(report.not_covered)),
    )
    return document(headline(report), element("header", _summary(report)), main, _footer(report))


def render_refused(refused: RefusedReport) -> str:
    """A page that says why there is no report."""
    said = "These files show no recovery"
    mark = element("span", text("✋"), aria_hidden="true")
    body = element("div", element("h1", mark, SPACE, text(said)), _items(refused.reasons), class_="verdict held")
    return document(said, element("header", body))
