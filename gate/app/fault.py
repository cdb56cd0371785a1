"""A fault of the gate itself, told without the text of any exception, which may hold a secret."""

import sys
import traceback
from collections.abc import Iterator, Mapping

import gate
from gate.errors import InternalError


def fault_of(error: Exception, environ: Mapping[str, str]) -> InternalError:
    """An unknown exception as a fault of ours; with ``GATE_DEBUG=1`` its frames go to standard error."""
    if environ.get("GATE_DEBUG") == "1":
        from gate.adapters.runner.commands import neutralise

        # Paths and lines of programs stand in it.
        sys.stderr.write(neutralise("".join(_frames(error))))
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    ours = [frame for frame in frames if str(frame.f_globals.get("__name__", "")).partition(".")[0] == "gate"]
    where = "" if not ours else f" in {ours[-1].f_globals['__name__']}, line {ours[-1].f_lineno}"
    missing = f" for {error.name}" if isinstance(error, ImportError) and error.name is not None else ""
    return InternalError(
        f"A fault of the gate itself: {type(error).__name__}{missing}{where} (gate {gate.__version__}).",
        means="the gate met a state it was not built for; this says nothing about the release",
        change=f"run it again with GATE_DEBUG=1 to see more, and report it at {_issues(environ)}",
    )


def _frames(error: Exception) -> Iterator[str]:
    """Where it was raised and what it came from, the first one first: the types, and none of their texts."""
    from gate.adapters.failures import chain_of

    for link in reversed([*chain_of(error)]):
        yield "Traceback (most recent call last):\n"
        yield from traceback.format_tb(link.__traceback__)
        yield f"{type(link).__module__}.{type(link).__qualname__}\n"


def _issues(environ: Mapping[str, str]) -> str:
    server, action = environ.get("GITHUB_SERVER_URL", ""), environ.get("GITHUB_ACTION_REPOSITORY", "")
    if server != "" and action != "":
        return f"{server}/{action}/issues"
    return "the issue tracker of the repository that this program came from"
