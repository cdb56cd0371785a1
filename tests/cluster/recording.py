"""Records states of the story from the real cluster: `python -m tests.cluster.recording [NAME...]`.

Each is read by the gate's own observer, with an account that may only read, and written as a
recording for `gate replay` into tests/states/recorded, beside what it must come out as.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml
from pydantic import SecretStr

from gate.adapters.git.clone import Clone
from gate.app.clusters import open_clusters
from gate.app.gitfacts import CloneGit
from gate.app.options import ClusterOptions
from gate.app.requests import make_send
from gate.config.load import load_configuration
from gate.facts.bundle import Asked
from gate.facts.moment import Moment
from gate.history import History
from gate.judge import Judge, Wants
from gate.observe import Observer
from tests.cluster.harness import Harness, Object, lifecycle
from tests.cluster.story.acts import Act, Tale, Target
from tests.cluster.story.all_tales import RECORDED, TALES
from tests.cluster.story.stage import Stage

FOLDER = Path(__file__).parents[1] / "states" / "recorded"
EXPECTATIONS = FOLDER / "expectations.yaml"
SIDE_BY_SIDE = 5
_APART = 5.5
"""Seconds between two moments: more than the default settle time."""
_EVENTS = 12
_LINES = 4
"""Down to this depth every element of a recording has a line of its own."""


class Recorder:
    """Records one tale's acts, with one observer."""

    def __init__(self, stage: Stage, kubeconfig: Path) -> None:
        self.stage = stage
        self._access = ClusterOptions(kubeconfig=SecretStr(str(kubeconfig)))
        self.settings = load_configuration(stage.settings, "promotion-gate.yaml").environments["staging"]

    async def record(self, act: Act) -> Object:
        """Play the act, wait until its state is there, and read it."""
        late = time.monotonic() + 300
        async with open_clusters(self.settings, self._access, {}, late) as clusters:
            send = make_send(self.settings, clusters.workloads, {}, {})
            observer = Observer(self.settings, clusters.argocd, clusters.workloads, send)
            # The first request opens the connection; afterwards a moment takes some milliseconds.
            await observer.read_applications()
            target = await asyncio.to_thread(act.target, self.stage)
            await asyncio.to_thread(self.stage.wait, act.recorded_when, target.intended)
            return await self._read(act, target, observer)

    async def _read(self, act: Act, target: Target, observer: Observer) -> Object:
        judge = Judge(Asked(target.intended, "staging", self.settings))
        history = History(CloneGit(await Clone.open(self.stage.repository.path)))
        moments: list[Moment] = []
        for number in range(act.moments):
            if number > 0:
                await asyncio.sleep(_APART)
            moments.append(await _moment(observer, judge, history))
        if act.expected.timed_out:
            moments[-1] = moments[-1].model_copy(update={"deadline": True})
        return {
            "intended": target.intended,
            "environment": "staging",
            "config": yaml.safe_load(self.stage.settings),
            "git": _dumped(judge.git),
            "polls": [_trimmed(_dumped(moment)) for moment in moments],
        }


async def _moment(observer: Observer, judge: Judge, history: History) -> Moment:
    """A whole bundle, with the AppProjects where the gate would read them."""
    read = await observer.read_applications()
    bundle = await observer.read_bundle(read)
    moment = await history.learn(judge, read)
    if judge.wants(moment) is Wants.PROJECTS:
        projects = await observer.read_projects(moment)
        bundle = bundle.model_copy(update={"objects": (*bundle.objects, *projects.objects)})
    judge.consider(bundle)
    return bundle


def _dumped(model: Any) -> Object:
    values: Object = model.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return values


def _trimmed(moment: Object) -> Object:
    """Without what no test needs: who wrote which field, copies of manifests, all but the newest events."""
    for key in ("applications", "applications-again", "objects", "objects-again"):
        for body in moment.get(key, []):
            metadata = body["metadata"]
            metadata.pop("managedFields", None)
            metadata.get("annotations", {}).pop("kubectl.kubernetes.io/last-applied-configuration", None)
    objects = moment.get("objects", [])
    events = sorted((one for one in objects if one.get("kind") == "Event"), key=_last_seen)
    moment["objects"] = [one for one in objects if one.get("kind") != "Event"] + events[-_EVENTS:]
    return moment


def _last_seen(event: Object) -> str:
    return str(event.get("lastTimestamp") or event.get("eventTime") or event["metadata"]["creationTimestamp"])


def _text(value: Any, depth: int = 0) -> str:
    """JSON with a line for each element near the top, and each object of the API on one line."""
    blank, end = " " * (depth + 1), " " * depth
    if depth < _LINES and isinstance(value, dict) and value:
        items = [f"{blank}{json.dumps(key)}: {_text(one, depth + 1)}" for key, one in value.items()]
        return "{\n" + ",\n".join(items) + f"\n{end}}}"
    if depth < _LINES and isinstance(value, list) and value:
        return "[\n" + ",\n".join(blank + _text(one, depth + 1) for one in value) + f"\n{end}]"
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def write_expectations(names: Iterable[str], versions: str) -> None:
    """The table of what each recording must come out as; it stands by hand in tests/cluster/story."""
    lines = [
        f"# Recorded from {versions} on {datetime.now(UTC):%Y-%m-%d} by `python -m tests.cluster.recording`.",
        "# What each must come out as is written by hand, with the act that makes it, in tests/cluster/story.",
    ]
    for name in names:
        expected = RECORDED[name].expected
        lines += [
            f"{name}:",
            f"  verdict: {expected.verdict}",
            f"  reason: {expected.reason}",
            f"  failed-layer: {json.dumps(expected.layer)}",
        ]
    EXPECTATIONS.write_text("\n".join(lines) + "\n")


def _record_tale(harness: Harness, tale: Tale, wanted: set[str], kubeconfig: Path) -> None:
    stage = tale.stage(harness)
    try:
        recorder = Recorder(stage, kubeconfig)
        last = max(number for number, act in enumerate(tale.acts) if act.name in wanted)
        for act in tale.acts[: last + 1]:
            if act.moments == 0:
                target = act.target(stage)
                stage.wait(act.recorded_when, target.intended)
                continue
            recording = asyncio.run(recorder.record(act))
            if act.name in wanted:
                (FOLDER / f"{act.name}.json").write_text(_text(recording) + "\n")
                print(f"{act.name}: recorded", flush=True)
    finally:
        stage.end()


def versions_of(harness: Harness) -> str:
    """What runs, in words."""
    kubernetes = json.loads(harness.run("kubectl", "version", "--output=json").out)["serverVersion"]["gitVersion"]
    argocd = json.loads(harness.run("argocd", "version", "--output=json").out)["server"]["Version"]
    return f"Kubernetes {kubernetes.removeprefix('v')} and Argo CD {argocd.removeprefix('v').partition('+')[0]}"


def main(names: list[str]) -> int:
    """Record the named states, or all anew; uses the cluster that runs, or starts one for the time."""
    unknown = sorted(set(names) - set(RECORDED))
    if unknown:
        print(f"no such state: {', '.join(unknown)}; there are: {', '.join(RECORDED)}", file=sys.stderr)
        return 64
    wanted = set(names) or set(RECORDED)
    FOLDER.mkdir(parents=True, exist_ok=True)
    tales = [tale for tale in TALES if any(act.name in wanted for act in tale.acts)]
    problems = 0
    with Harness(keep=lifecycle.running() is not None) as harness:
        kubeconfig = harness.reader_kubeconfig()
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            running = {tale.name: pool.submit(_record_tale, harness, tale, wanted, kubeconfig) for tale in tales}
        for name, future in running.items():
            error = future.exception()
            if error is not None:
                problems += 1
                print(f"the tale {name} was not told to its end: {error}", file=sys.stderr)
        for path in FOLDER.glob("*.json"):
            if path.stem not in RECORDED:
                path.unlink()
        there = {path.stem for path in FOLDER.glob("*.json")}
        write_expectations([name for name in RECORDED if name in there], versions_of(harness))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
