"""The program ``gate``: a command-line tool, and the entry point of the action.

Whatever goes wrong ends here, once, as an exit code that is never 0.
"""

import importlib
import os
import signal
import sys
import traceback
from collections.abc import Mapping, Sequence

import gate
from gate.errors import Cancelled, GateError, InternalError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns its exit code. ``arguments`` of None: those of the process."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        return _run(given, os.environ)
    except GateError as error:
        return _say(error)
    except KeyboardInterrupt:
        return _say(Cancelled(signal.SIGINT))
    except Exception as error:  # noqa: BLE001  # the one place where a fault of ours becomes an exit code
        return _say(_fault(error, os.environ))


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


def _fault(error: Exception, environ: Mapping[str, str]) -> InternalError:
    """An unknown exception as a fault of ours. Its text is left out: it may hold a secret."""
    if environ.get("GATE_DEBUG") == "1":
        traceback.print_exception(error, file=sys.stderr)
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    ours = [frame for frame in frames if str(frame.f_globals.get("__name__", "")).partition(".")[0] == "gate"]
    where = "" if not ours else f" in {ours[-1].f_globals['__name__']}, line {ours[-1].f_lineno}"
    return InternalError(
        f"A fault of the gate itself: {type(error).__name__}{where} (gate {gate.__version__}).",
        means="the gate met a state it was not built for; this says nothing about the release",
        change=f"run it again with GATE_DEBUG=1 to see more, and report it at {_issues(environ)}",
    )


def _issues(environ: Mapping[str, str]) -> str:
    server, action = environ.get("GITHUB_SERVER_URL", ""), environ.get("GITHUB_ACTION_REPOSITORY", "")
    if server != "" and action != "":
        return f"{server}/{action}/issues"
    return "the issue tracker of the repository that this program came from"


if __name__ == "__main__":
    raise SystemExit(main())
