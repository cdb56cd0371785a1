"""Standard streams that cost no verdict and tell no secret.

A full disk, a closed pipe or a lost terminal ends no run. Whatever is printed, by whomever, passes by the
secrets that this process knows.
"""

import codecs
import io
import os
import sys
from contextlib import suppress
from typing import Any, Final, TextIO

from gate.adapters.runner.hidden import KNOWN
from gate.secrecy import without_credentials

MASKING: Final = "::add-mask::"
"""How a line begins that has the runner hide a secret, and must hold it."""


class _Steady(io.FileIO):
    """A file of which what cannot be written is lost, and nothing else."""

    def write(self, data: Any) -> int:
        """As always, but all of it counts as written where nothing can be."""
        with suppress(OSError):
            return super().write(data)
        return memoryview(data).nbytes


class _Discreet(io.TextIOWrapper):
    """Text in which the secrets of this process are hidden; in one that is a ``log``, what may be one as well."""

    log = False

    def write(self, text: str) -> int:
        """As always, but without secrets."""
        shown = text if text.startswith(MASKING) else KNOWN.hide(without_credentials(text) if self.log else text)
        super().write(shown)
        return len(text)

    def write_openly(self, text: str) -> None:
        """As it is, whatever stands in it."""
        super().write(text)


def hold_places() -> None:
    """Open what was closed for the program, so that no file of its own takes the place of a stream."""
    for place in range(3):
        try:
            os.fstat(place)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest place that is free


def steady(stream: TextIO | None, place: int) -> TextIO:
    """The same stream, on which writing never fails; what none can be written on where there was none."""
    encoding = "utf-8" if stream is None else stream.encoding
    buffer = io.BufferedWriter(_Steady(place, "w", closefd=False))
    made = _Discreet(buffer, encoding=encoding, errors=_ESCAPED, line_buffering=True)
    made.log = True
    return made


def write_openly(stream: TextIO, text: str) -> None:
    """Write a text whose secrets are there to be read and typed: a laboratory's own, which open nothing else."""
    if isinstance(stream, _Discreet):
        stream.write_openly(text)
    else:
        stream.write(text)
    stream.flush()


def _escape(error: UnicodeError) -> tuple[str, int]:
    """What the stream's encoding lacks, as JSON escapes it: what is JSON stays JSON."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    import json

    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


_ESCAPED = "gate-escaped"
codecs.register_error(_ESCAPED, _escape)


def steady_streams(*, output: bool) -> None:
    """Make standard error steady, and standard output where ``output`` says that nobody rests on it.

    On neither a character is an error that the stream's encoding lacks, or a secret of this process is shown.
    """
    hold_places()
    sys.stderr = steady(sys.stderr, 2)
    if output or sys.stdout is None:
        sys.stdout = steady(sys.stdout, 1)
    elif isinstance(sys.stdout, io.TextIOWrapper):
        lines = sys.stdout.line_buffering
        encoding = sys.stdout.encoding
        sys.stdout = _Discreet(sys.stdout.detach(), encoding=encoding, errors=_ESCAPED, line_buffering=lines)
