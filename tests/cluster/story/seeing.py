"""What is so on the cluster, looked at without the gate: the truth that verdicts are held against.

Every function takes a stage and a commit, so that each can be waited for.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from tests.cluster.harness import Object

if TYPE_CHECKING:
    from tests.cluster.story.stage import Stage

WEB_LABEL = "app.kubernetes.io/version"
_REVISION = "deployment.kubernetes.io/revision"


def synced_at(stage: Stage, sha: str) -> bool:
    """Whether Argo CD says Synced about this commit, in every source."""
    sync = stage.status.get("sync", {})
    at = sync.get("revisions") or [sync.get("revision")]
    return sync.get("status") == "Synced" and all(one == sha for one in at)


def is_there(stage: Stage, sha: str) -> bool:
    """Whether the release of this commit is really there, and nothing else serves."""
    if not synced_at(stage, sha):
        return False
    deployment = stage.deployment
    replicas = deployment.get("spec", {}).get("replicas", 0)
    current = _current_pods(stage, deployment)
    if current is None or len(current) != replicas or replicas == 0:
        return False
    if not all(_ready(pod) for pod in current):
        return False
    if _ready_endpoints(stage) != {pod["metadata"]["uid"] for pod in current}:
        return False
    answer = stage.harness.answer(stage.namespace, "orders")
    version = deployment["spec"]["template"]["metadata"]["labels"][WEB_LABEL]
    return answer.status == 200 and answer.json().get("release") == version


def is_quiet(stage: Stage, sha: str) -> bool:
    """Whether it is there, alone, Argo CD says so too, and no operation has been at work for two seconds."""
    if stage.status.get("health", {}).get("status") != "Healthy":
        return False
    return is_there(stage, sha) and not _old_pods(stage) and _finished_for(stage, 2)


def deadline_exceeded(stage: Stage, sha: str) -> bool:
    """Whether the rollout of this commit has exceeded its progress deadline."""
    return synced_at(stage, sha) and any(
        one.get("reason") == "ProgressDeadlineExceeded" and one.get("status") == "False"
        for one in stage.deployment.get("status", {}).get("conditions", [])
    )


def probe_fails(stage: Stage, sha: str) -> bool:
    """Whether the kubelet has reported a failed probe of a new Pod."""
    new = {pod["metadata"]["uid"] for pod in _current_pods(stage, stage.deployment) or []}
    events = [one for one in stage.harness.list("Event", stage.namespace) if one.get("reason") == "Unhealthy"]
    return synced_quietly(stage, sha) and any(one["involvedObject"]["uid"] in new for one in events)


def no_ready_endpoint(stage: Stage, sha: str) -> bool:
    """Whether the Deployment is finished and nothing stands behind the Service."""
    return synced_at(stage, sha) and _complete(stage) and not _ready_endpoints(stage) and _finished_for(stage, 2)


def finished(stage: Stage, sha: str) -> bool:
    """Whether the Deployment is finished and old Pods are gone, whatever it answers."""
    return synced_at(stage, sha) and _complete(stage) and not _old_pods(stage) and _finished_for(stage, 2)


def finished_beside_stray(stage: Stage, sha: str) -> bool:
    """Whether the Deployment is finished, and one more Pod than its own stands behind the Service."""
    replicas = stage.deployment.get("spec", {}).get("replicas")
    if not (synced_at(stage, sha) and _complete(stage) and _finished_for(stage, 2)):
        return False
    return len(_old_pods(stage)) == 1 and len(_ready_endpoints(stage)) == int(replicas) + 1


def old_pod_drains(stage: Stage, sha: str) -> bool:
    """Whether the Deployment is finished while a Pod of the release before still serves."""
    return synced_at(stage, sha) and _complete(stage) and len(_old_pods(stage)) > 0 and _finished_for(stage, 2)


def synced_quietly(stage: Stage, sha: str) -> bool:
    """Whether it is Synced and the operation has ended some time ago."""
    return synced_at(stage, sha) and _finished_for(stage, 2)


def out_of_sync(stage: Stage, sha: str) -> bool:
    """Whether Argo CD has compared with this commit and found a difference, and does nothing about it."""
    words = _words(stage)
    return words == ("OutOfSync", sha) and _finished_for(stage, 2)


def unknown(stage: Stage, sha: str) -> bool:
    """Whether Argo CD cannot compare with this commit."""
    return _words(stage) == ("Unknown", sha)


def failed(stage: Stage, sha: str) -> bool:
    """Whether the operation at this commit has failed for good."""
    state = stage.status.get("operationState", {})
    return state.get("phase") in ("Failed", "Error") and _operation_at(state) == sha


def running(stage: Stage, sha: str) -> bool:
    """Whether the operation at this commit runs and has applied something."""
    state = stage.status.get("operationState", {})
    entries = state.get("syncResult", {}).get("resources") or []
    return state.get("phase") == "Running" and _operation_at(state) == sha and len(entries) > 0


def retrying(stage: Stage, sha: str) -> bool:
    """Whether the operation at this commit waits for another try."""
    state = stage.status.get("operationState", {})
    return state.get("phase") == "Running" and _operation_at(state) == sha and state.get("retryCount", 0) > 0


def synced_while_another_retries(stage: Stage, sha: str) -> bool:
    """Whether it is Synced and Healthy at this commit while the operation of another one goes on."""
    state = stage.status.get("operationState", {})
    healthy = stage.status.get("health", {}).get("status") == "Healthy"
    return synced_at(stage, sha) and healthy and state.get("phase") == "Running" and _operation_at(state) != sha


def container_waits(stage: Stage, sha: str) -> bool:
    """Whether a container of a new Pod is kept from starting."""
    reasons = {
        one.get("state", {}).get("waiting", {}).get("reason")
        for pod in _current_pods(stage, stage.deployment) or []
        for one in pod.get("status", {}).get("containerStatuses", [])
    }
    return synced_at(stage, sha) and bool(reasons & {"CrashLoopBackOff", "ErrImagePull", "ImagePullBackOff"})


def suspended(stage: Stage, sha: str) -> bool:
    """Whether it is Synced and the Deployment stands still."""
    return synced_at(stage, sha) and stage.status.get("health", {}).get("status") == "Suspended"


def always(_stage: Stage, _sha: str) -> bool:
    """At once."""
    return True


def _words(stage: Stage) -> tuple[str, str]:
    sync = stage.status.get("sync", {})
    return str(sync.get("status")), str(sync.get("revision"))


def _operation_at(state: Object) -> str:
    result = state.get("syncResult") or state.get("operation", {}).get("sync", {})
    return str(result.get("revision"))


def _finished_for(stage: Stage, seconds: float) -> bool:
    state = stage.status.get("operationState", {})
    if "finishedAt" not in state:
        return not state
    ended = datetime.fromisoformat(state["finishedAt"])
    return state.get("phase") != "Running" and datetime.now(UTC) - ended >= timedelta(seconds=seconds)


def _complete(stage: Stage) -> bool:
    deployment = stage.deployment
    status = deployment.get("status", {})
    replicas = deployment.get("spec", {}).get("replicas")
    counters = [status.get(name, 0) for name in ("updatedReplicas", "readyReplicas", "availableReplicas", "replicas")]
    observed: bool = status.get("observedGeneration") == deployment.get("metadata", {}).get("generation")
    return observed and all(count == replicas for count in counters)


def _ready(pod: Object) -> bool:
    conditions = pod.get("status", {}).get("conditions", [])
    ready = any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
    return ready and "deletionTimestamp" not in pod["metadata"]


def _current_set(stage: Stage, deployment: Object) -> str | None:
    """The uid of the ReplicaSet of the Deployment's own revision; None while it is not observed."""
    metadata = deployment.get("metadata", {})
    if deployment.get("status", {}).get("observedGeneration") != metadata.get("generation"):
        return None
    wanted = metadata.get("annotations", {}).get(_REVISION)
    for one in stage.harness.list("ReplicaSet", stage.namespace):
        owners = [owner["uid"] for owner in one["metadata"].get("ownerReferences", [])]
        if metadata.get("uid") in owners and one["metadata"]["annotations"].get(_REVISION) == wanted:
            return str(one["metadata"]["uid"])
    return None


def _pods(stage: Stage) -> list[tuple[str | None, Object]]:
    return [
        (next((owner["uid"] for owner in pod["metadata"].get("ownerReferences", [])), None), pod)
        for pod in stage.harness.list("Pod", stage.namespace, "app=orders")
    ]


def _current_pods(stage: Stage, deployment: Object) -> list[Object] | None:
    current = _current_set(stage, deployment)
    if current is None:
        return None
    return [pod for owner, pod in _pods(stage) if owner == current and "deletionTimestamp" not in pod["metadata"]]


def _old_pods(stage: Stage) -> list[Object]:
    current = _current_set(stage, stage.deployment)
    return [pod for owner, pod in _pods(stage) if owner != current or "deletionTimestamp" in pod["metadata"]]


def _ready_endpoints(stage: Stage) -> set[str]:
    slices = stage.harness.list("EndpointSlice", stage.namespace, "kubernetes.io/service-name=orders")
    return {
        endpoint["targetRef"]["uid"]
        for one in slices
        for endpoint in one.get("endpoints") or []
        if endpoint.get("conditions", {}).get("ready") is True
    }
