"""Verdict latency on the real cluster: from the moment the last evidence turned final to the verdict."""

import statistics
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.processes import GATE, Running
from tests.benchmarks.results import Part, p95, spread
from tests.benchmarks.watcher import Watcher
from tests.cluster.harness import Harness, lifecycle, until
from tests.cluster.story import seeing
from tests.cluster.story.stage import Stage

SETTLE = 5.0
"""Seconds; the default of the configuration."""
STRATEGIES = ("Recreate", "RollingUpdate")
_LONG = 240


@dataclass(frozen=True)
class Sample:
    """One release: seconds from the last evidence to the verdict without the settle time."""

    latency: float
    last: str
    peak: float
    whole: float


class Releases:
    """One release after another on one stage."""

    def __init__(self, harness: Harness, strategy: str, folder: Path, kubeconfig: Path) -> None:
        self.strategy = strategy
        self.stage = Stage(harness, f"bench-{strategy.lower()}")
        self.number = 0
        self._folder = folder
        self._kubeconfig = kubeconfig
        self.stage.begin("1.0.0", strategy=strategy)

    def one(self) -> Sample:
        """A good release, watched by the gate from before its pin."""
        stage = self.stage
        self.number += 1
        version = f"1.{self.number}.0"
        sha = stage.release(version, strategy=self.strategy)
        options = ["--no-publish", "-e", "staging", "--repo", str(stage.repository.path), "--revision", sha]
        more = ["--kubeconfig", str(self._kubeconfig), "--timeout", f"{_LONG}s", "--evidence", str(self._folder)]
        with Watcher(stage.name, stage.namespace) as watcher:
            running = Running.start([*GATE, "check", *options, *more], cwd=stage.repository.path)
            try:
                running.line("NotPinned", 60)
                stage.pin(sha)
                verdict = running.line("^verdict: ", _LONG + 30)
                code = running.end()
            finally:
                running.process.kill()
            assert code == 0, "\n".join(line.text for line in running.lines)
            at, last = watcher.final(sha, version, verdict.at)
        return Sample(verdict.at - at - SETTLE, last, running.peak, verdict.at - running.began)

    def rest(self) -> None:
        """Wait until nothing is left of the last release's work."""
        sha = self.stage.repository.head
        until(lambda: seeing.is_quiet(self.stage, sha), _LONG, "the release to be quiet")


@contextmanager
def _releases(harness: Harness) -> Iterator[list[Releases]]:
    with tempfile.TemporaryDirectory() as folder:
        made: list[Releases] = []
        kubeconfig = harness.reader_kubeconfig(7200)
        try:
            for strategy in STRATEGIES:
                made.append(Releases(harness, strategy, Path(folder), kubeconfig))  # noqa: PERF401 - ended below
            yield made
        finally:
            for one in made:
                one.stage.end()


def _measure(part: Part, harness: Harness, repeats: int) -> None:
    samples: dict[str, list[Sample]] = {strategy: [] for strategy in STRATEGIES}
    with _releases(harness) as releases:
        for number in range(repeats):
            one = releases[number % len(releases)]
            one.rest()
            sample = one.one()
            samples[one.strategy].append(sample)
            print(f"  {one.strategy}: {sample.latency:.2f} s after {sample.last} ({sample.whole:.0f} s)", flush=True)
    every = [sample for found in samples.values() for sample in found]
    latencies = [sample.latency for sample in every]
    for strategy, found in samples.items():
        part.add(f"{strategy}: median (least to largest)", "", spread([sample.latency for sample in found]))
    middle, late = statistics.median(latencies), p95(latencies)
    part.add(f"both: median of {len(every)}", "at most 0.5 s", f"{middle:.2f} s", middle <= 0.5)
    part.add(f"both: 95th percentile of {len(every)}", "at most 1.5 s", f"{late:.2f} s", late <= 1.5)
    peak = max(sample.peak for sample in every)
    part.add("peak memory of `gate check`, the largest", "under 150 MiB", f"{peak:.0f} MiB", 0 < peak < 150)
    last = Counter(sample.last for sample in every).most_common()
    part.notes.append("What turned final last: " + ", ".join(f"{what} {count}" for what, count in last) + ".")


def _versions(harness: Harness) -> str:
    from tests.cluster.recording import versions_of

    return versions_of(harness)


def measure(name: str, repeats: int | None) -> Part:
    """The part ``latency`` (Argo CD compares every 10 s) or ``latency-default`` (120 s and up to 60 s more)."""
    default = name == "latency-default"
    count = repeats if repeats is not None else 10 if default else 20
    with Harness(keep=lifecycle.running() is not None) as harness:
        before = harness.options.resync
        wanted = "default" if default else "fast"
        interval = "120 s, jitter 60 s (Argo CD's default)" if default else "10 s"
        part = Part(
            name,
            f"Verdict latency, Argo CD comparing every {interval}",
            f"{_versions(harness)}, a Deployment of one replica, released again and again, in turn by Recreate and by "
            "RollingUpdate. `gate check --no-publish` starts before the pin. Measured from the last event that made "
            "the evidence final, as it arrived at a watcher of its own (Application, Deployment, Pods, EndpointSlices; "
            "or one second after the end of the operation, from when on reads count), to the line with the verdict, "
            f"less the settle time of {SETTLE:g} s.",
        )
        try:
            if before != wanted:
                harness.restart_controller(wanted)
            _measure(part, harness, count)
        finally:
            if before != wanted:
                harness.restart_controller(before)
    return part
