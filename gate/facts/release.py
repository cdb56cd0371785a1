"""One release as it lives in the cluster: a Deployment with its ReplicaSets and Pods. Pure."""

from dataclasses import dataclass

from gate.config.model import Request
from gate.facts.endpoints import Service
from gate.facts.workload import Deployment, Pod, ReplicaSet


@dataclass(frozen=True)
class Release:
    """One Deployment with what belongs to it.

    ``new``: the ReplicaSet of the Deployment's own template (None: not made yet). ``current``:
    its Pods that are not terminating. ``old``: Pods that have to go: those of its other ReplicaSets,
    and those of ``new`` that are terminating.
    """

    what: str
    deployment: Deployment
    new: ReplicaSet | None
    previous: tuple[ReplicaSet, ...]
    current: tuple[Pod, ...]
    old: tuple[Pod, ...]

    def is_new(self, pod: Pod) -> bool:
        """Whether a Pod, also a terminating one, is of ``new``."""
        return self.new is not None and pod.metadata.controller_uid == self.new.metadata.uid

    @property
    def ready(self) -> tuple[Pod, ...]:
        """The current Pods whose Ready condition is True."""
        return tuple(pod for pod in self.current if is_ready(pod))


def is_ready(pod: Pod) -> bool:
    """Ready, running and not terminating."""
    ready = pod.ready_condition
    return (
        pod.metadata.deletion_timestamp is None
        and ready is not None
        and ready.status == "True"
        and pod.status is not None
        and pod.status.phase == "Running"
    )


def name_of(pod: Pod) -> str:
    """How messages name a Pod."""
    return f"Pod {pod.metadata.namespace}/{pod.metadata.name}"


def image_of(deployment: Deployment, container: str) -> str | None:
    """The image text that the Deployment's template gives this container; None when it has none."""
    template = deployment.spec.template
    return None if template is None else template.images.get(container)


def split_image(image: str) -> tuple[str | None, str | None]:
    """(tag, digest) of an image text; None for what it does not name. A registry port is no tag."""
    name, at, digest = image.partition("@")
    last = name.rpartition("/")[2]
    _, colon, tag = last.partition(":")
    return (tag if colon and tag else None), (digest if at and digest else None)


def pinned_digest(deployment: Deployment, container: str) -> str | None:
    """``sha256:...`` when the image is pinned by content; None for a tag, which can move."""
    image = image_of(deployment, container)
    return None if image is None else split_image(image)[1]


def selects(service: Service, release: Release) -> bool:
    """Whether the Service's selector picks the Pods of this release's template; it does in its own namespace only."""
    if service.metadata.namespace != release.deployment.metadata.namespace:
        return False
    selector, template = service.spec.selector, release.deployment.spec.template
    if selector is None or len(selector) == 0 or template is None:
        return False
    return all(template.labels.get(key) == value for key, value in selector.items())


def service_of(request: Request) -> tuple[str, str, str] | None:
    """(namespace, name, port) of the Service a request goes to; None for a URL."""
    if request.service is None:
        return None
    return request.service.namespace, request.service.name, request.service.port
