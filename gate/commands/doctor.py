"""``gate doctor``: say what is missing before the night it matters."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.commands.access import cluster_access, cluster_options, secret
from gate.commands.formats import format_option
from gate.errors import ExitCode

if TYPE_CHECKING:
    from gate.app.options import CheckOptions
    from gate.render.findings import Checkup


@click.command("doctor")
@click.option("--environment", "-e", metavar="NAME", help="The environment; may be left out where there is only one.")
@click.option("--config", default="promotion-gate.yaml", show_default=True, metavar="FILE", help="Configuration file.")
@click.option("--repo", type=click.Path(path_type=Path), metavar="DIR", help="A local clone to look for pin.file in.")
@cluster_access
@click.option(
    "--repository",
    metavar="OWNER/NAME",
    help="The environment repository on GitHub, with the token in GITHUB_TOKEN.  [default: GITHUB_REPOSITORY]",
)
@click.option(
    "--branch",
    metavar="NAME",
    help="The branch that a promotion goes into.  [default: the repository's default branch]",
)
@format_option()
def command(**given: Any) -> int:
    """Look at all that a check needs, and say what is missing, with the line to add.

    Is the commit status required on the branch, and from whom; may the token do its work; may the cluster
    be read, kind by kind; is each Application there, pinned by a full commit id, and synced by itself; is
    there a rule for every kind in it; does each request answer, and could its answer be another release's.

    Nothing is written anywhere. Whether a token may write can often not be known without writing: then
    that is said.

    \b
    Exit code:
       0 no problem; there may be warnings
       1 something has to be changed
      64 could not run
    """  # noqa: D301  # click reads the backspace character
    import asyncio

    from gate.app.doctor.examine import Place, examine

    environ = os.environ
    place = Place(given["repository"] or environ.get("GITHUB_REPOSITORY") or None, given["branch"])
    checkup = asyncio.run(examine(_options(given, environ), place, environ))
    _show(checkup, given["form"])
    return ExitCode.PASSED if checkup.sound else ExitCode.FAILED


def _options(given: Mapping[str, Any], environ: Mapping[str, str]) -> CheckOptions:
    from gate.app.options import CheckOptions

    return CheckOptions(
        environment=given["environment"] or "",
        config=given["config"],
        cluster=cluster_options(given, environ),
        publish=False,
        repo=given["repo"],
        github_token=secret(environ.get("GITHUB_TOKEN")),
        app_id=environ.get("GATE_APP_ID") or None,
        app_private_key=secret(environ.get("GATE_APP_PRIVATE_KEY")),
    )


def _show(checkup: Checkup, form: str) -> None:
    from gate.render.findings import render_findings_json, render_findings_lines

    if form == "json":
        click.echo(render_findings_json(checkup))
    elif sys.stdout.isatty():
        from rich.console import Console

        from gate.render.findings_terminal import render_findings_terminal

        Console().print(render_findings_terminal(checkup))
    else:
        click.echo("\n".join(render_findings_lines(checkup)))
