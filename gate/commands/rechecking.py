"""What is said of a re-check beside its worst verdict: every pull request, in the job summary and as JSON."""

from gate.adapters.runner.runner import Runner
from gate.app.check import Check
from gate.app.recheck import Recheck, Rechecked
from gate.render.outputs import ResultPull, render_result, render_result_line
from gate.render.text import clean, code, markdown
from gate.render.words import SYMBOLS, word_of
from gate.verdict import Verdict

_MOST = 200


def report_recheck(runner: Runner, check: Check) -> bool:
    """Write the table; False where there is nothing to write, or no runner to take it. Raises PublishError."""
    if not isinstance(check, Recheck) or not check.rechecked:
        return False
    rows = [
        f"| #{one.number} | {code(one.head[:7])} | {SYMBOLS[word_of(one.verdict)]} {word_of(one.verdict).value} |"
        f" {one.verdict.reason.value} | {markdown(one.status, 200)} |"
        for one in check.rechecked[:_MOST]
    ]
    more = [f"{len(check.rechecked) - _MOST} more are in the log."] if len(check.rechecked) > _MOST else []
    head = ["| Pull request | Head | Verdict | Reason | Status |", "| --- | --- | --- | --- | --- |"]
    title = f"### {markdown(check.options.environment, 80)}: open promotion pull requests"
    return runner.write_summary("\n".join([title, "", *head, *rows, *more]) + "\n")


def recheck_line(check: Check, verdict: Verdict) -> str:
    """The worst verdict as one JSON object on one line, with every pull request."""
    rechecked = check.rechecked if isinstance(check, Recheck) else []
    pulls = tuple(_pull(one) for one in rechecked)
    return render_result_line(render_result(verdict).model_copy(update={"pull_requests": pulls}))


def _pull(one: Rechecked) -> ResultPull:
    said = render_result(one.verdict)
    return ResultPull(
        number=one.number,
        head=clean(one.head),
        verdict=said.verdict,
        reason=said.reason,
        message=said.message,
        status=clean(one.status),
    )
