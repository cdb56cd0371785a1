"""What the command line and the action share: the workflow run, the screen, and running a check."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from gate.adapters.runner.hidden import learn
from gate.app.check import Check
from gate.app.console import Lines, LiveTable, Screen, takes_codes
from gate.app.hiding import known_secrets
from gate.app.options import ApproveOptions, BumpOptions, CheckOptions
from gate.app.signals import remember_signals
from gate.errors import GateError, UsageError

if TYPE_CHECKING:  # a laptop has no event
    from gate.config.event import Run


def read_run(environ: Mapping[str, str]) -> Run:
    """The workflow run that this process is part of; raises UsageError outside of one."""
    from gate.config.event import parse_payload, parse_run

    path = environ.get("GITHUB_EVENT_PATH", "")
    if path == "":
        raise UsageError(
            "Nothing says which commit on GitHub the verdict belongs to: GITHUB_EVENT_PATH is not set.",
            means="this does not run in a workflow.",
            change="give --no-publish, or run it in a workflow.",
        )
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise UsageError(
            f"The event file {path} cannot be read: {error.strerror}.",
            means="the folder that the runner puts it into is not mounted here.",
            change="pass GITHUB_EVENT_PATH only together with the file.",
        ) from error
    return parse_run(environ, parse_payload(text, path))


def find_run(options: CheckOptions, environ: Mapping[str, str]) -> Run | None:
    """The workflow run that a command is part of; None on a laptop. Raises UsageError where it could not publish."""
    if options.publish and not options.has_github:
        raise UsageError(
            "There is no token to publish with.",
            means="the environment variable GITHUB_TOKEN is not set, nor GATE_APP_PRIVATE_KEY for a GitHub App.",
            change="set it, or give --no-publish.",
        )
    if not options.publish and (not options.has_github or environ.get("GITHUB_EVENT_PATH", "") == ""):
        return None
    return read_run(environ)


def _learn_secrets(options: CheckOptions) -> None:
    """Hide what the options hold, wherever they came from."""
    tokens = (options.github_token, options.app_private_key, options.cluster.server_token)
    for secret in known_secrets(*tokens, kubeconfig=options.cluster.kubeconfig):
        learn(secret)


def run_check(
    options: CheckOptions,
    environ: Mapping[str, str],
    run: Run | None,
    *,
    refused: GateError | None = None,
    hide: Callable[[SecretStr], None] = learn,
    bump: BumpOptions | None = None,
    recheck: bool = False,
    approval: ApproveOptions | None = None,
) -> tuple[Check, int]:
    """Run one check with the screen that fits standard error; the check as it ended, and its exit code.

    ``hide`` has the log hide a secret. With ``bump`` it is a Bump, which writes the pin first, with ``recheck``
    a Recheck of all open promotion pull requests, with ``approval`` an Approve.
    """
    _learn_secrets(options)
    in_log = environ.get("GITHUB_ACTIONS") == "true" or not takes_codes(sys.stderr)
    screen: Screen = Lines() if in_log else LiveTable(lambda: check.deadline_at)
    check: Check
    if recheck:
        from gate.app.recheck import Recheck

        check = Recheck(options, environ, screen, run, refused, hide)
    elif approval is not None:
        from gate.app.approve import Approve

        check = Approve(options, environ, screen, run, refused, hide, approval=approval)
    elif bump is None:
        check = Check(options, environ, screen, run, refused, hide)
    else:
        from gate.app.bump import Bump

        check = Bump(options, environ, screen, run, refused, hide, bump=bump)
    with screen:
        code = asyncio.run(check.go())
        # The loop has taken its handlers along; what is left to do is quick and must be done.
        remember_signals()
    return check, int(code)
