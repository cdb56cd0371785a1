"""Every field that a pass rests on, missing in turn: one alteration a field.

A step of a way is a key, ``KEY=VALUE`` (the entries of a list that say so), ``0`` (the first entry)
or ``*`` (all entries). Of two ways with ``|`` between them the first one that is there is meant: for several
sources, and for one.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from gate.rehearsal.alterations.pods import container, new_set
from gate.rehearsal.scene import Alteration, DoesNotApply, Json, Scene
from gate.rehearsal.subjects import ApplicationSubject, RequestSubject, ServiceSubject, WorkloadSubject

_OBJECT = ("apiVersion", "kind", "metadata", "metadata name", "metadata namespace")
_OWNER = (
    "metadata ownerReferences",
    "metadata ownerReferences controller=True controller",
    "metadata ownerReferences controller=True kind",
    "metadata ownerReferences controller=True name",
    "metadata ownerReferences controller=True uid",
)

APPLICATION = (
    *_OBJECT,
    "metadata uid",
    "spec",
    "spec sources | spec source",
    "spec sources * repoURL | spec source repoURL",
    "spec sources * targetRevision | spec source targetRevision",
    "spec destination",
    "status",
    "status sync",
    "status sync status",
    "status sync revisions | status sync revision",
    "status sync comparedTo",
    "status sync comparedTo sources | status sync comparedTo source",
    "status sync comparedTo destination",
    "status health",
    "status health status",
    "status operationState",
    "status operationState phase",
    "status operationState startedAt",
    "status operationState finishedAt",
    "status reconciledAt",
    "status resources",
    "status resources kind=Deployment kind",
    "status resources kind=Deployment group",
    "status resources kind=Deployment name",
    "status resources kind=Deployment namespace",
    "status resources kind=Deployment status",
)
OPERATION = (
    "status operationState operation",
    "status operationState operation sync",
    "status operationState syncResult",
    "status operationState syncResult revisions | status operationState syncResult revision",
    "status operationState syncResult sources | status operationState syncResult source",
    "status operationState syncResult resources",
    "status operationState syncResult resources kind=Deployment kind",
    "status operationState syncResult resources kind=Deployment name",
    "status operationState syncResult resources kind=Deployment namespace",
    "status operationState syncResult resources kind=Deployment status",
)
DEPLOYMENT = (
    *_OBJECT,
    "metadata uid",
    "metadata generation",
    "metadata annotations",
    "metadata annotations deployment.kubernetes.io/revision",
    "spec",
    "spec replicas",
    "spec selector",
    "spec strategy",
    "spec strategy type",
    "spec template",
    "spec template metadata",
    "spec template metadata labels",
    "spec template spec",
    "spec template spec containers",
    "spec template spec containers 0 name",
    "spec template spec containers 0 image",
    "status",
    "status observedGeneration",
    "status replicas",
    "status updatedReplicas",
    "status readyReplicas",
    "status availableReplicas",
    "status conditions",
    "status conditions type=Available type",
    "status conditions type=Available status",
    "status conditions type=Progressing type",
    "status conditions type=Progressing status",
    "status conditions type=Progressing reason",
)
REPLICA_SET = (
    *_OBJECT,
    "metadata uid",
    "metadata annotations",
    "metadata annotations deployment.kubernetes.io/revision",
    *_OWNER,
    "spec",
    "spec replicas",
    "spec template",
)
POD = (
    *_OBJECT,
    "metadata uid",
    *_OWNER,
    "spec",
    "spec containers",
    "spec containers 0 name",
    "spec containers 0 image",
    "status",
    "status phase",
    "status conditions",
    "status conditions type=Ready type",
    "status conditions type=Ready status",
    "status containerStatuses",
    "status containerStatuses 0 name",
    "status containerStatuses 0 imageID",
    "status containerStatuses 0 ready",
    "status containerStatuses 0 state",
    "status containerStatuses 0 state running",
)
POD_BEHIND = ("metadata labels", "status podIPs", "status podIPs 0 ip")
SERVICE = (*_OBJECT, "metadata uid", "spec", "spec type")
SERVICE_ASKED = ("spec selector", "spec ports", "spec ports * port", "spec ports * name")
ENDPOINT_SLICE = (
    *_OBJECT,
    "metadata labels",
    "metadata labels kubernetes.io/service-name",
    "addressType",
    "endpoints",
    "endpoints 0 addresses",
    "endpoints 0 conditions",
    "endpoints 0 conditions ready",
    "endpoints 0 conditions serving",
    "endpoints 0 conditions terminating",
    "endpoints 0 targetRef",
    "endpoints 0 targetRef kind",
    "endpoints 0 targetRef name",
    "endpoints 0 targetRef namespace",
    "endpoints 0 targetRef uid",
)
ENDPOINT_SLICE_ASKED = ("ports", "ports * name", "ports * port")
RESPONSE = ("status", "body", "at")


def _entries(node: list[Any], step: str) -> list[Any]:
    if step in ("0", "*"):
        return node[:1] if step == "0" else node
    key, _, value = step.partition("=")
    matches = [one for one in node if isinstance(one, dict) and str(one.get(key)) == value]
    return [one for one in matches if one.get("requiresPruning") is not True][:1]


def _remove(node: Any, steps: list[str]) -> bool:
    """Take away what stands at the end of the steps, in place; whether anything was there."""
    if isinstance(node, list):
        return any([_remove(one, steps[1:]) for one in _entries(node, steps[0])])  # noqa: C419  # all of them
    if not isinstance(node, dict) or node.get(steps[0]) in (None, "", [], {}):
        return False
    if len(steps) > 1:
        return _remove(node[steps[0]], steps[1:])
    del node[steps[0]]
    return True


def _take(raws: Iterator[Json], way: str) -> None:
    """Take a field away from every object. Raises DoesNotApply where none of them has it."""
    listed = list(raws)
    for steps in (one.split(" ") for one in way.split(" | ")):
        if any([_remove(raw, steps) for raw in listed]):  # noqa: C419  # all of them
            return
    raise DoesNotApply(f"{way.replace(' ', '.')} is not there, and nothing rests on it")


def _dashed(text: str) -> str:
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", text.replace("IDs", "Ids").replace("IPs", "Ips"))
    return re.sub(r"[^a-z0-9]+", "-", parted.lower()).strip("-")


def _made(kind: str, ways: tuple[str, ...], take: Callable[[str, Scene, Any], None]) -> Iterator[Alteration[Any]]:
    group = f"missing-{_dashed(kind)}-field"
    for way in ways:
        shown = " or ".join(one.replace(" ", ".") for one in way.split(" | ")[::-1])
        named = re.sub(r"\b(controller|kind)=\w+ |type=|[0*] ", "", way.split(" | ")[-1])
        name = f"missing-{_dashed(kind)}-{_dashed(named)}"
        yield Alteration(name, f"{kind}: {shown} is not there", partial(take, way), group)


def _application(way: str, scene: Scene, app: ApplicationSubject) -> None:
    if way in OPERATION and not app.whole:
        raise DoesNotApply(f"no whole operation at the intended commit is to be seen for {app.what}")
    _take(scene.applications(app.place), way)


def _deployment(way: str, scene: Scene, workload: WorkloadSubject) -> None:
    _take(scene.objects("Deployment", workload.place), way)


def _replica_set(way: str, scene: Scene, workload: WorkloadSubject) -> None:
    _take(scene.objects("ReplicaSet", new_set(workload)), way)


def _pod(way: str, scene: Scene, workload: WorkloadSubject) -> None:
    if way in POD_BEHIND and not workload.services:
        raise DoesNotApply(f"no Service leads to {workload.what}")
    ours = re.sub(r"(containers|containerStatuses) 0", rf"\1 name={container(workload)}", way)
    _take(scene.pods(workload.release, 0), ours)


def _service(way: str, scene: Scene, service: ServiceSubject) -> None:
    needed = service.asked or (service.only and way == "spec selector")
    if way in SERVICE_ASKED and not needed:
        raise DoesNotApply(f"no request names {service.what}")
    _take(scene.objects("Service", service.place), way)


def _slice(way: str, scene: Scene, service: ServiceSubject) -> None:
    if way in ENDPOINT_SLICE_ASKED and not service.asked:
        raise DoesNotApply(f"no request names a port of {service.what}")
    _take(scene.slices(service.place), way)


def _response(way: str, scene: Scene, request: RequestSubject) -> None:
    answers = list(scene.answers(request.request.name))
    if way == "body" and all(answer["seen"] is not None for answer in answers):
        for answer in answers:  # evidence keeps what was seen of it in its place
            answer["seen"] = None
    else:
        _take(iter(answers), way)


APPLICATION_FIELDS: tuple[Alteration[ApplicationSubject], ...] = tuple(
    _made("Application", (*APPLICATION, *OPERATION), _application)
)
WORKLOAD_FIELDS: tuple[Alteration[WorkloadSubject], ...] = (
    *_made("Deployment", DEPLOYMENT, _deployment),
    *_made("ReplicaSet", REPLICA_SET, _replica_set),
    *_made("Pod", (*POD, *POD_BEHIND), _pod),
)
SERVICE_FIELDS: tuple[Alteration[ServiceSubject], ...] = (
    *_made("Service", (*SERVICE, *SERVICE_ASKED), _service),
    *_made("EndpointSlice", (*ENDPOINT_SLICE, *ENDPOINT_SLICE_ASKED), _slice),
)
REQUEST_FIELDS: tuple[Alteration[RequestSubject], ...] = tuple(_made("Response", RESPONSE, _response))
