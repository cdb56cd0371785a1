"""What the action says of a bump beside its verdict: its outputs, and the diff of a dry run."""

import re
from typing import Final

from gate.adapters.runner.commands import neutralise
from gate.adapters.runner.runner import Runner
from gate.app.bump import Bump
from gate.app.check import Check
from gate.render.text import BREAK

_LONGEST: Final = 60_000


def report_bump(runner: Runner, check: Check) -> bool:
    """Set the outputs ``commit`` and ``pull-request``; the diff goes into the log and the summary.

    False where there is no runner to take outputs. Raises PublishError.
    """
    if not isinstance(check, Bump):
        return False
    if check.diff:
        runner.say(check.diff)
        runner.write_summary(f"### {check.options.environment}: what a bump would write\n\n{_block(check.diff)}\n")
    elif check.verdict is None and not check.bump.dry_run:
        runner.write_summary(f"### {check.options.environment}: {_unchecked(check)}. Nothing was checked.\n")
    values = {"commit": check.made or "", "pull-request": "" if check.pull is None else str(check.pull)}
    return runner.write_outputs(values)


def _unchecked(check: Bump) -> str:
    if check.pull is not None:
        return f"pull request #{check.pull} proposes to pin {check.intended}"
    by = "already" if check.made is None else f"by commit {check.made}"
    return f"pinned to {check.intended} {by}"


def _block(diff: str) -> str:
    """A code block that nothing in it can end, its blanks kept; a summary takes no more than 1 MiB."""
    shown = diff if len(diff) <= _LONGEST else f"{diff[:_LONGEST]}\n(the log has the rest)"
    text = neutralise(shown).replace("<!--", f"<{BREAK}!--")
    fence = "`" * max(3, *(len(run) + 1 for run in ("", *re.findall("`+", text))))
    return f"{fence}diff\n{text}\n{fence}"
