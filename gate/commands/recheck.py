"""``gate recheck``: renew the verdict on every open promotion pull request."""

import os
from typing import Any

import click

from gate.app.signals import remember_signals
from gate.commands.check import command as check_command
from gate.commands.check import make_options

_NOT_HERE = ("revision",)


@click.command("recheck")
@click.option(
    "--repository",
    metavar="OWNER/NAME",
    help="Outside of a workflow, where the pull requests are.  [default: GITHUB_REPOSITORY]",
)
def command(repository: str | None, **given: Any) -> int:
    """Judge anew what every open pull request would promote from the environment.

    Where the answer is another one than the status on its head, status and comment are written anew. What the
    cluster says of a commit is asked once, however many pull requests promote it, for a short time.

    In a workflow, use the action with mode: recheck, or set GITHUB_TOKEN. From a laptop, to see what it would say:
    GITHUB_TOKEN=... gate recheck --no-publish --environment staging --repository acme/environments

    \b
    Exit code, of the worst verdict:
       0 passed, or nothing is open       1 failed           2 held             3 superseded
      64 could not run 65 not published  70 internal error 129/130/143 cancelled
    """  # noqa: D301  # click reads the backspace character
    remember_signals()
    from gate.commands.workflow import find_run, run_check

    options = make_options({**given, "revision": None}, os.environ)
    run = find_run(options, os.environ)
    named = {} if repository is None else {"GITHUB_REPOSITORY": repository}
    check, code = run_check(options, {**os.environ, **named}, run, recheck=True)
    if given["form"] == "json" and check.verdict is not None:
        from gate.commands.rechecking import recheck_line

        click.echo(recheck_line(check, check.verdict))
    return code


command.params += [one for one in check_command.params if one.name not in _NOT_HERE]
