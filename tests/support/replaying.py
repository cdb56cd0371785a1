"""Calling ``gate replay`` with documents that are data or text."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from click.testing import CliRunner

from gate.commands.replay import command
from tests.support.bundles import Json


class Ran(NamedTuple):
    """What a call came to."""

    code: int
    printed: list[Json]


Replay = Callable[..., Ran]


def replay_in(folder: Path) -> Replay:
    """A way to call the command; a document given as data or text becomes a file of that folder."""

    def call(*given: Any, stdin: str | None = None) -> Ran:
        arguments = []
        for number, one in enumerate(given):
            if isinstance(one, str) and "\n" not in one and not one.startswith("{"):
                arguments.append(one)
                continue
            file = folder / f"{number}.yaml"
            file.write_text(one if isinstance(one, str) else json.dumps(one), encoding="utf-8")
            arguments.append(str(file))
        result = CliRunner().invoke(command, arguments, input=stdin, standalone_mode=False)
        if result.exception is not None:
            raise result.exception
        text = result.output
        lines = [json.loads(line) for line in text.splitlines()] if text.startswith('{"') else [json.loads(text)]
        return Ran(int(result.return_value), lines)

    return call
