"""The option ``--format`` of the commands that print text or JSON."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def format_option(said: str = "json prints one JSON object.") -> Callable[[Command], Command]:
    """The option, as the parameter ``form``; ``said`` is its help."""
    formats = click.Choice(["text", "json"])
    return click.option("--format", "form", type=formats, default="text", show_default=True, help=said)
