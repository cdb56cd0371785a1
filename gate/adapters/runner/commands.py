"""What the runner reads from a step's output, and how to say it, or not to say it by accident. Pure.

The runner takes ``::name::`` at the beginning of a line, after blanks too, and ``##[name]`` anywhere
in a line for a command, on standard output and standard error alike.
"""

import re
import unicodedata
from typing import Final

from gate.render.annotations import Annotation

LONGEST_MESSAGE: Final = 4000
"""Characters; the runner cuts annotations at 4096."""

_LINE_END = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_COMMAND = re.compile(r"(?<!\S)::")
_OLD_COMMAND = re.compile(r"##(?=\[)")
_SHORTEST_SECRET = 4


def neutralise(text: str) -> str:
    """Text in which the runner and a terminal see nothing but text; lines and blanks are kept.

    Control characters, escape sequences among them, and characters that turn the reading direction
    become replacement characters; commands get a blank inside.
    """
    lines = (_visible(line) for line in _LINE_END.split(text))
    return "\n".join(_OLD_COMMAND.sub("## ", _COMMAND.sub(": :", line)) for line in lines)


def _visible(line: str) -> str:
    return "".join(_shown(char) for char in line)


def _shown(char: str) -> str:
    if char == "\t":
        return char
    # Zs: .NET counts every one as a blank before a command, so all become the plain one.
    category = unicodedata.category(char)
    if category == "Zs":
        return " "
    return "\N{REPLACEMENT CHARACTER}" if category in ("Cc", "Cf", "Cs") else char


def escape_data(text: str) -> str:
    """A command's message; ``%`` first, or it would be escaped twice."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """A command's property."""
    return escape_data(text).replace(":", "%3A").replace(",", "%2C")


def annotation_command(annotation: Annotation) -> str:
    """The line that makes an annotation; a message too long for the runner is cut."""
    title = neutralise(annotation.title).replace("\n", " ")
    message = neutralise(annotation.message)
    if len(message) > LONGEST_MESSAGE:
        message = message[: LONGEST_MESSAGE - 1] + "…"
    return f"::{annotation.level} title={escape_property(title)}::{escape_data(message)}"


def mask_commands(secret: str) -> tuple[str, ...]:
    """The lines that make the runner hide a secret: one for each of its lines, which is how logs show it.

    Lines of fewer than four characters are left out: hiding them would hide half the log.
    """
    lines = dict.fromkeys(line.strip() for line in _LINE_END.split(secret))
    return tuple(f"::add-mask::{escape_data(line)}" for line in lines if len(line) >= _SHORTEST_SECRET)
