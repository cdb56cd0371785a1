"""What a pass does not rest on, by complement: it must break when anything else is taken away or spoiled.

Paths are those of a moment, their steps parted by blanks. ``application`` stands for both reads,
``several`` for one with several sources; objects stand under their kind, a ReplicaSet that is not
the new one under ``old``; conditions stand under their type, and hooks under ``hook``. ``*`` is any
one step, ``**`` at the end any number of them.
"""

from typing import Any

from tests.support.mutations import Path

UNREAD: dict[str, tuple[str, ...]] = {
    "the API server's own bookkeeping, which moves with every write": (
        "* metadata creationTimestamp",
        "* metadata generateName",
        "application metadata finalizers **",
        "* metadata resourceVersion",
        "* metadata ownerReferences * apiVersion",
        "* metadata ownerReferences * blockOwnerDeletion",
        "application metadata generation",
        "ReplicaSet metadata generation",
        "Pod metadata generation",
        "EndpointSlice metadata generation",
        "EndpointSlice metadata uid",
    ),
    "labels and annotations that Argo CD or a person reads": (
        "* metadata annotations argocd.argoproj.io/tracking-id",
        "Service metadata annotations",
        "Service metadata labels **",
        "EndpointSlice metadata annotations **",
        "ReplicaSet metadata annotations deployment.kubernetes.io/desired-replicas",
        "ReplicaSet metadata annotations deployment.kubernetes.io/max-replicas",
        "ReplicaSet metadata annotations deployment.kubernetes.io/revision-history",
        "ReplicaSet metadata labels **",
        "ReplicaSet spec template metadata labels pod-template-hash",  # the Deployment controller's own
        "Deployment metadata labels **",  # the template's labels say what the release is
        "Pod metadata labels app.kubernetes.io/version",
        "Pod metadata labels pod-template-hash",  # the Pod's owner is known by uid
        "EndpointSlice metadata labels app.kubernetes.io/name",
        "EndpointSlice metadata labels app.kubernetes.io/version",
        "EndpointSlice metadata labels endpointslice.kubernetes.io/managed-by",
    ),
    "an older release, once nothing of it runs; how many are kept is a setting": ("old **",),
    "Pods of others: they count where a Service leads to them": ("other **",),
    "who asked for a sync, and with what policy; what was applied stands in syncResult": (
        "application spec project",
        "application spec syncPolicy **",
        "application status operationState message",
        "application status operationState operation initiatedBy **",
        "application status operationState operation retry **",
        "application status operationState operation sync",  # emptied: a sync may be asked for without any option
        "application status operationState operation sync resources * **",  # that there are some counts
        "application status operationState operation sync syncStrategy **",
        "application status operationState retryCount",
        "application status operationState operation sync autoHealAttemptsCount",
        "application status operationState operation sync prune",
        "application status operationState operation sync revision",
        "application status operationState operation sync revisions **",
        "application status operationState operation sync source **",
        "application status operationState operation sync sources **",
        "application status operationState operation sync syncOptions **",
    ),
    "how a resource was applied, beside that it was": (
        "application status operationState syncResult resources * group",  # absent is the core group
        "application status operationState syncResult resources * hookPhase",  # ordinary ones keep Running for ever
        "application status operationState syncResult resources * images **",
        "application status operationState syncResult resources * message",
        "application status operationState syncResult resources * syncPhase",
        "application status operationState syncResult resources * version",
    ),
    "meaningless where there are several sources": (
        "several status operationState syncResult revision",
        "several status operationState syncResult source **",
        "several status sync revision",
        "several status sync comparedTo source **",
    ),
    "hooks: the live one may be left from an older operation, and the result names those that ran": (
        "application status operationState syncResult resources hook",
        "application status operationState syncResult resources hook namespace",
        "application status resources hook",
        "application status resources hook group",
        "application status resources hook kind",
        "application status resources hook name",
        "application status resources hook namespace",
        "application status resources hook hook",
        "application status resources hook requiresPruning",
    ),
    "proof only of a partial operation, and then all of it": ("application status history **",),
    "Argo CD's summaries and settings": (
        "application status controllerNamespace",
        "application status health lastTransitionTime",
        "application status resourceHealthSource",
        "application status resources * version",
        "application status sourceHydrator",
        "application status sourceType",
        "application status sourceTypes **",
        "application status summary **",
    ),
    "how to roll, which never says when it is done": (
        "Deployment spec progressDeadlineSeconds",
        "Deployment spec revisionHistoryLimit",
        "Deployment spec strategy rollingUpdate **",
    ),
    "empty and absent are the same in a template": (
        "* spec template spec containers * resources",
        "* spec template spec securityContext",
    ),
    "a condition's words and times; its type and status count, and the reason of Progressing": (
        "Deployment status conditions * lastTransitionTime",
        "Deployment status conditions * lastUpdateTime",
        "Deployment status conditions * message",
        "Deployment status conditions Available reason",
    ),
    "a ReplicaSet's own counters: its Pods are counted": (
        "ReplicaSet spec selector **",
        "ReplicaSet status **",
    ),
    "of a Pod's conditions Ready alone counts, of its containers that they run and what": (
        "Pod spec **",
        "Pod status conditions * lastProbeTime",
        "Pod status conditions * lastTransitionTime",
        "Pod status conditions * observedGeneration",
        "Pod status conditions ContainersReady **",
        "Pod status conditions Initialized **",
        "Pod status conditions PodReadyToStartContainers **",
        "Pod status conditions PodScheduled **",
        "Pod status containerStatuses * containerID",
        "Pod status containerStatuses * image",
        "Pod status containerStatuses * lastState **",
        "Pod status containerStatuses * resources **",
        "Pod status containerStatuses * restartCount",
        "Pod status containerStatuses * started",
        "Pod status containerStatuses * state running startedAt",
        "Pod status containerStatuses * volumeMounts **",
        "Pod status hostIP",
        "Pod status hostIPs **",
        "Pod status observedGeneration",
        "Pod status podIP",  # podIPs holds all of them
        "Pod status qosClass",
        "Pod status startTime",
    ),
    "how traffic gets to the endpoints; that it does is layer 4's": (
        "EndpointSlice endpoints * nodeName",
        "EndpointSlice metadata ownerReferences **",  # a slice of anybody's takes traffic by its label
        "EndpointSlice ports * protocol",
        "Service spec clusterIP",
        "Service spec clusterIPs **",
        "Service spec internalTrafficPolicy",
        "Service spec ipFamilies **",
        "Service spec ipFamilyPolicy",
        "Service spec ports * protocol",
        "Service spec ports * targetPort",
        "Service spec sessionAffinity",
        "Service status **",
    ),
    "an answer's headers, and how long it took": (
        "responses * headers **",
        "responses * took",
    ),
    "a second read of workloads, which a recording may be without; where it is, READ says what it is about": (
        "objects-again **",
    ),
}

READ: tuple[str, ...] = (
    "Pod spec",
    "Pod spec containers",
    "Pod spec containers *",
    "Pod spec containers * image",
    "Pod spec containers * name",
    "objects-again *",
    "objects-again * apiVersion",
    "objects-again * kind",
    "objects-again * metadata",
    "objects-again * metadata generation",
    "objects-again * metadata name",
    "objects-again * metadata namespace",
    "objects-again * metadata uid",
    "objects-again * status",
    "objects-again * status availableReplicas",
    "objects-again * status observedGeneration",
    "objects-again * status readyReplicas",
    "objects-again * status replicas",
    "objects-again * status updatedReplicas",
)
"""What a pass rests on within the above."""

PATTERNS: tuple[str, ...] = tuple(pattern for patterns in UNREAD.values() for pattern in patterns)


def _name(entry: Any, index: int) -> str:
    """What an entry of a list is called: a condition by its type, a hook by being one, others by their number."""
    if isinstance(entry, dict):
        if isinstance(entry.get("type"), str) and "status" in entry:
            return str(entry["type"])
        if entry.get("hook") is True or "hookType" in entry:
            return "hook"
    return str(index)


def _root(raw: dict[str, Any], objects: list[dict[str, Any]]) -> str:
    """The kind of an object; ``old`` for a ReplicaSet of another template, ``other`` for the Pod of a Job."""
    if raw["kind"] == "Pod" and raw["metadata"]["ownerReferences"][0]["kind"] != "ReplicaSet":
        return "other"
    if raw["kind"] != "ReplicaSet":
        return str(raw["kind"])
    images = [one["spec"]["template"]["spec"] for one in objects if one["kind"] == "Deployment"]
    return "ReplicaSet" if raw["spec"]["template"]["spec"] in images else "old"


def shape(path: Path, moment: dict[str, Any]) -> tuple[str, ...]:
    """A path of a moment in the words of the patterns."""
    steps: list[str] = []
    node: Any = moment
    for step in path:
        steps.append(_name(node[step], step) if isinstance(step, int) else step)
        node = node[step]
    if path[0] == "objects" and len(path) > 1:
        objects = moment["objects"]
        return (_root(objects[int(path[1])], objects), *steps[2:])
    if path[0] in ("application", "application-again"):
        return ("several" if "sources" in moment["application"]["spec"] else "application", *steps[1:])
    return tuple(steps)


def matches(pattern: str, steps: tuple[str, ...]) -> bool:
    """Whether a pattern covers these steps."""
    wanted = pattern.split(" ")
    if wanted[0] == "application" and steps[0] == "several":
        wanted[0] = "several"
    if wanted[-1] == "**":
        wanted = wanted[:-1]
        steps = steps[: len(wanted)]
    return len(wanted) == len(steps) and all(one in ("*", step) for one, step in zip(wanted, steps, strict=True))


def is_unread(steps: tuple[str, ...]) -> bool:
    """Whether a pass may live without what stands at these steps."""
    return any(matches(pattern, steps) for pattern in PATTERNS) and not any(matches(read, steps) for read in READ)
