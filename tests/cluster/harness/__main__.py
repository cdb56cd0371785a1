"""The command: python -m tests.cluster.harness build|up|down|status."""

import argparse
import signal
import sys
from types import FrameType

from . import build, lifecycle, needs
from .kubernetes import PKI
from .processes import Processes
from .progress import Progress
from .settings import API_SERVER, ARGOCD_URL, RESYNCS, STATE, ClusterError, Options

INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.harness", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("build", help="build the programs, unless the cache has them")
    up = commands.add_parser("up", help="build what is missing and start the cluster")
    up.add_argument("--resync", choices=RESYNCS, default="fast", help="Argo CD's own interval")
    up.add_argument("--no-kube-proxy", action="store_true", help="no service addresses")
    up.add_argument("--applicationset", action="store_true", help="with that controller too")
    commands.add_parser("down", help="stop the cluster and remove all that it left")
    commands.add_parser("status", help="what runs; exit code 1 when nothing does")
    return parser.parse_args()


def _run(arguments: argparse.Namespace) -> int:
    progress = Progress()
    if arguments.command == "build":
        needs.go_version()
        print(build.build(progress).folder)
    elif arguments.command == "up":
        options = Options(arguments.resync, not arguments.no_kube_proxy, arguments.applicationset)
        lifecycle.up(options, progress)
        print(f"export KUBECONFIG={PKI / 'admin.kubeconfig'}")
        print(f"# Kubernetes {API_SERVER}, Argo CD {ARGOCD_URL}")
    elif arguments.command == "down":
        lifecycle.down(progress)
    else:
        return _status()
    return 0


def _status() -> int:
    running = lifecycle.running()
    if running is None:
        left = lifecycle.leftovers()
        print("no cluster is running" + (f"; left behind: {', '.join(left)}" if left else ""))
        return 1
    processes = Processes(STATE).marks().items()
    names = [f"  {name} (process {process.pid})" for name, process in processes]
    print("\n".join([f"running from {running['build']} in {STATE}", *names]))
    return 0


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """The first interruption ends the work; while it is cleaned up, further ones only get an answer."""
    for number in INTERRUPTIONS:
        signal.signal(number, _already)
    raise KeyboardInterrupt


def _already(_number: int, _frame: FrameType | None) -> None:
    print("interrupted already: cleaning up", file=sys.stderr)


def main() -> int:
    """Run the command; 0 when it did what it was asked, 130 when it was interrupted."""
    for number in INTERRUPTIONS:
        signal.signal(number, _interrupt)
    try:
        return _run(_arguments())
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except ClusterError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
