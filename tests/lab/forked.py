"""A command of the gate for a laboratory's tale, forked from a process that has loaded the program."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.cluster.harness import Completed
from tests.support.forked import start_forked


def run_forked(arguments: Sequence[str], folder: Path, environment: Mapping[str, str], timeout: float) -> Completed:
    """Run the gate in a folder, with these variables only; raises TimeoutError after so many seconds."""
    started = start_forked(arguments, folder, environment)
    try:
        out, err = started.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        started.kill()
        started.wait()
        raise TimeoutError(f"the gate did not end within {timeout:g} s") from None
    return Completed(started.wait(), out, err)
