"""What the workflow runner makes of a step's output and files, written from its documented rules.

Commands: ``::name properties::message`` at the beginning of a line, blanks before it allowed, and
``##[name properties]message`` anywhere in one; nothing between ``stop-commands`` and its word.
Files: ``name=value`` or ``name<<WORD``, lines, ``WORD``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_COMMAND = re.compile(r"::([^ :]+)(?: (.*?))?::(.*)")
_OLD_COMMAND = re.compile(r"##\[([A-Za-z-]+)(?: ([^\]]*))?\](.*)")
# What .NET trims from the beginning of a line.
_BLANKS = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)


@dataclass(frozen=True)
class Command:
    """One command as the runner understood it."""

    name: str
    message: str
    properties: dict[str, str] = field(default_factory=dict)


def commands_in(output: str) -> list[Command]:
    """Every command that the runner would carry out, in order."""
    found: list[Command] = []
    stopped: str | None = None
    for line in re.split(r"\r\n|\r|\n", output):
        command = _command(line)
        if stopped is not None:
            stopped = None if command is not None and command.name == stopped else stopped
        elif command is not None and command.name == "stop-commands":
            stopped = command.message
        elif command is not None:
            found.append(command)
    return found


def _command(line: str) -> Command | None:
    match = _COMMAND.match(line.lstrip(_BLANKS)) or _OLD_COMMAND.search(line)
    if match is None:
        return None
    name, properties, message = match[1], match[2] or "", match[3]
    pairs = [pair.partition("=") for pair in properties.split(",") if "=" in pair]
    return Command(name, _plain(message), {key.strip(): _plain_property(value) for key, _, value in pairs})


def _plain(text: str) -> str:
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


def _plain_property(text: str) -> str:
    return _plain(text.replace("%3A", ":").replace("%2C", ","))


def outputs_in(text: str) -> dict[str, str]:
    """The outputs that a file of ``GITHUB_OUTPUT`` sets; raises ValueError where the runner would stop."""
    lines = re.split(r"\r\n|\r|\n", text)
    values: dict[str, str] = {}
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        if line == "":
            continue
        name, equals, value = line.partition("=")
        if "<<" in line and (equals == "" or line.index("<<") < line.index("=")):
            name, _, word = line.partition("<<")
            if word not in lines[index:]:
                raise ValueError(f"{name} does not end")
            end = lines.index(word, index)
            value, index = "\n".join(lines[index:end]), end + 1
        elif equals == "":
            raise ValueError(f"{line!r} is no output")
        values[name] = value
    return values
