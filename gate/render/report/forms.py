"""The recovery report, or why there is none, in the form that was asked for. Pure."""

from typing import Literal

from gate.render.report import markdown, page
from gate.render.report.subject import RefusedReport, Report

Form = Literal["markdown", "json", "html"]


def render_form(report: Report | RefusedReport, form: Form) -> str:
    """The text of a file in this form, with a line end after the last line."""
    if form == "json":
        return report.model_dump_json(indent=2, by_alias=True) + "\n"
    if form == "html":
        return page.render_page(report) if report.outcome == "recovered" else page.render_refused(report)
    return markdown.render_markdown(report) if report.outcome == "recovered" else markdown.render_refused(report)
