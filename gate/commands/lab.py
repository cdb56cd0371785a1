"""``gate lab``: the embedded laboratory. Everything is imported when it is needed: ``--list`` starts nothing."""

import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.app.signals import remember_signals
from gate.commands.formats import format_option
from gate.errors import Cancelled, ExitCode, UsageError

if TYPE_CHECKING:
    from gate.lab.scenarios.act import Scenario


_SLOWEST, _FASTEST = 0.5, 20.0


def _speed(_context: click.Context, _option: click.Parameter, value: float) -> float:
    if not _SLOWEST <= value <= _FASTEST:  # nor is it, where it is not a number
        raise click.BadParameter(f"{value:g} is not a factor from {_SLOWEST:g} to {_FASTEST:g}")
    return value


@click.command("lab")
@click.option(
    "--scenario",
    "names",
    multiple=True,
    metavar="NAME",
    help="What to play; may be given several times.  [default: story]",
)
@click.option("--list", "listing", is_flag=True, help="Name every scenario, with what the gate must say, and stop.")
@click.option(
    "--serve",
    is_flag=True,
    help="Keep the laboratory up and say how to point your own `gate check` at it, until Ctrl-C. "
    "With one --scenario, that is played first.",
)
@format_option("json prints one object per verdict and line, and nothing else, on standard output.")
@click.option(
    "--speed",
    type=float,
    callback=_speed,
    default=1.0,
    show_default=True,
    metavar="FACTOR",
    help="How much faster than a real cluster the models move, from 0.5 to 20. The gate keeps its own time.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65533),
    default=0,
    metavar="PORT",
    help="Port of the API server; GitHub and the ingress take the two after it.  [default: free ones]",
)
@click.option(
    "--evidence",
    type=click.Path(path_type=Path),
    default=Path("evidence"),
    show_default=True,
    metavar="DIR",
    help="The folder that evidence files are written below.",
)
def command(**given: Any) -> int:
    """Play releases that go well and wrong, with no cluster and no GitHub, and show what the gate says.

    A small Kubernetes, a model of Argo CD, a GitHub and the releases run in this process, on
    loopback only. The gate before them is the real one. It proves the gate's decision, not Argo CD.

    \b
    Exit code:
       0 every verdict was the expected one    1 one was not
      64 could not run                        70 internal error    129/130/143 cancelled
    """  # noqa: D301  # click reads the backspace character
    remember_signals()
    # SIGQUIT (Ctrl-\) is an end like any other: the temporary folder goes.
    signal.signal(signal.SIGQUIT, lambda *_: signal.raise_signal(signal.SIGTERM))
    from gate.lab.scenarios import find_scenario

    lines = given["form"] == "json"
    if given["listing"]:
        _list(lines=lines)
        return ExitCode.PASSED
    names: tuple[str, ...] = given["names"]
    chosen = [find_scenario(name) for name in names]
    if given["serve"] and len(chosen) > 1:
        raise UsageError("--serve keeps one laboratory up.", change="give at most one --scenario with it")
    _check_tools()
    _check_writable(given["evidence"])
    if not chosen and not given["serve"]:
        chosen = [find_scenario("story")]
    return _run(chosen, given, lines=lines)


def _run(chosen: "list[Scenario]", given: Mapping[str, Any], *, lines: bool) -> int:
    from gate.lab.display import Display
    from gate.lab.player import Player

    # Everything is on loopback: a proxy of the machine is not asked.
    os.environ.update(NO_PROXY="127.0.0.1", no_proxy="127.0.0.1")
    display = Display(sys.stderr if lines else sys.stdout, given["evidence"])
    player = Player(
        display,
        given["evidence"],
        given["speed"],
        given["port"],
        lambda told: click.echo(told.line) if lines else None,
    )
    display.opening(given["speed"])
    try:
        asyncio.run(player.play_all(chosen, stay=given["serve"]))
    except Cancelled:
        display.cut_short(player.played)
        raise
    # The loop has taken its handlers along.
    remember_signals()
    display.closing(player.played)
    return ExitCode.PASSED if all(one.differences == () for one in player.played) else ExitCode.FAILED


def _list(*, lines: bool) -> None:
    from gate.lab.scenarios import SCENARIOS

    widest = max(map(len, SCENARIOS))
    for one in SCENARIOS.values():
        said = [expected.words for expected in one.expectations]
        if lines:
            click.echo(json.dumps({"scenario": one.name, "line": one.line, "expected": said}))
        else:
            click.echo(f"{one.name:<{widest}}  {one.line}\n{'':<{widest}}  -> {', then '.join(said)}")


def _check_tools() -> None:
    if shutil.which("git") is None:
        raise UsageError(
            "git is missing: the laboratory's environment repository is a real one.",
            change="install it (Debian: apt-get install git).",
        )


def _check_writable(folder: Path) -> None:
    """Make the folder for evidence and try to write there; raises UsageError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UsageError(
            f"No evidence can be written below {folder}: {(error.strerror or 'no reason is known').lower()}.",
            change="name a folder that can be written with --evidence.",
        ) from error
