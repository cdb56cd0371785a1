"""From an Application's name to a configuration file: look, write, and hold the text against the format."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gate.app.init.look import Looked, look
from gate.app.init.text import Wanted, render_configuration
from gate.app.options import ClusterOptions
from gate.config.load import load_configuration
from gate.config.model import Environment
from gate.errors import GateError
from gate.pin.manifest import read_pin

_TIME = 180.0
_MOST_FILES = 5000
_LARGEST = 1024 * 1024
_PASSED_OVER = frozenset({"node_modules", "vendor"})


@dataclass(frozen=True)
class Begun:
    """The text of a first configuration, which is valid, and what was seen on the way to it."""

    text: str
    looked: Looked
    pin_file: str | None


async def begin(
    application: str, wanted: Wanted, options: ClusterOptions, folder: Path, environ: Mapping[str, str]
) -> Begun:
    """A configuration for this Application; ``folder`` is the repository that it will stand in.

    Raises UsageError, AccessError, and ConfigurationError for names that cannot stand in one.
    """
    from gate.app.clusters import open_clusters

    raw = {"applications": [{"name": application}], "argocd": {"namespace": wanted.namespace}}
    named = {"version": 1, "environments": {wanted.environment: raw}}
    settings = _settings(named, wanted.environment)
    async with open_clusters(settings, options, environ, time.monotonic() + _TIME) as clusters:
        looked = await look(clusters, settings)
    found = [*_pin_files(folder, looked)]
    placed = Wanted(
        wanted.environment, wanted.namespace, wanted.context, wanted.output, found[0] if len(found) == 1 else None
    )
    text = render_configuration(looked, placed)
    load_configuration(text, "The configuration that was made")
    return Begun(text, looked, placed.pin_file)


def _settings(raw: Mapping[str, object], environment: str) -> Environment:
    from gate.config.load import parse_configuration

    return parse_configuration(raw, "What was given").environments[environment]


def _pin_files(folder: Path, looked: Looked) -> Iterator[str]:
    """The manifests below a folder that pin this Application as it is pinned live, relative to it."""
    if looked.pin == "":
        return
    for number, path in enumerate(_manifests(folder)):
        if number >= _MOST_FILES:
            return
        with suppress(OSError, UnicodeDecodeError, GateError):
            if path.stat().st_size > _LARGEST:
                continue
            text = path.read_text(encoding="utf-8")
            if looked.application in text and "targetRevision" in text:
                read_pin(text, looked.application, looked.source, path.name)
                yield path.relative_to(folder).as_posix()


def _manifests(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        for path in sorted(folder.iterdir()):
            if path.name.startswith(".") or path.name in _PASSED_OVER or path.is_symlink():
                continue
            if path.is_dir():
                yield from _manifests(path)
            elif path.suffix in (".yaml", ".yml"):
                yield path
