"""What a decision costs, and how that grows with the cluster."""

import copy
import gc
import json
import statistics
import time
from pathlib import Path

from gate.evidence.recording import Recording, parse_recording
from gate.judge import Judge
from gate.outcomes import Outcome
from tests.benchmarks.results import Part
from tests.support import bundles
from tests.support import raw_workload as kube
from tests.support.bundles import Json

RECORDED = Path(__file__).parents[1] / "states" / "recorded" / "story-recreate-normal.json"
_SLICE = 10
"""Endpoints of one slice."""
_SIZES = ((1, 1), (500, 6), (1000, 6))
"""Pods, and by how much fewer times they are judged."""


def _pods(count: int) -> list[Json]:
    one = kube.pod()
    made = []
    for number in range(count):
        pod = copy.deepcopy(one)
        address = f"10.{100 + number // 60000}.{number // 250}.{number % 250 + 2}"
        pod["metadata"] |= {"name": f"{one['metadata']['name']}{number}", "uid": kube.pod_uid(bundles.NEW, number)}
        pod["status"] |= {"podIP": address, "podIPs": [{"ip": address}]}
        made.append(pod)
    return made


def _grown(pods: int) -> Recording:
    """A release that passes, with so many Pods, ten to an EndpointSlice."""
    raw = bundles.recording(replicas=1)
    for poll in raw["polls"]:
        many = _pods(pods)
        deployment, new = bundles.find(poll, "Deployment"), bundles.find(poll, "ReplicaSet", 1)
        for body in (deployment, new):
            body["spec"]["replicas"] = pods
            names = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
            body["status"] |= {name: pods for name in names if name in body["status"]}
        slices = []
        for number in range(0, pods, _SLICE):
            endpoints = [kube.endpoint(pod) for pod in many[number : number + _SLICE]]
            one = kube.endpoint_slice(endpoints, name=f"web-{number}")
            one["metadata"]["uid"] = f"{one['metadata']['uid'][:-6]}{number:06d}"
            slices.append(one)
        kept = [one for one in poll["objects"] if one["kind"] not in ("Pod", "EndpointSlice")]
        poll["objects"] = [*kept, *many, *slices]
    return parse_recording(raw)


def _milliseconds(recording: Recording, repeats: int) -> float:
    """The median time to judge the second moment of a recording; its layers must have passed.

    The garbage collector waits meanwhile: its work grows with everything that this process holds.
    """
    taken = []
    gc.collect()
    gc.disable()
    for _ in range(repeats):
        judge = Judge(recording.asked, recording.git)
        judge.consider(recording.moments[0])
        began = time.perf_counter()
        verdict = judge.consider(recording.moments[1])
        taken.append((time.perf_counter() - began) * 1000)
        assert all(one.outcome is Outcome.PASSED for one in verdict.layers), verdict.message
    gc.enable()
    return statistics.median(taken)


def measure(repeats: int = 30) -> Part:
    """The part."""
    part = Part(
        "decision",
        "Decision",
        "`Judge.consider` on one whole bundle that passes, raw JSON to verdict, in the process, without garbage "
        "collection; median. Growth: one Deployment with ten endpoints to an EndpointSlice.",
    )
    recorded = parse_recording(json.loads(RECORDED.read_text()))
    part.add("a bundle recorded from the real cluster", "", f"{_milliseconds(recorded, repeats):.1f} ms")
    one, half, whole = (_milliseconds(_grown(pods), max(repeats // most, 3)) for pods, most in _SIZES)
    part.add("a made bundle with 1 Pod", "", f"{one:.1f} ms")
    part.add("with 500 Pods in 50 slices", "", f"{half:.0f} ms")
    ratio = whole / half
    part.add("with 1000 Pods in 100 slices", "", f"{whole:.0f} ms, {whole / one:.0f} of 1 Pod")
    part.add("1000 Pods against 500", "linear: at most 2.5", f"{ratio:.2f}", ratio <= 2.5)
    return part
