"""Reading one moment: Applications, the cluster, the requests, the Applications again.

Nothing is judged here. A read that failed becomes part of the moment as ``unreadable``.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from pydantic import SecretStr

from gate.adapters.failures import ReadFailed
from gate.adapters.kubernetes.kinds import ServiceTarget
from gate.config.model import ApplicationTarget, Environment, Request
from gate.facts.moment import Moment, Raw, RawResponse, UnreadableRead

NAMESPACED = ("Deployment", "ReplicaSet", "Pod", "Service", "EndpointSlice")
_AT_ONCE = 5


class Reader(Protocol):
    """How a cluster is read; raises ReadFailed."""

    async def get(self, kind: str, namespace: str, name: str) -> Raw | None:
        """One object; None when it is not there."""

    async def list_objects(
        self, kind: str, namespace: str, label_selector: str = "", field_selector: str = ""
    ) -> tuple[Raw, ...]:
        """Every object of a kind in a namespace."""

    async def send_by_proxy(
        self,
        request: str,
        target: ServiceTarget,
        *,
        method: str = "GET",
        path: str = "/",
        headers: Mapping[str, SecretStr] | None = None,
        timeout: float = 5.0,  # noqa: ASYNC109  # it belongs to the request
    ) -> RawResponse:
        """One sample through the API server; never raises for a failed request."""


Send = Callable[[Request], Awaitable[RawResponse]]
"""Sends one sample of a request by route ``cluster`` or ``external``; never raises for a failed request."""


def utc_now() -> datetime:
    """The time, with a zone."""
    return datetime.now(UTC)


def _always(_moment: Moment) -> bool:
    return True


@dataclass
class Unread:
    """Collects failed reads of one moment."""

    reads: list[UnreadableRead] = field(default_factory=list)

    def add(self, what: str, failure: ReadFailed) -> None:
        """Remember a failed read under the name that facts look it up by."""
        self.reads.append(UnreadableRead(what=what, error=failure.error, status=failure.status))


@dataclass(frozen=True)
class Observer:
    """Reads moments of one environment.

    ``argocd`` reads Applications, ``cluster`` the workloads (the same where they are the same
    cluster). ``headers`` gives the header values of a request, resolved from the environment.
    """

    settings: Environment
    argocd: Reader
    cluster: Reader
    send: Send
    headers: Mapping[str, Mapping[str, SecretStr]] = field(default_factory=dict)
    now: Callable[[], datetime] = utc_now

    async def read_applications(self) -> Moment:
        """A moment with nothing but the Applications."""
        unread = Unread()
        found = await self._applications(unread)
        return Moment(now=self.now(), applications=found, unreadable=tuple(unread.reads))

    async def read_projects(self, moment: Moment) -> Moment:
        """The moment with the AppProjects of its Applications, whose sync windows may block a sync."""
        unread = Unread(list(moment.unreadable))
        places = {
            (namespace, spec["project"])
            for raw in moment.applications
            if isinstance(spec := raw.get("spec"), dict) and isinstance(spec.get("project"), str)
            if (namespace := _metadata(raw).get("namespace")) is not None
        }
        objects = [await self._get("AppProject", namespace, name, unread) for namespace, name in sorted(places)]
        found = tuple(one for one in objects if one is not None)
        return moment.model_copy(update={"objects": found, "unreadable": tuple(unread.reads), "now": self.now()})

    async def read_bundle(self, moment: Moment, wants_requests: Callable[[Moment], bool] = _always) -> Moment:
        """The moment as one whole bundle: cluster, requests, and the Applications once more.

        ``wants_requests`` is shown what was read so far; where it says no, nothing is sent. A Pod
        that is going may let a request hang for its whole timeout, while nobody would judge the answer.
        """
        unread = Unread(list(moment.unreadable))
        namespaces = sorted(self.namespaces(moment.applications))
        objects = await self._objects(namespaces, unread)
        read = Moment(now=self.now(), applications=moment.applications, objects=objects, unreadable=tuple(unread.reads))
        wanted = wants_requests(read)
        responses = await self._responses() if wanted else ()
        again = await asyncio.gather(*(self._list(self.cluster, "Deployment", place, unread) for place in namespaces))
        applications_again = await self._applications(unread)
        return Moment(
            # Without answers the moment is not made younger than what was asked about it.
            now=self.now() if wanted else read.now,
            applications=moment.applications,
            objects=objects,
            responses=responses,
            objects_again=tuple(one for group in again for one in group),
            applications_again=applications_again,
            unreadable=tuple(unread.reads),
        )

    async def _applications(self, unread: Unread) -> tuple[Raw, ...]:
        groups = await asyncio.gather(*(self._target(target, unread) for target in self.settings.applications))
        unique = {
            str(_metadata(raw).get("uid")) + str(_metadata(raw).get("name")): raw for group in groups for raw in group
        }
        return tuple(unique.values())

    async def _target(self, target: ApplicationTarget, unread: Unread) -> tuple[Raw, ...]:
        namespace = target.namespace if target.namespace is not None else self.settings.argocd.namespace
        if target.selector is None:
            one = await self._get("Application", namespace, target.name or "", unread)
            return () if one is None else (one,)
        selector = ",".join(f"{key}={value}" for key, value in target.selector.match_labels.items())
        return await self._list(self.argocd, "Application", namespace, unread, selector)

    async def _get(self, kind: str, namespace: str, name: str, unread: Unread) -> Raw | None:
        try:
            return await self.argocd.get(kind, namespace, name)
        except ReadFailed as failure:
            unread.add(f"{kind} {namespace}/{name}", failure)
            return None

    async def _list(
        self, reader: Reader, kind: str, namespace: str, unread: Unread, labels: str = "", fields: str = ""
    ) -> tuple[Raw, ...]:
        try:
            return await reader.list_objects(kind, namespace, labels, fields)
        except ReadFailed as failure:
            unread.add(kind if kind == "Application" else f"{kind} {namespace}/", failure)
            return ()

    def namespaces(self, applications: Iterable[Raw]) -> set[str]:
        """Where the Applications' resources and the requested Services live."""
        places = {
            request.service.partition("/")[0] for request in self.settings.requests if request.service is not None
        }
        for raw in applications:
            status = raw.get("status")
            resources = status.get("resources") if isinstance(status, dict) else None
            for one in resources if isinstance(resources, list) else ():
                namespace = one.get("namespace") if isinstance(one, dict) else None
                if isinstance(namespace, str) and one.get("kind") in NAMESPACED:
                    places.add(namespace)
        return places

    async def _objects(self, namespaces: list[str], unread: Unread) -> tuple[Raw, ...]:
        reads = [
            self._list(self.cluster, kind, namespace, unread) for namespace in namespaces for kind in NAMESPACED
        ] + [self._list(self.cluster, "Event", place, unread, fields="type=Warning") for place in namespaces]
        groups = await asyncio.gather(*reads)
        return tuple(one for group in groups for one in group)

    async def _responses(self) -> tuple[RawResponse, ...]:
        limit = asyncio.Semaphore(_AT_ONCE)

        async def sample(request: Request) -> RawResponse:
            async with limit:
                return await self._sample(request)

        wanted = [request for request in self.settings.requests for _ in range(request.samples)]
        return tuple(await asyncio.gather(*(sample(request) for request in wanted)))

    async def _sample(self, request: Request) -> RawResponse:
        if request.by_route != "service-proxy" or request.service is None:
            return await self.send(request)
        service = request.service
        return await self.cluster.send_by_proxy(
            request.name,
            ServiceTarget(service.namespace, service.name, service.port),
            method=request.method,
            path=request.path,
            headers=self.headers.get(request.name),
            timeout=request.timeout.total_seconds(),
        )


def _metadata(raw: Raw) -> Raw:
    metadata = raw.get("metadata")
    return metadata if isinstance(metadata, dict) else {}
