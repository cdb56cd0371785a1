"""`python -m gate.lab.github`: the stand-in as a process of its own, until SIGTERM."""

from __future__ import annotations

import argparse
import signal
import threading
from pathlib import Path

from gate.lab.github.identity import GITHUB_ACTIONS, Identity
from gate.lab.github.standin import DEFAULT_TOKEN, GitHubStandIn


def pair(text: str) -> tuple[str, str]:
    """NAME=VALUE."""
    name, separator, value = text.partition("=")
    if not separator or not name or not value:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def parser() -> argparse.ArgumentParser:
    """The command line."""
    options = argparse.ArgumentParser(prog="python -m gate.lab.github", description=__doc__)
    options.add_argument(
        "--repository", type=pair, action="append", required=True, metavar="OWNER/NAME=DIR",
        help="a bare Git repository to serve; may be repeated",
    )  # fmt: skip
    options.add_argument("--token", default=DEFAULT_TOKEN, help="the token that is let in")
    options.add_argument(
        "--permission", type=pair, action="append", metavar="NAME=LEVEL",
        help="what the token may do, as in a workflow's permissions block (default: everything)",
    )  # fmt: skip
    options.add_argument(
        "--require-status", type=pair, action="append", default=[], metavar="BRANCH=CONTEXT",
        help="a status without which nothing merges into the branch of the first repository",
    )  # fmt: skip
    options.add_argument("--login", default="", help="act as this person instead of the bot")
    options.add_argument("--prefix", default="", help="/api/v3 for GitHub Enterprise Server")
    options.add_argument("--port", type=int, default=0, help="default: a free one")
    options.add_argument("--index-lag", type=int, default=0, help="empty answers of commit pulls")
    options.add_argument("--port-file", type=Path, help="write the port here once it listens")
    return options


def main() -> None:
    """Serve until told to stop."""
    options = parser().parse_args()
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    github = GitHubStandIn(
        {name: Path(directory) for name, directory in options.repository},
        token=options.token,
        permissions=dict(options.permission) if options.permission else None,
        actor=Identity(options.login, 1, "User") if options.login else GITHUB_ACTIONS,
        prefix=options.prefix,
        port=options.port,
        index_lag=options.index_lag,
    )
    for branch, context in options.require_status:
        github.require_status(branch, context)
    with github:
        if options.port_file:
            unfinished = options.port_file.with_suffix(".new")
            unfinished.write_text(f"{github.server_url.rpartition(':')[2]}\n")
            unfinished.replace(options.port_file)
        print(github.url, flush=True)
        stop.wait()


if __name__ == "__main__":
    main()
