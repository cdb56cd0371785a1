"""Recordings of what is not a finished release, each one change away from one that passes."""

from tests.support import bundles, raw_workload
from tests.support.bundles import NEW, NEWER, OLD, Json, changed, find, recording
from tests.support.raw_application import application

HOSTILE = (
    "boom ::error title=forged::x\n::set-output name=verdict::passed\n##[add-mask]passed\nEOF\nverdict=passed\n"
    "```\n## Gate passed\n@everyone [approve](https://x.example) <!-- promotion-gate:staging: -->|\x1b[2J\u202epassed"
)


def broken(message: str = "Readiness probe failed: HTTP probe failed with statuscode: 404") -> Json:
    """The new Pod never became ready, and the Deployment has given up."""

    def change(moment: Json) -> None:
        deployment, pod = find(moment, "Deployment"), find(moment, "Pod")
        given_up = raw_workload.condition("Progressing", "False", "ProgressDeadlineExceeded", message)
        counters = {"replicas": 1, "updatedReplicas": 1, "unavailableReplicas": 1}
        deployment["status"] = {"observedGeneration": 2, "conditions": [given_up], **counters}
        moment["objects"] = [one for one in moment["objects"] if one["kind"] not in ("Pod", "EndpointSlice")]
        unready = raw_workload.pod(NEW, ready=False)
        endpoint = raw_workload.endpoint(unready, ready=False, serving=False)
        moment["objects"] += [unready, raw_workload.endpoint_slice([endpoint])]
        moment["objects"].append(raw_workload.warning(pod, "Unhealthy", message))

    return changed(recording(), change)


def starting() -> Json:
    """The new Pod is not ready yet, and nobody has given up."""

    def change(moment: Json) -> None:
        going_on = raw_workload.condition("Progressing", "True", "ReplicaSetUpdated", "is progressing")
        find(moment, "Deployment")["status"]["conditions"] = [going_on]

    return changed(broken(), change)


def pinned(pin: str, synced: str) -> Json:
    """The Application stands at another pin."""

    def change(moment: Json) -> None:
        made = application(pin=pin, synced=synced)
        moment["application"], moment["application-again"] = made, made

    return changed(recording(), change)


def not_pinned() -> Json:
    """The Application is still pinned to the commit before."""
    return pinned(OLD, OLD)


def superseded() -> Json:
    """A newer commit is pinned and deployed."""
    return pinned(NEWER, NEWER)


def on_a_branch() -> Json:
    """The pin is no commit."""
    return pinned("main", NEW)


def absent() -> Json:
    """There is no Application."""

    def change(moment: Json) -> None:
        moment["application"] = moment["application-again"] = None

    return changed(recording(), change)


def moving(*states: Json) -> Json:
    """The first moments of these recordings, one after another."""
    return {**bundles.recording(), "polls": [state["polls"][0] for state in states]}
