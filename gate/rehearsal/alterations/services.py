"""Who answers behind a Service: alterations of Services and EndpointSlices (layer 3)."""

from collections.abc import Callable
from typing import Any

from gate.config.model import Allow
from gate.rehearsal.alterations.pods import READY
from gate.rehearsal.names import uid
from gate.rehearsal.scene import Alteration, DoesNotApply, Json, Scene
from gate.rehearsal.subjects import ServiceSubject

Change = Callable[[Scene, ServiceSubject], None]


def _endpoints(change: Callable[[Json], object]) -> Change:
    """A change of every endpoint of the Service."""

    def altered(scene: Scene, service: ServiceSubject) -> None:
        for one in scene.slices(service.place):
            for endpoint in one["endpoints"] or ():
                change(endpoint)

    return altered


def _not_ready(endpoint: Json) -> None:
    endpoint["conditions"] = {"ready": False, "serving": False, "terminating": False}


def _unknown(endpoint: Json) -> None:
    endpoint["conditions"]["ready"] = None


def _stray(scene: Scene, service: ServiceSubject) -> None:
    for one in scene.slices(service.place):
        own = {"kind": "Pod", "namespace": service.place[0], "name": "somebody-else", "uid": uid("somebody-else")}
        made = {"addresses": ["192.0.2.2"], "conditions": dict(READY), "targetRef": own}
        one["endpoints"] = [*(one["endpoints"] or ()), made]


def _one_missing(scene: Scene, service: ServiceSubject) -> None:
    pods = [pod for release in service.releases for pod in release.ready]
    if len(pods) < 2:
        raise DoesNotApply(f"{service.what} leads to one Pod")
    for one in scene.slices(service.place):
        kept = [end for end in one["endpoints"] or () if end["targetRef"]["uid"] != pods[0].metadata.uid]
        one["endpoints"] = kept


def _no_slices(scene: Scene, service: ServiceSubject) -> None:
    gone = {id(one) for one in scene.slices(service.place)}
    for moment in scene.moments:
        moment["objects"] = [one for one in moment["objects"] if id(one) not in gone]


def _absent(scene: Scene, service: ServiceSubject) -> None:
    scene.remove("Service", *service.place)


def _service(key: str, value: Any) -> Change:
    def change(scene: Scene, service: ServiceSubject) -> None:
        for one in scene.objects("Service", service.place):
            one["spec"][key] = value

    return change


def _no_selector(scene: Scene, service: ServiceSubject) -> None:
    if not (service.asked or service.only):
        raise DoesNotApply(f"no request goes by {service.what}, so that it is judged for its selector's sake alone")
    _service("selector", {})(scene, service)


def _not_ready_published(scene: Scene, service: ServiceSubject) -> None:
    if scene.asked.settings.policy.allows(Allow.PUBLISHES_NOT_READY):
        raise DoesNotApply(f"policy allows {Allow.PUBLISHES_NOT_READY.value}")
    _service("publishNotReadyAddresses", value=True)(scene, service)


def _no_port(scene: Scene, service: ServiceSubject) -> None:
    if not service.asked:
        raise DoesNotApply(f"no request names a port of {service.what}")
    for one in scene.slices(service.place):
        one["ports"] = [{"name": "another", "port": 9999}]


SERVICES: tuple[Alteration[ServiceSubject], ...] = (
    Alteration("no-ready-endpoints", "no endpoint behind the Service is ready", _endpoints(_not_ready)),
    Alteration("no-endpoint-slices", "the list of EndpointSlices is empty", _no_slices),
    Alteration("endpoint-readiness-unknown", "endpoints do not say whether they are ready", _endpoints(_unknown)),
    Alteration("endpoint-of-somebody-else", "a ready endpoint is no Pod of the release", _stray),
    Alteration("endpoint-missing", "one ready Pod is no endpoint", _one_missing),
    Alteration("service-absent", "the Service is not in the cluster", _absent),
    Alteration("service-without-selector", "the Service selects no Pods", _no_selector),
    Alteration("service-publishes-not-ready", "the Service lists Pods that are not ready", _not_ready_published),
    Alteration("port-not-served", "no endpoint serves the port that is asked for", _no_port),
)
