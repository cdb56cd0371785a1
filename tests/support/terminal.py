"""A pseudo terminal that a command writes to."""

import os
import pty
import select
import subprocess
import time
from pathlib import Path

LIMIT = 45
"""Seconds that a command may take."""


def in_terminal(command: list[str], folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    """Run a command in a pseudo terminal; its exit code, and what a person saw."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True
    ) as process:
        os.close(theirs)
        shown, began = b"", time.monotonic()
        while time.monotonic() - began < LIMIT:
            ready, _, _ = select.select([ours], [], [], 0.2)
            if ready:
                try:
                    piece = os.read(ours, 65536)
                except OSError:  # the other side is closed
                    break
                shown += piece
        process.wait(timeout=LIMIT)
    os.close(ours)
    return process.returncode, shown.decode(errors="replace")
