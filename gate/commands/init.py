"""``gate init``: write a first configuration from a live Application."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.commands.access import cluster_access, cluster_options
from gate.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from gate.app.init.begin import Begun


@click.command("init")
@click.option("--application", "-a", required=True, metavar="NAME", help="The Argo CD Application to start from.")
@click.option(
    "--argocd-namespace", default="argocd", show_default=True, metavar="NAME", help="Where the Application is."
)
@click.option(
    "--environment", "-e", default="staging", show_default=True, metavar="NAME", help="What to call the environment."
)
@cluster_access
@click.option(
    "--output",
    "-o",
    default="promotion-gate.yaml",
    show_default=True,
    metavar="FILE",
    help="Where to write it; - is standard output.",
)
@click.option("--force", is_flag=True, help="Overwrite the file, where it is there already.")
def command(**given: Any) -> int:
    """Write a first promotion-gate.yaml, with comments, from an Application that is deployed.

    Reads the Application, its Deployments and Services, and asks these by the API server's Service proxy
    (GET /version and the like) for something in an answer that tells releases apart. Manifests below the
    file's folder are searched for the one that pins the Application. What it could not find is printed,
    and stands in the file as a TODO; the file is valid all the same.

    \b
    Exit code:
       0 written; there may be something left to do
      64 could not run, or the file is there already
    """  # noqa: D301  # click reads the backspace character
    import asyncio

    from gate.app.init.begin import begin
    from gate.app.init.text import Wanted

    environ, output = os.environ, Path(given["output"])
    if given["output"] != "-" and not given["force"] and output.exists():
        raise _there(output)
    wanted = Wanted(given["environment"], given["argocd_namespace"], given["context"], given["output"], None)
    folder = Path.cwd() if given["output"] == "-" else output.parent
    begun = asyncio.run(begin(given["application"], wanted, cluster_options(given, environ), folder, environ))
    if given["output"] == "-":
        click.echo(begun.text, nl=False)
    else:
        _write(output, begun.text, force=given["force"])
    for line in _said(begun, given["output"]):
        click.echo(line, err=True)
    return ExitCode.PASSED


def _there(output: Path) -> UsageError:
    return UsageError(
        f"{output} is there already.",
        means="a configuration was written before.",
        change="give --output with another name, or --force to overwrite it.",
    )


def _write(output: Path, text: str, *, force: bool) -> None:
    try:
        with output.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise _there(output) from None
    except OSError as error:
        raise UsageError(f"{output} cannot be written: {error.strerror}.") from error


def _said(begun: Begun, output: str) -> Iterator[str]:
    """What was found and what was not, line by line."""
    from gate.render.text import log

    looked, told = begun.looked, None if begun.looked.answered is None else begun.looked.answered.told
    found = [f"Written to {output}." if output != "-" else "Written to standard output."]
    if looked.answered is not None and told is not None:
        place = f"{looked.answered.address} {looked.answered.path}"
        found.append(f"found: {place} names the release, by {{{told.template}}} ({told.value} now)")
    if begun.pin_file is not None:
        found.append(f"found: {begun.pin_file} pins {looked.application}")
    missing = [*looked.missing, *(f"there is no readiness rule for {kind}" for kind in looked.unjudged)]
    if begun.pin_file is None:
        missing.append(f"no single manifest here pins {looked.application}: pin.file is a comment")
    found += [f"not found: {one}" for one in missing]
    at = "" if output in ("promotion-gate.yaml", "-") else f" --config {output}"
    found.append(f"Next: read it, then gate rehearse{at} and gate doctor{at}.")
    for line in found:
        yield " ".join(log(line))
