"""Lines that say what is going on and how long it took."""

import sys
import time
from typing import TextIO


class Progress:
    """Prints one line for each finished step: seconds since the start, seconds of the step."""

    def __init__(self, out: TextIO | None = None, quiet: bool = False) -> None:
        self._out = out if out is not None else sys.stderr
        self._quiet = quiet
        self._begin = self._last = time.monotonic()

    def say(self, text: str) -> None:
        """Print a line as it is."""
        if not self._quiet:
            print(text, file=self._out, flush=True)

    def done(self, step: str) -> None:
        """Print that a step has ended now."""
        now = time.monotonic()
        self.say(f"{now - self._begin:7.2f} s  (+{now - self._last:.2f})  {step}")
        self._last = now

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._begin


def minutes(seconds: float) -> str:
    """Seconds as m:ss."""
    whole = int(seconds)
    return f"{whole // 60}:{whole % 60:02d}"
