"""What the workflow runner makes of a step's output and files, written from its documented rules.

Commands: ``::name properties::message`` at the beginning of a line, blanks before it allowed, and
``##[name properties]message`` anywhere in one; nothing between ``stop-commands`` and its word.
Files: ``name=value`` or ``name<<WORD``, lines, ``WORD``.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

_COMMAND = re.compile(r"::([^ :]+)(?: (.*?))?::(.*)")
_OLD_COMMAND = re.compile(r"##\[([A-Za-z-]+)(?: ([^\]]*))?\](.*)")
_ANNOTATIONS = ("error", "warning", "notice")
_MOST_ANNOTATIONS = 10  # of each kind in a step
_LONGEST_MESSAGE = 4096
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
        elif command is not None:
            found.append(command)
            stopped = command.message if command.name == "stop-commands" else None
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


def problems_in(files: Path, commands: list[Command]) -> list[str]:
    """What the runner would stop at, leave out or cut, of what a step wrote and printed."""
    annotations = Counter(one.name for one in commands if one.name in _ANNOTATIONS)
    kept = outputs_in((files / "state").read_text(encoding="utf-8"))
    sizes = {
        "outputs": (len((files / "output").read_text(encoding="utf-8").encode("utf-16-le")), 1024 * 1024),
        "job summary": ((files / "summary").stat().st_size, 1024 * 1024),
    }
    masked = [one.message for one in commands if one.name == "add-mask"]
    outputs = outputs_in((files / "output").read_text(encoding="utf-8"))
    return [
        *(f"the command {one.name}" for one in commands if one.name not in {*_ANNOTATIONS, "add-mask"}),
        *(f"{count} annotations of {name}" for name, count in annotations.items() if count > _MOST_ANNOTATIONS),
        *(f"a message of {len(one.message)} characters" for one in commands if len(one.message) > _LONGEST_MESSAGE),
        *(f"{size} bytes of {what}" for what, (size, most) in sizes.items() if size > most),
        *(f"the state {name}" for name in kept if name != "pending"),
        *(f"something in {name}" for name in ("env", "path") if (files / name).read_text() != ""),
        *(f"the output {name}, which is masked" for name, value in outputs.items() for one in masked if one in value),
    ]
