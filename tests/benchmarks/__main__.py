"""The command: python -m tests.benchmarks [--offline] [PART ...]."""

import argparse
import sys
from collections.abc import Callable

from tests.benchmarks import commands, counting, deciding, starting
from tests.benchmarks.page import PAGE, render_page
from tests.benchmarks.results import Part, kept

OFFLINE: dict[str, Callable[[], Part]] = {
    "start": starting.measure,
    "commands": commands.measure,
    "requests": counting.measure,
    "decision": deciding.measure,
}
CLUSTER = ("latency", "latency-default")


def _cluster(name: str, repeats: int | None) -> Part:
    from tests.benchmarks import latency

    return latency.measure(name, repeats)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join((*CLUSTER, *OFFLINE))}; default: all")
    parser.add_argument("--offline", action="store_true", help="only what needs no cluster")
    parser.add_argument("--repeats", type=int, metavar="N", help="how often a release is repeated on the cluster")
    page = parser.add_mutually_exclusive_group()
    page.add_argument("--no-page", action="store_true", help="leave docs/benchmarks.md as it is")
    page.add_argument("--page", action="store_true", help="write it from what was measured before, and measure nothing")
    return parser.parse_args()


def main() -> int:
    """Measure, print, and write the page; 0 when no bar of what was measured is missed."""
    arguments = _arguments()
    every = (*CLUSTER, *OFFLINE)
    wanted = arguments.parts or (list(OFFLINE) if arguments.offline else list(every))
    if arguments.page:
        wanted = []
    unknown = sorted(set(wanted) - set(every))
    if unknown:
        print(f"no such part: {', '.join(unknown)}; there are: {', '.join(every)}", file=sys.stderr)
        return 64
    measured = []
    for name in wanted:
        print(f"{name}:", flush=True)
        part = OFFLINE[name]() if name in OFFLINE else _cluster(name, arguments.repeats)
        part.keep()
        measured.append(part)
    found = {name: kept(name) for name in every}
    parts = [part for part in found.values() if part is not None]
    if not arguments.no_page:
        PAGE.write_text(render_page(parts, [name for name, part in found.items() if part is None]))
        print(f"written: {PAGE.relative_to(PAGE.parents[1])}")
    return 1 if any(row.met is False for part in measured for row in part.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
