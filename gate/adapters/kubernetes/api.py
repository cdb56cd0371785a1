"""Reading the cluster: raw objects by kind, namespace and name, exactly as the API returns them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Self, TypeVar

from pydantic import SecretStr

from gate.adapters.failures import Cause, ReadFailed, one_line
from gate.adapters.kubernetes.access import Access
from gate.adapters.kubernetes.connection import Connection, Setting, connect
from gate.adapters.kubernetes.kinds import KINDS, ServiceTarget, list_path, object_path
from gate.adapters.kubernetes.listing import read_list
from gate.adapters.kubernetes.proxy import ProxiedRequest, send_by_proxy
from gate.adapters.kubernetes.review import Right, ask_right
from gate.adapters.kubernetes.transport import Call, Limits, Transport, failure, parse_object, status_of
from gate.adapters.kubernetes.watch import DEFAULT_PACE, Pace, WatchTarget, watch
from gate.adapters.retry import Patience, read_with_retry
from gate.errors import InternalError
from gate.facts.moment import Raw, RawResponse

T = TypeVar("T")
DEFAULT_PATIENCE = Patience(attempts=3, first_wait=0.2, longest_wait=1.0)
DEFAULT_LIMITS = Limits()


class KubernetesApi:
    """One cluster, for reading. An async context manager; entering it raises AccessError.

    ``deadline`` is a reading of ``time.monotonic()`` after which no call begins or goes on; it may
    be set at any time. ``notes`` are what the verdict must say about this access. With
    ``may_refresh`` one annotation may be written to Applications, and nothing else ever.
    """

    def __init__(
        self,
        access: Access,
        setting: Setting,
        *,
        allow_unverified: bool = False,
        may_refresh: bool = False,
        limits: Limits = DEFAULT_LIMITS,
        patience: Patience = DEFAULT_PATIENCE,
        deadline: float | None = None,
    ) -> None:
        self.notes: tuple[str, ...] = ()
        self.deadline = deadline
        self._access = access
        self._setting = setting
        self._allow_unverified = allow_unverified
        self._may_refresh = may_refresh
        self._limits = limits
        self._patience = patience
        self._opened: Transport | None = None

    async def __aenter__(self) -> Self:
        self._opened = Transport(self._load, await self._load(), self._limits)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened.close()

    async def _load(self) -> Connection:
        connection, self.notes = await connect(self._access, self._setting, allow_unverified=self._allow_unverified)
        return connection

    @property
    def _transport(self) -> Transport:
        if self._opened is None:
            raise InternalError("The Kubernetes API was used before it was opened.")
        return self._opened

    @property
    def host(self) -> str:
        """``name:port`` of the API server, for messages."""
        return self._transport.host

    async def _patiently(self, what: str, attempt: Callable[[], Awaitable[T]]) -> T:
        return await read_with_retry(attempt, what=what, patience=self._patience, deadline=self.deadline)

    async def get(self, kind: str, namespace: str, name: str) -> Raw | None:
        """One object as the API returns it; None when it is not there. Raises ReadFailed.

        A kind that the server does not know (a missing CRD) is ReadFailed, not None.
        """
        what = f"{kind} {namespace}/{name}"
        call = Call(what, _path(what, lambda: object_path(kind, namespace, name)))

        async def attempt() -> Raw | None:
            answer = await self._transport.send(call)
            if answer.status == 404:
                if _names_object(status_of(answer), name):
                    return None
                raise _not_served(what, kind, self.host)
            if answer.status != 200:
                raise failure(what, answer, self.host)
            return _checked(what, parse_object(what, answer), kind, namespace, name)

        return await self._patiently(what, attempt)

    async def list_objects(
        self, kind: str, namespace: str, label_selector: str = "", field_selector: str = ""
    ) -> tuple[Raw, ...]:
        """All objects of a kind in a namespace that the selectors choose, over all pages; raises ReadFailed.

        Items get the ``apiVersion`` and ``kind`` that the API leaves out in lists.
        """
        path = _path(kind, lambda: list_path(kind, namespace))
        selectors = {"labelSelector": label_selector, "fieldSelector": field_selector}
        query = {key: value for key, value in selectors.items() if value != ""}

        async def attempt() -> tuple[Raw, ...]:
            return await read_list(self._transport, kind, path, query)

        return await self._patiently(kind, attempt)

    async def may(self, right: Right) -> bool:
        """Whether these credentials have a right, as the API server itself says. Raises ReadFailed."""
        return await self._patiently(right.resource, lambda: ask_right(self._transport, right))

    async def request_refresh(self, namespace: str, name: str) -> None:
        """Ask Argo CD to compare an Application again: one annotation, where configuration allows it.

        Raises ReadFailed; InternalError when it was not allowed.
        """
        if not self._may_refresh:
            raise InternalError("A refresh was requested although the configuration does not allow it.")
        what = f"Application {namespace}/{name}"
        path = _path(what, lambda: object_path("Application", namespace, name))

        async def attempt() -> None:
            answer = await self._transport.send(Call(what, path, method="PATCH"))
            if answer.status != 200:
                raise failure(what, answer, self.host)

        await self._patiently(what, attempt)

    async def send_by_proxy(
        self,
        request: str,
        target: ServiceTarget,
        *,
        method: str = "GET",
        path: str = "/",
        headers: Mapping[str, SecretStr] | None = None,
        timeout: float = 5.0,  # noqa: ASYNC109 - it belongs to the request and is told in its error
    ) -> RawResponse:
        """One sample by route ``service-proxy`` over a connection of its own; never raises for a failed request.

        ``request`` is the configured name. A 503 with a ``Status`` body is the API server's own.
        """
        asked = ProxiedRequest(request, target, method, path, dict(headers or {}), timeout)
        return await send_by_proxy(self._transport, asked, self.deadline)

    async def watch(
        self,
        targets: Sequence[WatchTarget],
        changed: asyncio.Event,
        stop: asyncio.Event,
        pace: Pace = DEFAULT_PACE,
    ) -> None:
        """Set ``changed`` whenever a watched object changed, until ``stop``; a hint that never raises."""
        await watch(self._transport, targets, changed, stop, pace)


def _path(what: str, make: Callable[[], str]) -> str:
    """A path, or ReadFailed where kind or name cannot be asked for."""
    try:
        return make()
    except KeyError:
        raise ReadFailed(what, "this kind is not one that the gate reads", cause=Cause.NOT_SERVED) from None
    except ValueError as error:
        raise ReadFailed(what, one_line(str(error)), cause=Cause.REFUSED) from None


def _names_object(status: Raw | None, name: str) -> bool:
    """Whether a 404 is about this object, and not about the whole kind or the path."""
    details = status.get("details") if status is not None else None
    return (
        isinstance(details, dict)
        and details.get("name") == name
        and status is not None
        and (status.get("reason") == "NotFound")
    )


def _not_served(what: str, kind: str, host: str) -> ReadFailed:
    text = f"{host} does not serve {kind} ({KINDS[kind].api_version}): the CRD is missing, or the address is wrong"
    return ReadFailed(what, text, 404, cause=Cause.NOT_SERVED)


def _checked(what: str, raw: Raw, kind: str, namespace: str, name: str) -> Raw:
    """The object, if it is the one that was asked for."""
    metadata = raw.get("metadata")
    place = (metadata.get("namespace"), metadata.get("name")) if isinstance(metadata, dict) else (None, None)
    if raw.get("kind") != kind or place != (namespace, name):
        raise ReadFailed(what, "the answer is another object than the one asked for", 200, cause=Cause.MALFORMED)
    return raw
