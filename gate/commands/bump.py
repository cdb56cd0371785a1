"""``gate bump``: write a new pin into the environment repository, then wait for the verdict on it."""

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from gate.app.signals import remember_signals
from gate.commands.check import command as check_command
from gate.commands.check import make_options
from gate.errors import UsageError

if TYPE_CHECKING:
    from gate.app.options import CheckOptions

_NOT_HERE = ("form",)


def _own_options(command: click.Command) -> click.Command:
    """The options of ``gate check`` too: what is written is checked."""
    command.params += [one for one in check_command.params if one.name not in _NOT_HERE]
    return command


@click.command("bump")
@click.option("--application", metavar="NAME", help="The only Application of the environment to pin.")
@click.option("--allow-older", is_flag=True, help="Pin an ancestor of the present pin too.")
@click.option("--check/--no-check", default=True, show_default=True, help="Wait for the verdict afterwards.")
@click.option("--dry-run", is_flag=True, help="Print the change as a diff and write nothing; needs no token.")
def command(application: str | None, allow_older: bool, check: bool, dry_run: bool, **given: Any) -> int:
    """Pin an environment to a commit: one commit, forward only; then check it.

    In a workflow, use the action with mode: bump, or set GITHUB_TOKEN. From a laptop, in a clone of the
    environment repository: gate bump --dry-run --environment staging --repo .

    The commit is --revision, else the one that the workflow is about. It has to be on the allowed branch of
    the repository that Argo CD deploys from. By which way the pin is written (branch, pull request, signed)
    stands in the configuration, under bump.

    \b
    Exit code:
       0 passed (written, where nothing is checked)
       1 failed         2 held             3 superseded, or a newer commit is pinned
      64 could not run, or the pin could not be written
      65 not published 70 internal error  129/130/143 cancelled
    """  # noqa: D301  # click reads the backspace character
    remember_signals()
    from gate.adapters.runner.commands import neutralise
    from gate.app.bump import Bump
    from gate.app.options import BumpOptions
    from gate.commands.workflow import read_run, run_check

    environ = os.environ
    options = make_options(given, environ)
    local = dry_run and (not options.has_github or environ.get("GITHUB_EVENT_PATH", "") == "")
    if not local:
        _check_token(options)
    run = None if local else read_run(environ)
    options = replace(options, publish=options.publish and not dry_run)
    if local:
        options = replace(options, github_token=None, app_id=None, app_private_key=None)
    made = BumpOptions(application, dry_run, check, allow_older)
    ended, code = run_check(options, environ, run, bump=made)
    if isinstance(ended, Bump) and ended.diff:
        click.echo(neutralise(ended.diff))  # text from Git
    return code


def _check_token(options: "CheckOptions") -> None:
    if not options.has_github:
        raise UsageError(
            "There is no token to write with.",
            means="the environment variable GITHUB_TOKEN is not set, nor GATE_APP_PRIVATE_KEY for a GitHub App.",
            change="set it, or give --dry-run.",
        )


command = _own_options(command)
