"""``gate rehearse``: prove that a configuration refuses what it must refuse, before anyone trusts it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.commands.access import cluster_access, cluster_options, read_duration, secret
from gate.commands.formats import format_option
from gate.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from gate.rehearsal.results import Rehearsal


@click.command("rehearse")
@click.option("--environment", "-e", metavar="NAME", help="The environment; may be left out where there is only one.")
@click.option("--config", metavar="FILE", help="Configuration file.  [default: promotion-gate.yaml]")
@click.option(
    "--from",
    "saved",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Start from a recording or an evidence file that passes; without --config with the configuration in it.",
)
@click.option("--live", is_flag=True, help="Start from the release that stands in the cluster now; writes nothing.")
@click.option(
    "--revision", metavar="COMMIT", help="With --live: the commit that is deployed.  [default: what is pinned live]"
)
@click.option(
    "--repo",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="With --live: a clone with that commit; without it GitHub is asked, with the token in GITHUB_TOKEN.",
)
@cluster_access
@click.option(
    "--timeout",
    callback=read_duration,
    metavar="TIME",
    help="With --live: how long to wait for evidence that passes.  [default: policy.settle and 30s]",
)
@format_option()
def command(**given: Any) -> int:
    """Run a configuration through the decision with altered evidence, and fail if any of it passes.

    Evidence that passes is made up from the configuration alone, or comes from a file (--from) or the
    cluster (--live). It is altered in one thing at a time: the commit before answers, a Pod of the old
    release still serves, a field is missing, a comparison is stale, and many more. Each has to be
    refused. So has every expectation that cannot tell releases apart.

    \b
    Exit code:
       0 the unaltered evidence passes, and all that was altered is refused
       1 something that must be refused passes or could not be tried, or the unaltered evidence does not pass
      64 could not run
    """  # noqa: D301  # click reads the backspace character
    if given["live"] and given["saved"] is not None:
        raise UsageError("--live and --from are two places to start from.", change="give one of them, or neither.")
    if not given["live"]:
        _only_live(given)
    rehearsal = _rehearse(given, os.environ)
    _show(rehearsal, given["form"])
    return ExitCode.PASSED if rehearsal.refuses else ExitCode.FAILED


def _only_live(given: Mapping[str, Any]) -> None:
    cluster = ("kubeconfig", "context", "server", "oidc_audience", "server_ca", "in_cluster")
    names = ("revision", "repo", *cluster, "timeout")
    found = next((name for name in names if given[name]), None)
    if found is not None:
        raise UsageError(f"--{found.replace('_', '-')} goes with --live.", change="add --live, or leave it out.")


def _rehearse(given: Mapping[str, Any], environ: Mapping[str, str]) -> Rehearsal:
    from gate.app.rehearsing import configured, read_saved
    from gate.rehearsal.passing import generate
    from gate.rehearsal.rehearse import rehearse

    if given["saved"] is not None:
        passing = read_saved(given["saved"], given["config"], given["environment"])
        return rehearse(passing, "recorded", passing.asked.settings)
    name, settings = configured(given["config"], given["environment"])
    if not given["live"]:
        return rehearse(generate(settings, name), "generated", settings)
    import asyncio

    from gate.app.options import CheckOptions
    from gate.app.rehearsing import read_live

    options = CheckOptions(
        environment=name,
        revision=given["revision"],
        cluster=cluster_options(given, environ),
        timeout=given["timeout"],
        publish=False,
        repo=given["repo"],
        github_token=secret(environ.get("GITHUB_TOKEN")),
    )
    return rehearse(asyncio.run(read_live(options, settings, environ)), "live", settings)


def _show(rehearsal: Rehearsal, form: str) -> None:
    from gate.render.rehearsal import render_rehearsal_json, render_rehearsal_lines

    if form == "json":
        click.echo(render_rehearsal_json(rehearsal))
    elif sys.stdout.isatty():
        from rich.console import Console

        from gate.render.rehearsal_terminal import render_rehearsal_terminal

        Console().print(render_rehearsal_terminal(rehearsal))
    else:
        click.echo("\n".join(render_rehearsal_lines(rehearsal)))
