"""Where the configuration is read: never from what a pull request could have changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gate.config.advice import advise
from gate.config.load import choose_environment, load_configuration, read_configuration, with_timeout
from gate.config.model import Configuration, Environment, Opening
from gate.errors import ConfigurationError, UsageError
from gate.pin.promotion import Side

if TYPE_CHECKING:  # PyGithub is slow to import, and a laptop does without
    from gate.adapters.github.client import GitHubClient
    from gate.app.options import CheckOptions
    from gate.config.event import Run


@dataclass(frozen=True)
class Chosen:
    """The environment that was asked for, and the one that it promotes to, where the file has that one too."""

    name: str
    settings: Environment
    following: Side | None

    def next_environment(self) -> Side:
        """The environment that it promotes to. Raises UsageError where there is none."""
        if self.following is None:
            raise UsageError(
                f"There is nothing that {self.name} promotes to.",
                means="promotes-to is missing, or names an environment that is not in the file.",
                change="name the next environment with promotes-to, and add it to the file.",
            )
        return self.following


async def _by_api(options: CheckOptions, run: Run, client: GitHubClient) -> Configuration:
    from gate.adapters.github.reading import GitHubRepository
    from gate.app.repositories import RemoteRepository

    ref = run.configuration_ref
    where = f"{options.config} at {ref} of {run.repository}"
    text = await RemoteRepository(GitHubRepository(client, run.repository)).read_text(options.config, ref)
    if text is None:
        raise ConfigurationError(
            f"{where} is not there.",
            means="it stands elsewhere, or was not merged yet (a pull request's own is not read, nor that of a branch"
            " which may become one), or the token does not see this repository.",
            change="commit it on the default branch, or name it with the input config; the token needs contents: read.",
        )
    return load_configuration(text, where)


def _check_event(run: Run, configuration: Configuration) -> None:
    """Raise UsageError for ``pull_request_target``, unless the configuration allows it."""
    if run.event != "pull_request_target" or Opening.PULL_REQUEST_TARGET in configuration.allow:
        return
    raise UsageError(
        "The event pull_request_target is refused.",
        means="its token may write and its secrets are there for a pull request of anybody, forks included.",
        change="use pull_request; on forks the verdict is then the exit code and the summary. If it has to be, and no"
        f" step of the job runs what the pull request brings, write allow: [{Opening.PULL_REQUEST_TARGET.value}] into"
        " the configuration on the default branch.",
    )


async def read_chosen(
    options: CheckOptions, run: Run | None, client: GitHubClient | None, say: Callable[[str], None]
) -> Chosen:
    """The environment that was asked for, with the timeout that was asked for.

    In a workflow its settings are read by API, from the default branch. ``say`` hears what is worth a
    warning. Raises UsageError, ConfigurationError or AccessError.
    """
    if run is not None and client is not None:
        configuration = await _by_api(options, run, client)
        _check_event(run, configuration)
    else:
        configuration = read_configuration(Path(options.config))
    for warning in advise(configuration):
        say(warning)
    settings = with_timeout(choose_environment(configuration, options.environment), options.timeout)
    name = settings.promotes_to
    after = None if name is None else configuration.environments.get(name)
    following = (
        None if name is None or after is None else Side(name=name, settings=after, known_files=_pins(configuration))
    )
    return Chosen(options.environment, settings, following)


def _pins(configuration: Configuration) -> frozenset[str]:
    every = (one for settings in configuration.environments.values() for one in settings.applications)
    return frozenset(one.pin.file for one in every if one.pin is not None)


async def read_settings(
    options: CheckOptions, run: Run | None, client: GitHubClient | None, say: Callable[[str], None]
) -> Environment:
    """The settings in ``read_chosen`` alone."""
    return (await read_chosen(options, run, client, say)).settings
