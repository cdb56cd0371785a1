"""How often the clusters and GitHub are asked, counted at servers on loopback; and the memory of those waits."""

import re
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.processes import GATE, Running
from tests.benchmarks.results import Part
from tests.support import bundles
from tests.support import raw_workload as kube
from tests.support.action import Stage, stage
from tests.support.bundles import OLD, Json
from tests.support.environments import configuration
from tests.support.loopback import Asked

_PLURAL = re.compile(r"/namespaces/[^/]+/([a-z]+)(?:/[^/]+(/proxy)?)?")
WORKLOADS = frozenset(("deployments", "replicasets", "pods", "services", "endpointslices", "events"))
BEGINNING = 5
"""Seconds in which the first bundles are read, before a wait is quiet."""
_LONG = 70


@dataclass(frozen=True)
class Wait:
    """What one run asked. ``quiet``: requests after its beginning, by what they are for."""

    whole: Counter[str]
    quiet: Counter[str]
    seconds: float
    peak: float
    github: int
    statuses: int
    code: int
    log: str


def _what(asked: Asked) -> str:
    found = _PLURAL.search(asked.path)
    kind = "other" if found is None else "proxy" if found[2] else found[1]
    if "watch" in asked.query:
        return f"watch {kind}"
    return f"first list {kind}" if asked.query.get("limit") == "1" else kind


def _run(scene: Stage, seconds: float) -> Wait:
    """One run, in which what was asked at the end of its beginning is noted."""
    scene.start().process.kill()  # makes the files that the runner would have made
    time.sleep(0.5)
    scene.lab.github.state()
    before, github_before = len(scene.cluster.asked), len(scene.lab.github.requests)
    running = Running.start(GATE, cwd=scene.workspace, environment=scene.environment())
    marks: list[int] = []
    first = threading.Event()

    def mark() -> None:
        while len(scene.cluster.asked) == before and not first.wait(0.05):
            pass
        time.sleep(BEGINNING)
        marks.append(len(scene.cluster.asked))

    marking = threading.Thread(target=mark, daemon=True)
    marking.start()
    code = running.end(seconds)
    first.set()
    marking.join()
    asked = scene.cluster.asked
    github = [one for one in scene.lab.github.requests[github_before:] if one.template is not None]
    posted = [one for one in github if one.method == "POST" and (one.template or "").endswith("/statuses/{sha}")]
    return Wait(
        Counter(_what(one) for one in asked[before:]),
        Counter(_what(one) for one in asked[marks[0] :]),
        time.time() - running.began,
        running.peak,
        len(github),
        len(posted),
        code,
        "\n".join(line.text for line in running.lines),
    )


def _not_pinned(raw: Json) -> None:
    for app in bundles.both(raw):
        app["spec"]["source"]["targetRevision"] = OLD


def _stale(raw: Json) -> None:
    for app in bundles.both(raw):
        app["status"]["sync"]["comparedTo"]["source"]["targetRevision"] = OLD


def _operation_runs(raw: Json) -> None:
    for app in bundles.both(raw):
        app["status"]["operationState"] |= {"phase": "Running"}
        app["status"]["operationState"].pop("finishedAt")
        app["status"]["sync"]["status"] = "OutOfSync"
        app["status"]["operationState"]["syncResult"]["resources"] = []


def _not_ready(raw: Json) -> None:
    """The new Pod has not become ready; nothing changes any more."""
    for app in bundles.both(raw):
        app["status"]["health"] = {"status": "Progressing"}
    deployment = bundles.find(raw, "Deployment")
    deployment["status"] = {
        "observedGeneration": 2,
        "replicas": 1,
        "updatedReplicas": 1,
        "unavailableReplicas": 1,
        "conditions": [
            kube.condition("Available", "False", "MinimumReplicasUnavailable", "not available"),
            kube.condition("Progressing", "True", "ReplicaSetUpdated", "is progressing"),
        ],
    }
    pod = kube.pod(ready=False)
    raw["objects"] = [one for one in raw["objects"] if one["kind"] not in ("Pod", "EndpointSlice")]
    raw["objects"] += [pod, kube.endpoint_slice([kube.endpoint(pod, ready=False, serving=False)])]


def _wait(change: Callable[[Json], object] | None, timeout: int, *, pull: bool = False) -> Wait:
    recording = bundles.recording() if change is None else bundles.changed(bundles.recording(), change)
    with (
        tempfile.TemporaryDirectory() as folder,
        stage(Path(folder), recording, config=configuration(timeout=f"{timeout}s")) as scene,
    ):
        if pull:
            scene.on_pull_request()
            scene.inputs["environment"] = "production"
        return _run(scene, timeout + 60)


def _front_rows(part: Part, name: str, wait: Wait) -> None:
    read = {kind: count for kind, count in sorted(wait.whole.items()) if not kind.startswith(("watch", "first list"))}
    part.add(
        f"{name}: kinds that were read in {wait.seconds:.0f} s",
        "applications only",
        ", ".join(f"{kind} {count}" for kind, count in read.items()),
        set(read) == {"applications"},
    )
    streams = {kind.split()[-1] for kind in wait.whole} & WORKLOADS
    part.add(f"{name}: reads and watches of workloads", "none", ", ".join(sorted(streams)) or "none", not streams)


def _bundle_rows(part: Part, name: str, wait: Wait) -> None:
    """Whole bundles, each of which lists the Deployments twice."""
    seconds = wait.seconds - BEGINNING
    most = int(seconds // 30) + 1
    read = wait.quiet["deployments"] // 2
    part.add(
        f"{name}: whole bundles in {seconds:.0f} s after its beginning",
        f"one in 30 s, and the last look: {most}",
        f"{read} (and {wait.whole['deployments'] // 2 - read} in its beginning)",
        read <= most,
    )
    part.add(f"{name}: peak memory", "under 150 MiB", f"{wait.peak:.0f} MiB", 0 < wait.peak < 150)


def measure() -> Part:
    """The part."""
    part = Part(
        "requests",
        "Requests",
        f"The action as the runner starts it, against a Kubernetes API and a GitHub on loopback that show a state in "
        f"which nothing changes. The first {BEGINNING} s of a wait are its beginning.",
    )
    with ThreadPoolExecutor(4) as pool:
        fronts = {
            "a wait on layer 1 (`NotPinned`)": pool.submit(_wait, _not_pinned, 40),
            "a wait on layer 2 (`ComparisonStale`)": pool.submit(_wait, _stale, 40),
        }
        behinds = {
            "a quiet wait on layer 3": pool.submit(_wait, _not_ready, _LONG),
            "a running operation at the commit, whose workloads may fail already": pool.submit(
                _wait, _operation_runs, _LONG
            ),
        }
    for name, run in fronts.items():
        _front_rows(part, name, run.result())
    for name, run in behinds.items():
        _bundle_rows(part, name, run.result())
    for name, pull in (("a push", False), ("a pull request", True)):
        wait = _wait(None, 30, pull=pull)
        assert wait.code == 0, wait.log
        bar = 8 + wait.statuses
        said = f"{wait.github}, of which {wait.statuses} statuses"
        part.add(f"GitHub, a verdict on {name}", f"at most 8 and 1 a status: {bar}", said, wait.github <= bar)
    return part
