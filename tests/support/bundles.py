"""Recordings of a release that passes, in the format of ``gate replay``: small, and in every part the APIs' own shapes.

The release is ``NEW`` (2.0.0), the one before it ``OLD`` (1.0.0), the one after it ``NEWER``.
"""

import copy
import json
from collections.abc import Callable, Iterable
from typing import Any

from gate.evidence.recording import parse_recording
from gate.judge import judge_moments
from gate.verdict import Verdict
from tests.support import raw_application as argo
from tests.support import raw_workload as kube
from tests.support.mutations import copy_of
from tests.support.raw_application import APART, FIRST_MOMENT, NEW, NEWER, OLD, OLDER, TREES, Json, at

__all__ = ["APART", "NEW", "NEWER", "OLD", "OLDER", "PASSING", "Json", "at", "changed", "judge", "moment", "recording"]

SETTLE = 5
SAMPLES = 3

PASSING: dict[str, Json] = {
    "rolling": {},
    "recreate": {"strategy": "Recreate", "replicas": 2, "previous": False},
    "multi-source": {"multi": True, "previous": False},
    "hook": {"hook": True},
}
"""Keywords of recordings that pass, by name."""


def answers(commit: str = NEW, *, seconds: float, samples: int = SAMPLES, **changes: Any) -> list[Json]:
    """Samples of the one request, each of this release."""
    body = json.dumps({"release": argo.VERSIONS[commit]})
    made: Json = {"request": "version", "route": "service-proxy", "status": 200, "body": body}
    headers = {"Content-Type": "application/json"}
    return [
        made | {"headers": dict(headers), "at": at(seconds - 0.5 + number / 10)} | changes for number in range(samples)
    ]


def config(*, source: int | None = None) -> Json:
    """The configuration: one Application, one request that tells releases apart."""
    request = {
        "name": "version",
        "service": f"{argo.NAMESPACE}/web:http",
        "path": "/version",
        "expect": {"status": 200, "json": {"$.release": "{label:app.kubernetes.io/version}"}},
        "samples": SAMPLES,
    }
    chosen = {} if source is None else {"source": source}
    environment = {
        "applications": [{"name": "shop", **chosen}],
        "policy": {"settle": f"{SETTLE}s", "degraded-grace": "60s"},
        "requests": [request],
    }
    return {"version": 1, "environments": {"staging": environment}}


def git() -> Json:
    """Five commits: four in a line, and ``APART`` beside ``NEW``."""
    parents = {OLDER: [], OLD: [OLDER], NEW: [OLD], NEWER: [NEW], APART: [OLD]}
    commits = {
        commit: {"tree": TREES[commit], "parents": before, "message": f"Release {argo.VERSIONS[commit]}\n"}
        for commit, before in parents.items()
    }
    return {"commits": commits, "refs": {"refs/heads/main": NEWER}}


def objects(*, replicas: int = 1, strategy: str = "RollingUpdate", previous: bool = True) -> list[Json]:
    """What stands in the cluster once ``NEW`` is rolled out."""
    revision = 2 if previous else 1
    pods = [kube.pod(NEW, number) for number in range(replicas)]
    return [
        kube.deployment(replicas=replicas, strategy=strategy, revision=revision),
        *([kube.replica_set(OLD, replicas=0, revision=1)] if previous else []),
        kube.replica_set(NEW, replicas=replicas, revision=revision),
        *pods,
        kube.service(),
        kube.endpoint_slice([kube.endpoint(pod) for pod in pods]),
    ]


def moment(
    seconds: float = FIRST_MOMENT,
    *,
    multi: bool = False,
    hook: bool = False,
    replicas: int = 1,
    strategy: str = "RollingUpdate",
    previous: bool = True,
    app: Json | None = None,
) -> Json:
    """One closed bundle of evidence in which everything passes; ``app`` are keywords of the Application."""
    values: dict[str, Any] = {"multi": multi, "hook": hook, "previous": previous}
    made = argo.application(**values | ({} if app is None else app))
    return {
        "now": at(seconds),
        "application": made,
        "objects": objects(replicas=replicas, strategy=strategy, previous=previous),
        "responses": answers(seconds=seconds),
        "application-again": copy.deepcopy(made),
    }


def recording(
    *, times: Iterable[float] = (FIRST_MOMENT, FIRST_MOMENT + SETTLE), source: int | None = None, **parts: Any
) -> Json:
    """A recording with a moment at each of the times (seconds after the story's start); ``parts`` as in ``moment``."""
    polls = [moment(seconds, **parts) for seconds in times]
    return {"intended": NEW, "environment": "staging", "config": config(source=source), "git": git(), "polls": polls}


def changed(raw: Json, change: Callable[[Json], object], *, polls: Iterable[int] | None = None) -> Json:
    """A copy of a recording whose moments (all, or those of these numbers) were changed in place by ``change``."""
    made: Json = copy_of(raw)
    for number in range(len(made["polls"])) if polls is None else polls:
        change(made["polls"][number])
    return made


def find(raw: Json, kind: str, number: int = 0) -> Json:
    """The object of this kind in a moment, the first one or a later one."""
    found: list[Json] = [one for one in raw["objects"] if one["kind"] == kind]
    return found[number]


def both(raw: Json) -> tuple[Json, Json]:
    """The Application's first and second read in a moment."""
    return raw["application"], raw["application-again"]


def judge(raw: Json) -> Verdict:
    """The verdict of a recording."""
    parsed = parse_recording(raw)
    return judge_moments(parsed.asked, parsed.git, parsed.moments)
