"""The options by which several commands reach stored evidence, and what they come to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from gate.adapters.github.client import GitHubClient
    from gate.app.stores import StoreOptions

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--folder", type=click.Path(path_type=Path), metavar="DIR", help="A folder with evidence files."),
    click.option(
        "--repo", type=click.Path(path_type=Path), metavar="CLONE", help="A local clone, for its branch and Git."
    ),
    click.option(
        "--repository", metavar="OWNER/NAME", help="A repository on GitHub; the token stands in GITHUB_TOKEN."
    ),
    click.option("--branch", default="gate-evidence", show_default=True, metavar="NAME", help="The evidence branch."),
)


def store_access(command: Command) -> Command:
    """Give a command the options of ``store_options``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def store_options(given: Mapping[str, Any], environ: Mapping[str, str]) -> StoreOptions:
    """Where to read, by what was given to ``store_access``."""
    from gate.app.stores import StoreOptions

    workflow = environ.get("GITHUB_REPOSITORY") or None
    return StoreOptions(given["folder"], given["repository"], given["repo"], workflow, given["branch"])


def store_client(options: StoreOptions, environ: Mapping[str, str]) -> GitHubClient | None:
    """The client that reads GitHub, where that is the place or a token is there; to be closed by the caller."""
    from gate.commands.access import secret

    token, key = secret(environ.get("GITHUB_TOKEN")), secret(environ.get("GATE_APP_PRIVATE_KEY"))
    if options.on_github is None and token is None and key is None:
        return None
    from gate.app.connecting import connect_github
    from gate.app.options import CheckOptions

    access = CheckOptions("", github_token=token, app_id=environ.get("GATE_APP_ID") or None, app_private_key=key)
    return connect_github(access, None, environ)
