"""The gate as a process of its own."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Completed:
    """What a command answered."""

    code: int
    out: str
    err: str


def run_gate(arguments: Sequence[str], folder: Path, environment: Mapping[str, str], timeout: float) -> Completed:
    """Run the gate in a folder, with these variables only; raises TimeoutExpired after so many seconds."""
    run = subprocess.run(
        [sys.executable, "-m", "gate", *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=timeout,
        cwd=folder,
        env=dict(environment),
    )
    return Completed(run.returncode, run.stdout, run.stderr)
