"""What a bump writes: from the files of one commit to their new texts, and whether it may.

It decides by what it reads and nothing else, so that it can be asked again for every commit that the
branch moves on to.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from gate.adapters.failures import ReadFailed
from gate.adapters.git.clone import Clone
from gate.config.model import ApplicationTarget, Environment
from gate.errors import AccessError, ConfigurationError, Superseded, UsageError
from gate.facts.upstream import is_full_id
from gate.pin.edit import Wanted, check_editable, edit_pins
from gate.pin.manifest import read_pin, read_places

Relate = Callable[[str, str], Awaitable[str]]
"""How the second commit stands to the first, in a word; ``unknown`` where Git does not tell."""


class Files(Protocol):
    """The files of one commit."""

    @property
    def commit(self) -> str:
        """The full id of the commit."""
        ...

    async def read(self, path: str) -> str | None:
        """The text of a file; None where there is none. Raises AccessError."""
        ...


class CloneFiles:
    """The files of one commit of a local clone."""

    def __init__(self, clone: Clone, commit: str) -> None:
        self._clone = clone
        self.commit = commit

    async def read(self, path: str) -> str | None:
        """The text of a file; None where there is none. Raises AccessError where it cannot be read or is no text."""
        try:
            content = await self._clone.read_file(path, self.commit)
            return None if content is None else content.decode()
        except ReadFailed as failure:
            raise AccessError(f"{path} at {self.commit} cannot be read: {failure.error}.") from failure
        except UnicodeDecodeError as error:
            raise AccessError(f"{path} at {self.commit} is not UTF-8 text.") from error


def choose_targets(settings: Environment, environment: str, application: str | None) -> tuple[ApplicationTarget, ...]:
    """The Applications to pin: all of the environment, or the one of that name.

    Raises UsageError for a name that is not there, ConfigurationError where one has no pin to write.
    """
    chosen = tuple(one for one in settings.applications if application in (None, one.name))
    if not chosen:
        names = ", ".join(sorted(one.name for one in settings.applications if one.name is not None))
        raise UsageError(
            f"{environment} has no Application named {application}.",
            means="the name is misspelt, or the Application is found by a selector.",
            change=f"name one of: {names or '(none has a name)'}.",
        )
    for one in chosen:
        if one.pin is None:
            called = one.identified(settings.argocd.namespace)
            raise ConfigurationError(
                f"{environment} does not say where the pin of {called} stands.",
                means="the Application has no pin.file, or is found by a selector.",
                change="list it by name with pin: {file: ...}; an ApplicationSet's may share one file.",
            )
    return chosen


@dataclass
class Pinning:
    """Pins ``targets`` to ``revision``, a full id. ``rest`` are to be pinned to it already.

    ``before`` are the pins that were last read, each with the name of its Application.
    """

    targets: tuple[ApplicationTarget, ...]
    revision: str
    relate: Relate
    allow_older: bool = False
    rest: tuple[ApplicationTarget, ...] = ()
    before: list[tuple[str, str]] = field(default_factory=list)

    async def edit(self, files: Files) -> Mapping[str, str]:
        """Path to new text. Raises Superseded where a newer commit is pinned, and as ``edit_pins``."""
        texts = await read_manifests(self.targets, files)
        self.before = [
            (name, pin)
            for path, name, source, text in _each(self.targets, texts)
            for pin in dict.fromkeys(
                place.spot.node.text for place in read_places(text, name, source, f"{path} at {files.commit}")
            )
        ]
        await self._check_age(files.commit)
        await self._check_rest(files)
        return {
            path: edit_pins(text, _wanted(self.targets, path), self.revision, f"{path} at {files.commit}")
            for path, text in texts.items()
        }

    async def _check_age(self, commit: str) -> None:
        for name, pin in self.before:
            if self.allow_older or pin == self.revision or not is_full_id(pin):
                continue
            if await self.relate(self.revision, pin) == "ahead":
                raise Superseded(
                    f"Application {name} is pinned to {pin} at {commit}, a descendant of {self.revision}: nothing was"
                    " written.",
                    means="a newer release came first, or an older one was asked for.",
                    change="nothing, if the newer one is right; else revert it in Git, which makes a new commit, or"
                    " allow an older one (allow-older).",
                )

    async def _check_rest(self, files: Files) -> None:
        texts = await read_manifests(self.rest, files)
        for path, name, source, text in _each(self.rest, texts):
            pin = read_pin(text, name, source, f"{path} at {files.commit}")
            if pin != self.revision:
                raise UsageError(
                    f"Application {name} is pinned to {pin}; expected {self.revision}: nothing was written.",
                    means="one Application was to be pinned alone, and a verdict is about the whole environment.",
                    change="leave the check out (check: false, --no-check), or pin all of them.",
                )


async def read_manifests(targets: tuple[ApplicationTarget, ...], files: Files) -> dict[str, str]:
    """Path to text of every manifest that holds a pin. Raises ConfigurationError for one that is not there."""
    texts: dict[str, str] = {}
    for path in dict.fromkeys(one.pin.file for one in targets if one.pin is not None):
        text = await files.read(path)
        if text is None:
            raise ConfigurationError(
                f"{path} at {files.commit} is not there.",
                means="pin.file in the configuration names a file that this branch does not have.",
                change="correct pin.file.",
            )
        texts[path] = text
    return texts


async def read_addresses(targets: tuple[ApplicationTarget, ...], files: Files) -> tuple[str, ...]:
    """The repoURLs of the sources to pin, each once; none that the manifests do not tell. Raises as ``edit_pins``."""
    texts = await read_manifests(targets, files)
    for path, text in texts.items():
        check_editable(text, _wanted(targets, path), f"{path} at {files.commit}")
    found = {
        place.repository
        for path, name, source, text in _each(targets, texts)
        for place in read_places(text, name, source, f"{path} at {files.commit}")
    }
    return tuple(sorted(url for url in found if url))


def _wanted(targets: tuple[ApplicationTarget, ...], path: str) -> list[Wanted]:
    """Who is to be pinned in this file."""
    here = [one for one in targets if one.pin is not None and one.pin.file == path]
    return [Wanted(one.name, one.source) for one in here if one.name is not None]


def _each(
    targets: tuple[ApplicationTarget, ...], texts: Mapping[str, str]
) -> Iterator[tuple[str, str, int | str | None, str]]:
    """Path, Application, source and text for each pin."""
    for one in targets:
        if one.pin is not None and one.name is not None:
            yield one.pin.file, one.name, one.source, texts[one.pin.file]
