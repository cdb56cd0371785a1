"""Where the configuration is read: never from what a pull request could have changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from gate.config.advice import advise
from gate.config.load import choose_environment, load_configuration, read_configuration, with_timeout
from gate.config.model import Configuration, Environment
from gate.errors import ConfigurationError

if TYPE_CHECKING:  # PyGithub is slow to import, and a laptop does without
    from gate.adapters.github.client import GitHubClient
    from gate.app.options import CheckOptions
    from gate.config.event import Run


async def _by_api(options: CheckOptions, run: Run, client: GitHubClient) -> Configuration:
    from gate.adapters.github.reading import GitHubRepository
    from gate.app.repositories import RemoteRepository

    ref = run.configuration_ref
    where = f"{options.config} at {ref} of {run.repository}"
    text = await RemoteRepository(GitHubRepository(client, run.repository)).read_text(options.config, ref)
    if text is None:
        raise ConfigurationError(
            f"{where} is not there.",
            means="it stands elsewhere, or was not merged yet (a pull request's own is not read), or the token does not"
            " see this repository.",
            change="commit it on the base branch, or name it with the input config; the token needs contents: read.",
        )
    return load_configuration(text, where)


async def read_settings(
    options: CheckOptions, run: Run | None, client: GitHubClient | None, say: Callable[[str], None]
) -> Environment:
    """The settings of the environment that was asked for, with the timeout that was asked for.

    In a workflow they are read by API, at the base branch for whatever may come from a pull
    request. ``say`` hears what is worth a warning. Raises ConfigurationError or AccessError.
    """
    if run is not None and client is not None:
        configuration = await _by_api(options, run, client)
    else:
        configuration = read_configuration(Path(options.config))
    for warning in advise(configuration):
        say(warning)
    return with_timeout(choose_environment(configuration, options.environment), options.timeout)
