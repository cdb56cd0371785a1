"""Services and EndpointSlices as the gate reads them."""

from typing import Annotated

from pydantic import Field

from gate.facts.upstream import Metadata, Upstream

SERVICE_NAME = "kubernetes.io/service-name"


class ServicePort(Upstream):
    """One entry of ``spec.ports``."""

    name: str | None = None
    port: int | None = None
    protocol: str | None = None


class ServiceSpec(Upstream):
    """``spec``."""

    type: str | None = None
    selector: dict[str, str] | None = None
    ports: Annotated[tuple[ServicePort, ...], Field(strict=False)] | None = None
    publish_not_ready_addresses: bool | None = None


class Service(Upstream):
    """v1 Service."""

    metadata: Metadata
    spec: ServiceSpec


class EndpointConditions(Upstream):
    """``conditions``: nil is unknown here, although the API tells consumers to read it as true."""

    ready: bool | None = None
    serving: bool | None = None
    terminating: bool | None = None


class TargetRef(Upstream):
    """The object behind an endpoint."""

    kind: str | None = None
    namespace: str | None = None
    name: str | None = None
    uid: str | None = None


class Endpoint(Upstream):
    """One backend."""

    addresses: Annotated[tuple[str, ...], Field(strict=False)] | None = None
    conditions: EndpointConditions | None = None
    target_ref: TargetRef | None = None


class EndpointPort(Upstream):
    """One entry of ``ports``."""

    name: str | None = None
    port: int | None = None


class EndpointSlice(Upstream):
    """discovery.k8s.io/v1 EndpointSlice; ``endpoints`` may be null when a Service has no backend."""

    metadata: Metadata
    address_type: str | None = None
    endpoints: Annotated[tuple[Endpoint, ...], Field(strict=False)] | None = None
    ports: Annotated[tuple[EndpointPort, ...], Field(strict=False)] | None = None

    @property
    def service(self) -> str | None:
        """The name of the Service this slice belongs to."""
        return None if self.metadata.labels is None else self.metadata.labels.get(SERVICE_NAME)
