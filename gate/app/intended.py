"""Which commit is meant: the intended revision, told apart from the commit that is reported on.

A commit cannot contain its own id. So: the revision that was given; else what stands at
``pin.file`` in the reported commit; else the reported commit itself.
"""

from typing import Protocol

from gate.config.model import Environment
from gate.errors import ConfigurationError, UsageError
from gate.facts.upstream import is_full_id
from gate.pin.manifest import read_pin


class Repository(Protocol):
    """A repository that names are resolved in and files are read from."""

    async def resolve(self, name: str) -> str:
        """The full commit id of a short id, branch or tag; raises UsageError."""

    async def read_text(self, path: str, commit: str) -> str | None:
        """A file at a commit; None when it is not there. Raises AccessError when it cannot be read."""


async def _pinned(settings: Environment, environment: Repository, reported: str) -> str | None:
    """What the reported commit pins; None where no application says where its pin stands."""
    pins: dict[str, str] = {}
    for target in settings.applications:
        if target.pin is None or target.name is None:
            continue
        where = f"{target.pin.file} at {reported}"
        text = await environment.read_text(target.pin.file, reported)
        if text is None:
            raise ConfigurationError(
                f"{where} is not there.",
                means="pin.file in the configuration names a file that this commit does not have.",
                change="correct pin.file, or give the revision.",
            )
        pins[target.name] = read_pin(text, target.name, target.source, where)
    if len(set(pins.values())) > 1:
        shown = ", ".join(f"{name} at {pin}" for name, pin in sorted(pins.items()))
        raise ConfigurationError(
            f"The reported commit pins its Applications to different commits: {shown}.",
            means="they are promoted one after another, or one was forgotten.",
            change="give the revision that is to be judged, or make environments of their own of them.",
        )
    return next(iter(pins.values()), None)


async def resolve_intended(
    given: str | None,
    settings: Environment,
    reported: str | None,
    environment: Repository | None,
    source: Repository | None,
) -> str:
    """The full id of the intended commit, resolved once.

    ``environment`` is the repository of the reported commit, ``source`` the one that Argo CD
    deploys from. Raises UsageError when no commit is named, or a short name cannot be resolved.
    """
    name = given
    if name is None and reported is not None:
        pinned = await _pinned(settings, environment, reported) if environment is not None else None
        name = pinned if pinned is not None else reported
    if name is None:
        raise UsageError(
            "No commit is named that is to be judged.",
            means="outside of a workflow nothing says which commit is meant.",
            change="give --revision, or --repo with a clone whose HEAD is meant.",
        )
    if is_full_id(name):
        return name
    if source is None:
        raise UsageError(
            f"{name!r} is not a full commit id, and there is no access to Git to resolve it.",
            means="a short id, a branch or a tag was given.",
            change="give all 40 hexadecimal digits, or --repo with a clone.",
        )
    return await source.resolve(name)
