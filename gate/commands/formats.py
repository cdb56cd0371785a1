"""The option ``--format`` of the commands that print text or JSON, and a verdict by it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from gate.verdict import Verdict

Command = TypeVar("Command", bound=Callable[..., Any])


def format_option(said: str = "json prints one JSON object.") -> Callable[[Command], Command]:
    """The option, as the parameter ``form``; ``said`` is its help."""
    formats = click.Choice(["text", "json"])
    return click.option("--format", "form", type=formats, default="text", show_default=True, help=said)


def echo_result(verdict: Verdict | None, form: str) -> None:
    """Print a verdict as one JSON object where ``form`` asks for it; as text it stands on the screen already."""
    if form == "json" and verdict is not None:
        from gate.render.outputs import render_result, render_result_line

        click.echo(render_result_line(render_result(verdict)))
