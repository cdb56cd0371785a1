"""``gate approve``: stored evidence of a check and a second look at the service, for a promotion pull request."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import click

from gate.app.signals import remember_signals
from gate.commands.access import read_age
from gate.commands.check import command as check_command
from gate.commands.check import make_options
from gate.commands.formats import echo_result

_OWN = ("evidence", "evidence_branch")
"""Options that a check has too, and that mean something else here."""


@click.command("approve")
@click.option(
    "--evidence",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="The evidence to rest on: a file, or a folder of them.  [default: the branch gate-evidence]",
)
@click.option("--max-age", callback=read_age, metavar="TIME", help="How old it may be, such as 12h or 7d.")
@click.option(
    "--evidence-branch",
    metavar="NAME",
    help="The branch that evidence is read from, where no PATH is given; in a workflow that of the second look is kept"
    " on it as well.",
)
def command(evidence: Path | None, max_age: timedelta | None, **given: Any) -> int:
    """Approve a promotion: verify the evidence of a check, then judge the service again.

    The evidence has to hold, to be passed, published, young enough, and about this environment, the commit that the
    pull request would promote, and the settings in force. Then the service is looked at once more, by all four
    layers and the same rules, for a short time. Any difference is held, and named.

    In a workflow, use the action with mode: approve. From a laptop, to see what it would say:

    \b
    gate approve --no-publish --environment staging \\
      --revision COMMIT --evidence evidence/ --repo .

    \b
    Exit code:
       0 approved       1 failed           2 held             3 superseded
      64 could not run 65 not published  70 internal error 129/130/143 cancelled
    """  # noqa: D301  # click reads the backspace character
    remember_signals()
    from gate.app.options import ApproveOptions
    from gate.commands.workflow import find_run, run_check

    environ = os.environ
    options = make_options({**given, "evidence": Path("evidence")}, environ)
    approval = ApproveOptions(evidence, max_age)
    check, code = run_check(options, environ, find_run(options, environ), approval=approval)
    echo_result(check.verdict, given["form"])
    return code


command.params += [one for one in check_command.params if one.name not in _OWN]
