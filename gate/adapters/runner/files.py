"""The files through which the runner takes outputs and the job summary."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from gate.errors import InternalError, PublishError
from gate.render.fitting import SUMMARY_LIMIT, cut_markdown, utf8_length

OUTPUTS_LIMIT: Final = 1024 * 1024
"""Bytes for all outputs of a job, counted as UTF-16."""

SUMMARY_CUT: Final = "*Cut here, because GitHub takes no longer summary. The evidence file has all of it.*"

_NAME = re.compile(r"[a-z][a-z0-9-]*")
_ONE_WORD = re.compile(r"[A-Za-z0-9-]*")
_ONE_WORD_OUTPUTS = frozenset({"verdict", "reason", "failed-layer"})


def outputs_text(values: Mapping[str, str], token: Callable[[], str]) -> str:
    """The lines that set these outputs; ``token`` gives unguessable words.

    Each value stands between two lines of a random word that is not in it, so that no value can end
    its own block and begin another. The one-word outputs come last, for the last one counts. Raises
    InternalError for a name that is no output, or more than one word where one is due.
    """
    ordered = sorted(values.items(), key=lambda item: item[0] in _ONE_WORD_OUTPUTS)
    return "".join(_output(name, value, token) for name, value in ordered)


def _output(name: str, value: str, token: Callable[[], str]) -> str:
    if _NAME.fullmatch(name) is None:
        raise InternalError(f"{name!r} cannot be the name of an output.")
    if name in _ONE_WORD_OUTPUTS and _ONE_WORD.fullmatch(value) is None:
        raise InternalError(f"The output {name} is to be one word.")
    kept = "".join(char for char in _unix_lines(value) if char in "\n\t" or unicodedata.category(char) != "Cc")
    end = f"gate-{token()}"
    while end in kept:
        end = f"gate-{token()}"
    return f"{name}<<{end}\n{kept}\n{end}\n"


def _unix_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").encode(errors="replace").decode()


def append_outputs(path: Path, values: Mapping[str, str], token: Callable[[], str]) -> None:
    """Set outputs. Raises PublishError when they are too large or the file cannot be written."""
    text = outputs_text(values, token)
    size = len(text.encode("utf-16-le"))
    if size > OUTPUTS_LIMIT:
        largest = max(values, key=lambda name: len(values[name]))
        raise PublishError(
            f"The outputs have {size} bytes, and the runner takes {OUTPUTS_LIMIT}.",
            means=f"the output {largest} has grown too large.",
            change="read the evidence file instead.",
        )
    _append(path, text, "outputs")


def append_state(path: Path, name: str, value: str) -> None:
    """Keep one line for the post step; of a name that is kept twice the last one counts.

    Raises PublishError when the file cannot be written, InternalError for what is no line.
    """
    if "\n" in value or "\r" in value or _NAME.fullmatch(name) is None:
        raise InternalError(f"{name!r} cannot be kept as a line.")
    _append(path, f"{name}={value}\n", "state")


def append_summary(path: Path, markdown: str) -> None:
    """Add to the job summary what fits into it. Raises PublishError when the file cannot be written."""
    try:
        there = path.stat().st_size
    except OSError as error:
        raise _not_written("job summary", error) from error
    text = markdown.encode(errors="replace").decode().rstrip("\n") + "\n"
    room = SUMMARY_LIMIT - there
    if room < utf8_length(SUMMARY_CUT) + 2:
        return
    _append(path, cut_markdown(text, room, SUMMARY_CUT, utf8_length), "job summary")


def _append(path: Path, text: str, what: str) -> None:
    try:
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise _not_written(what, error) from error


def _not_written(what: str, error: OSError) -> PublishError:
    return PublishError(
        f"The {what} could not be written: {error.strerror or type(error).__name__}.",
        means="the file that the runner names for it is not there or not writable.",
        change="run the gate as a step of a workflow, or without GITHUB_ACTIONS in its environment.",
    )
