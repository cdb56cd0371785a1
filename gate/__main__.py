"""The program ``gate``: a command-line tool, and the entry point of the action.

Whatever goes wrong ends here, once, as an exit code that is never 0.
"""

import importlib
import os
import signal
import sys
from collections.abc import Mapping, Sequence

from gate.adapters.runner.hidden import KNOWN, environment_secrets
from gate.adapters.runner.streams import steady_streams
from gate.errors import Cancelled, GateError, InternalError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns its exit code. ``arguments`` of None: those of the process."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if arguments is None:
        # The action's results are in files, and what it prints is for the log.
        KNOWN.learn(environment_secrets(os.environ))
        steady_streams(output=len(given) == 0 and is_action(os.environ))
    try:
        return _run(given, os.environ)
    except GateError as error:
        return _say(error)
    except KeyboardInterrupt:
        return _say(Cancelled(signal.SIGINT))
    except Exception as error:  # noqa: BLE001  # the one place where a fault of ours becomes an exit code
        from gate.app.fault import fault_of

        return _say(fault_of(error, os.environ))


def _run(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    if len(arguments) == 0 and is_action(environ):
        from gate.commands import ACTION_MODULE

        code = importlib.import_module(ACTION_MODULE).main(environ)
        if not isinstance(code, int) or isinstance(code, bool):
            raise InternalError("The action returned no exit code.")
        return int(code)
    import click

    from gate.commands.group import run

    try:
        return run(arguments)
    except click.Abort:
        raise Cancelled(signal.SIGINT) from None


def is_action(environ: Mapping[str, str]) -> bool:
    """Whether a workflow runner started this process as an action."""
    return environ.get("GITHUB_ACTIONS") == "true" and any(name.startswith("INPUT_") for name in environ)


def _say(error: GateError) -> int:
    from gate.render.text import log

    for line in log(error.diagnostics()):
        print(line, file=sys.stderr)
    return int(error.exit_code)


if __name__ == "__main__":
    raise SystemExit(main())
