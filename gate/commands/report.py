"""``gate report``: a recovery, shown by three evidence files, or why they show none."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.commands.storing import store_access, store_client, store_options
from gate.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from gate.render.report.subject import RefusedReport, Report, Role


@click.command("report")
@click.option("--good", metavar="FILE|COMMIT", help="The passed verdict from before.")
@click.option("--bad", metavar="FILE|COMMIT", help="The verdict that failed or was held.")
@click.option("--recovered", metavar="FILE|COMMIT", help="The passed verdict from after it, of a new commit.")
@click.option("--environment", "-e", metavar="NAME", help="The environment, where verdicts are looked up in a store.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "json", "html"]),
    default="markdown",
    show_default=True,
    help="html is one file that needs nothing from outside.",
)
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write there, not to standard output.")
@store_access
def command(**given: Any) -> int:
    """Tell good, bad and recovered commit apart, and set side by side what the evidence of each says.

    Each of the three is an evidence file or a commit id whose verdict is looked up in a store (as gate history
    does). With --environment alone the latest recovery there is reported. A clone of the repository that Argo CD
    deploys from (--repo) tells how the commits are related where the evidence does not.

    \b
    Exit code:
       0 a recovery is shown   2 these files show none, and why is printed   64 could not run
    """  # noqa: D301  # click reads the backspace character
    report = asyncio.run(_report(given, os.environ))
    from gate.render.report.forms import render_form

    _write(render_form(report, given["form"]), given["output"])
    if report.outcome == "recovered":
        return ExitCode.PASSED
    if given["output"] is not None:
        from gate.render.text import log

        for reason in report.reasons:
            click.echo("\n".join(log(reason)), err=True)
    return ExitCode.HELD


def _given(given: Mapping[str, Any]) -> dict[Role, str]:
    """What was named for each role: all of them, or none."""
    from gate.app.reporting import ROLES

    named: dict[Role, str] = {role: given[role] for role in ROLES if given[role] is not None}
    if named and len(named) < len(ROLES):
        raise UsageError("--good, --bad and --recovered go together.", change="give all three, or --environment alone.")
    if not named and given["environment"] is None:
        raise UsageError("Nothing says what to report.", change="give --good, --bad and --recovered, or --environment.")
    return named


async def _report(given: Mapping[str, Any], environ: Mapping[str, str]) -> Report | RefusedReport:
    from gate.app.reporting import Reporting

    named, options = _given(given), store_options(given, environ)
    client = store_client(options, environ)
    server_url = environ.get("GITHUB_SERVER_URL") or "https://github.com"
    try:
        return await Reporting(named, given["environment"], options, server_url, client).run()
    finally:
        if client is not None:
            client.close()


def _write(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{output} cannot be written: {(error.strerror or 'unknown').lower()}.") from error
