"""What the action says of a re-check beside its worst verdict: every pull request, in the job summary."""

from gate.adapters.runner.runner import Runner
from gate.app.check import Check
from gate.app.recheck import Recheck
from gate.render.text import code, markdown
from gate.render.words import SYMBOLS, word_of

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
