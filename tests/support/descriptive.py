"""What an evidence file of a pass says beyond what its verdict follows from: changed, and signed anew, it still holds.

The reasons stand in ``docs/evidence.md`` as well. Patterns are those of ``tests/support/unread.py``: objects stand
under their kind (``application``, ``several`` with several sources), an older ReplicaSet under ``old``, a condition
under its type; the last look is ``last``, an earlier one ``look``.
"""

from typing import Any

from tests.support.mutations import Path
from tests.support.unread import matches

DESCRIPTIVE: dict[str, tuple[str, ...]] = {
    "about the run: its number, page, versions and the time of writing": ("recorded-at", "run **"),
    "the environment's name": ("verdict environment",),
    "how often a look was repeated, and that time was up when the last one passed": (
        "look repeated",
        "last repeated",
        "last deadline",
        "look deadline",
    ),
    "how long an answer took, where it would have redirected, and what of its body nothing was expected of": (
        "* responses * took",
        "* responses * redirected-to",
        "* responses * seen characters",
        "* responses * seen digest",
        "* responses * seen pattern",
        "look responses * seen json-values * text",  # its digest is compared
    ),
    "which commit a commit's message says that it reverts": ("* git commits * message",),
    "the API server's own bookkeeping": (
        "* metadata creationTimestamp",
        "application metadata generation",
        "ReplicaSet metadata generation",
        "Pod metadata generation",
        "EndpointSlice metadata generation",
        "EndpointSlice metadata uid",
        "EndpointSlice metadata name",
        "EndpointSlice metadata ownerReferences **",
        "Pod metadata ownerReferences * kind",
        "Pod metadata ownerReferences * name",
        "ReplicaSet metadata ownerReferences * kind",
        "ReplicaSet metadata ownerReferences * name",
        "Service metadata uid",
    ),
    "labels and annotations that no rule reads on this object": (
        "* metadata annotations argocd.argoproj.io/tracking-id",
        "Deployment metadata labels **",
        "EndpointSlice metadata annotations **",
        "EndpointSlice metadata labels app.kubernetes.io/name",
        "EndpointSlice metadata labels app.kubernetes.io/version",
        "EndpointSlice metadata labels endpointslice.kubernetes.io/managed-by",
        "Pod metadata labels app.kubernetes.io/version",
        "Pod metadata labels pod-template-hash",
        "ReplicaSet metadata labels **",
        "ReplicaSet spec template metadata labels pod-template-hash",
        "Service metadata labels **",
    ),
    "the history of releases, and an older release of which nothing runs": (
        "application status history **",
        "old **",
        "* objects *",  # an older ReplicaSet is left out of a look
    ),
    "which Application it is and when its operation began, where every look says so alike": (
        "application metadata uid",
        "application status operationState startedAt",
    ),
    "with what policy a sync was asked for; what was applied stands in its result": (
        "application spec project",
        "application spec syncPolicy **",
        "application status operationState operation retry **",
        "application status operationState operation sync **",
    ),
    "the single source's fields of an Application with several": (
        "several status operationState syncResult revision",
        "several status operationState syncResult source **",
        "several status sync comparedTo source **",
    ),
    "an operation's words, and how a resource was applied beside that it was": (
        "application status operationState message",
        "application status operationState syncResult resources * group",
        "application status operationState syncResult resources * hookPhase",
        "application status operationState syncResult resources * message",
    ),
    "a later time of comparison than the one that was enough": ("application status reconciledAt",),
    "words and times of conditions, and conditions of a Pod other than Ready": (
        "Deployment status conditions * lastTransitionTime",
        "Deployment status conditions * lastUpdateTime",
        "Deployment status conditions * message",
        "Pod status conditions * lastTransitionTime",
        "Pod status conditions ContainersReady **",
        "Pod status conditions Initialized **",
        "Pod status conditions PodReadyToStartContainers **",
        "Pod status conditions PodScheduled **",
    ),
    "how a container came to run: restarts, since when, its image's name beside its content": (
        "Pod status containerStatuses * image",
        "Pod status containerStatuses * restartCount",
        "Pod status containerStatuses * state running **",
    ),
    "the kind and protocol of addresses, and the number behind a port's name": (
        "EndpointSlice addressType",
        "EndpointSlice ports * port",
        "Service spec ports * port",
        "Service spec ports * protocol",
        "Service spec type",
    ),
    "how long a rollout may take": ("Deployment spec progressDeadlineSeconds",),
}

PATTERNS: tuple[str, ...] = tuple(pattern for patterns in DESCRIPTIVE.values() for pattern in patterns)


def _named(entry: Any, index: int) -> str:
    return str(entry["type"]) if isinstance(entry, dict) and "type" in entry and "status" in entry else str(index)


def _kind(raw: dict[str, Any], objects: list[dict[str, Any]]) -> str:
    if raw["kind"] == "Application":
        return "several" if "sources" in raw["spec"] else "application"
    if raw["kind"] != "ReplicaSet":
        return str(raw["kind"])
    wholes = [one["spec"]["template"]["whole"] for one in objects if one["kind"] == "Deployment"]
    return "ReplicaSet" if raw["spec"]["template"]["whole"] in wholes else "old"


def steps_of(path: Path, evidence: dict[str, Any]) -> tuple[str, ...]:
    """A path of an evidence file in the words of the patterns."""
    steps: list[str] = []
    node: Any = evidence
    for step in path:
        steps.append(_named(node[step], step) if isinstance(step, int) else step)
        node = node[step]
    if path[0] == "objects":
        return (_kind(evidence["objects"][path[1]], evidence["objects"]), *steps[2:])
    if path[0] == "polls":
        return ("last" if path[1] == len(evidence["polls"]) - 1 else "look", *steps[2:])
    return tuple(steps)


def is_descriptive(steps: tuple[str, ...]) -> bool:
    """Whether the verdict does not follow from what stands at these steps."""
    return any(matches(pattern, steps) for pattern in PATTERNS)
