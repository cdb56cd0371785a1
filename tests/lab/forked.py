"""The gate as a process that has not to load the program: forked from one that has.

It runs from ``main`` on with variables, folder and streams of its own, like one that was started;
what is saved is half a second of loading, many times over. The action tests start it from nothing.
"""

import importlib
import multiprocessing
import os
import pkgutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import gate
from tests.cluster.harness import Completed

_LEFT_OUT = ("gate.lab", "gate.commands.lab")
_FORK = multiprocessing.get_context("forkserver")
_FORK.set_forkserver_preload(["tests.lab.loaded"])


def load_gate() -> None:
    """Import all modules of the gate."""
    for module in pkgutil.walk_packages(gate.__path__, "gate."):
        if not module.name.startswith(_LEFT_OUT):
            importlib.import_module(module.name)


def _main(arguments: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for name, number in (("stdout", 1), ("stderr", 2)):
        with (folder / name).open("wb") as file:
            os.dup2(file.fileno(), number)
    sys.argv = ["gate", *arguments]
    from gate.__main__ import main

    raise SystemExit(main())


def run_forked(arguments: Sequence[str], folder: Path, environment: Mapping[str, str], timeout: float) -> Completed:
    """Run the gate in a folder, with these variables only; raises TimeoutError after so many seconds."""
    process = _FORK.Process(target=_main, args=(arguments, folder, dict(environment)))
    process.start()
    process.join(timeout)
    code = process.exitcode
    if code is None:
        process.kill()
        process.join()
        raise TimeoutError(f"the gate did not end within {timeout:g} s")
    process.close()
    return Completed(code, (folder / "stdout").read_text(), (folder / "stderr").read_text())
