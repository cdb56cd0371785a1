"""Alterations of the run as a whole: what is configured as a list, Git, and how two bundles must agree."""

import copy
from collections.abc import Callable
from datetime import timedelta

from gate.config.model import ExpectedWorkload
from gate.rehearsal.alterations.commits import deployed_before, pin
from gate.rehearsal.alterations.pods import ADDRESS, READY, current_pods, new_set, put_behind
from gate.rehearsal.names import rfc3339, uid
from gate.rehearsal.scene import Alteration, DoesNotApply, Json, Scene, place_of, time_of
from gate.rehearsal.subjects import ApplicationSubject, Place, WorkloadSubject

_INSTANT = timedelta(milliseconds=1)


def _commit_unknown(scene: Scene, _: None) -> None:
    del scene.git["commits"][scene.asked.intended]


def _git_unreadable(scene: Scene, _: None) -> None:
    scene.refuse("commit", "Git could not be reached", 500)


def _no_applications(scene: Scene, _: None) -> None:
    for moment in scene.moments:
        moment |= {"applications": [], "applications-again": []}


def _too_few(scene: Scene, _: None) -> None:
    """Of the first entry of ``applications``: nobody of this name, or one less than the selector's minimum."""
    settings = scene.asked.settings
    target = settings.applications[0]
    namespace = settings.argocd.namespace if target.namespace is None else target.namespace

    def meant(raw: Json) -> bool:
        if target.selector is None:
            return place_of(raw) == (namespace, target.name)
        own = raw["metadata"].get("labels") or {}
        return place_of(raw)[0] == namespace and target.selector.match_labels.items() <= own.items()

    for moment in scene.moments:
        for key in ("applications", "applications-again"):
            found = [place_of(raw) for raw in moment[key] or () if meant(raw)][(target.minimum or 1) - 1 :]
            moment[key] = [raw for raw in moment[key] or () if place_of(raw) not in found]


def _no_objects(scene: Scene, _: None) -> None:
    for moment in scene.moments:
        moment |= {"objects": [], "objects-again": None}


def _no_responses(scene: Scene, _: None) -> None:
    for moment in scene.moments:
        moment["responses"] = []


def _not_closed(scene: Scene, _: None) -> None:
    for moment in scene.moments:
        moment["applications-again"] = None


def _single(scene: Scene, _: None) -> None:
    scene.moments[:] = scene.moments[-1:]


def _too_soon(scene: Scene, _: None) -> None:
    """The second bundle is read an instant before the settle time is over."""
    first, last = scene.moments[0], scene.moments[-1]
    now = time_of(first["now"]) + scene.asked.settings.policy.settle - _INSTANT
    scene.moments[1:-1] = []
    last["now"] = rfc3339(now)
    for answer in last["responses"]:
        answer["at"] = rfc3339(now)


def _broken_between(scene: Scene, _: None) -> None:
    """Between two bundles that pass and agree there is one in which nobody answered."""
    broken = copy.deepcopy(scene.moments[-2])
    broken |= {"now": rfc3339(time_of(broken["now"]) + _INSTANT), "responses": []}
    for answer in scene.moments[-1]["responses"]:
        answer["at"] = scene.moments[-1]["now"]
    scene.moments.insert(-1, broken)


def _means(wanted: ExpectedWorkload, place: Place) -> bool:
    return wanted.name == place[1] and wanted.namespace in (None, place[0])


def _expected_workload_gone(scene: Scene, _: None) -> None:
    if not scene.asked.settings.workloads:
        raise DoesNotApply("the configuration expects no workload by name")
    expected = scene.asked.settings.workloads[0]

    def kept(one: Json) -> bool:
        place = (str(one.get("namespace")), str(one.get("name")))
        return one.get("kind") != "Deployment" or not _means(expected, place)

    for app in scene.subjects.applications:
        for raw in scene.applications(app.place):
            status = raw["status"]
            status["resources"] = [one for one in status["resources"] if kept(one)]
            result = status["operationState"].get("syncResult") or {}
            if result.get("resources"):
                result["resources"] = [one for one in result["resources"] if kept(one)]


def _one_replica_more(scene: Scene, _: None) -> None:
    """An expected workload asks for one replica more, and all of them are there, ready and serving."""
    expected = [one for one in scene.asked.settings.workloads if one.replicas is not None]
    several = (one for one in scene.subjects.workloads if any(_means(wanted, one.place) for wanted in expected))
    workload = next(several, None)
    if workload is None:
        raise DoesNotApply("the configuration expects no number of replicas")
    for raw in (*scene.objects("Deployment", workload.place), *scene.objects("ReplicaSet", new_set(workload))):
        raw["spec"]["replicas"] += 1
        for counter in ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas"):
            if raw["kind"] == "Deployment":
                raw["status"][counter] += 1
    for number, raw in list(current_pods(scene, workload)):
        pod = copy.deepcopy(raw)
        pod["metadata"] |= {"name": "one-more", "uid": uid("one more")}
        pod["status"]["podIPs"] = [{"ip": ADDRESS}]
        scene.add(number, pod)
        for service in workload.services:
            put_behind(scene, number, service, pod, READY)


WHOLE: tuple[Alteration[None], ...] = (
    Alteration("commit-unknown", "Git does not have the intended commit", _commit_unknown),
    Alteration("git-unreadable", "Git could not be reached", _git_unreadable),
    Alteration("no-applications", "the list of Applications is empty", _no_applications),
    Alteration("too-few-applications", "one Application less than configured is there", _too_few),
    Alteration("no-objects", "the lists of workloads, Pods, Services and endpoints are empty", _no_objects),
    Alteration("no-responses", "the list of answers is empty", _no_responses),
    Alteration("expected-workload-not-managed", "no Application manages an expected workload", _expected_workload_gone),
    Alteration("replicas-not-as-expected", "an expected workload has one replica more", _one_replica_more),
    Alteration("applications-not-read-again", "the bundle is not closed by a second read", _not_closed),
    Alteration("single-bundle", "there is one bundle that passes, and no second one", _single, settling=True),
    Alteration(
        "second-bundle-too-soon", "the second bundle comes before the settle time is over", _too_soon, settling=True
    ),
    Alteration(
        "broken-bundle-between", "between two bundles that pass nobody answered", _broken_between, settling=True
    ),
)


def _moved_back(scene: Scene, app: ApplicationSubject) -> None:
    pin(scene, app, deployed_before(scene), again=True)


def _operation_began(scene: Scene, app: ApplicationSubject) -> None:
    for raw in scene.applications(app.place, again=True):
        raw["status"]["operationState"]["phase"] = "Running"


def _health_moved(scene: Scene, app: ApplicationSubject) -> None:
    for raw in scene.applications(app.place, again=True):
        raw["status"]["health"] = {"status": "Degraded"}


def _replaced(scene: Scene, app: ApplicationSubject) -> None:
    for key in ("applications", "applications-again"):
        for raw in scene.moments[-1][key]:
            if place_of(raw) == app.place:
                raw["metadata"]["uid"] = uid("another Application")


BETWEEN: tuple[Alteration[ApplicationSubject], ...] = (
    Alteration("pin-moved-while-read", "read again, the Application is pinned to another commit", _moved_back),
    Alteration("operation-began-while-read", "read again, an operation is Running", _operation_began),
    Alteration("health-moved-while-read", "read again, health is Degraded", _health_moved),
    Alteration(
        "application-replaced-between", "in the second bundle the Application has another uid", _replaced, settling=True
    ),
)


def _generation(raws: list[Json], place: Place, change: Callable[[Json], None]) -> None:
    for raw in raws:
        if raw.get("kind") == "Deployment" and place_of(raw) == place:
            change(raw)


def _scaled_while_read(scene: Scene, workload: WorkloadSubject) -> None:
    def newer(raw: Json) -> None:
        raw["metadata"]["generation"] += 1

    for moment in scene.moments:
        known = moment["objects-again"] or [one for one in moment["objects"] if one.get("kind") == "Deployment"]
        moment["objects-again"] = copy.deepcopy(known)
        _generation(moment["objects-again"], workload.place, newer)


def _rolled_between(scene: Scene, workload: WorkloadSubject) -> None:
    def newer(raw: Json) -> None:
        raw["metadata"]["generation"] += 1
        raw["status"]["observedGeneration"] += 1

    for key in ("objects", "objects-again"):
        _generation(scene.moments[-1][key] or [], workload.place, newer)


MOVED: tuple[Alteration[WorkloadSubject], ...] = (
    Alteration("workload-moved-while-read", "read again, the Deployment has another generation", _scaled_while_read),
    Alteration(
        "workload-moved-between", "in the second bundle it has another generation", _rolled_between, settling=True
    ),
)
