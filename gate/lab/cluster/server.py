"""The laboratory's Kubernetes API server: HTTP on loopback in front of the store."""

import asyncio
import json

from gate.lab.cluster.accounts import Account, Accounts
from gate.lab.cluster.apply import FIRST_NAMESPACES, create
from gate.lab.cluster.asked import Asked, parse_asked
from gate.lab.cluster.discovery import discover, knows_group
from gate.lab.cluster.faults import Faults
from gate.lab.cluster.kinds import Kind
from gate.lab.cluster.listing import list_objects
from gate.lab.cluster.protobuf import parse_review
from gate.lab.cluster.proxy import AnswerOf, proxy
from gate.lab.cluster.refusals import (
    JSON,
    PAGE_NOT_FOUND,
    TEXT,
    Refused,
    bad_request,
    not_allowed,
    refusal_of,
    reply,
    unknown_resource,
)
from gate.lab.cluster.selectors import BadSelector
from gate.lab.cluster.store import Store, StoreError
from gate.lab.cluster.watching import Watches
from gate.lab.cluster.writing import write
from gate.lab.http import HttpServer, Reply, Request

_HEALTH = ("/healthz", "/livez", "/readyz")
_REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


class ClusterServer:
    """Answers for the objects of a store. Listens at once, serves while `run` runs or from `start` to `stop`.

    ``answer`` says what a Pod answers to requests by Service proxy. ``port`` of 0 takes a free one.
    ``faults`` and ``watches`` make trouble, `away` more of it. Raises UsageError for a port that is taken.
    Everything but ``faults`` is to be used on the loop that it runs on.
    """

    def __init__(self, store: Store, answer: AnswerOf, *, port: int = 0, bookmark_every: float = 60.0) -> None:
        self.store = store
        self.accounts = Accounts()
        self.faults = Faults()
        self.watches = Watches(store, bookmark_every)
        self._answer_of = answer
        self._http = HttpServer(self._answer, port)

    @property
    def url(self) -> str:
        """Where it listens; the same after it was away."""
        return self._http.url

    def kubeconfig(self, context: str, account: Account | None = None, *, kubectl: bool = False) -> str:
        """A kubeconfig with one context, for the administrator unless another account is given; see `Account`."""
        return (account or self.accounts.admin).kubeconfig(self.url, context, kubectl=kubectl)

    async def start(self) -> None:
        """Serve from now on."""
        self._make_namespaces()
        await self._http.start()

    async def stop(self) -> None:
        """Listen no longer, and drop every connection."""
        await self._http.stop()

    def close(self) -> None:
        """Listen no longer; for one that was never started."""
        self._http.close()

    async def run(self) -> None:
        """Serve until cancelled."""
        self._make_namespaces()
        await self._http.run()

    async def away(self, seconds: float) -> None:
        """Be gone for so many seconds, connections and all, and come back on the same port."""
        await self._http.stop()
        await asyncio.sleep(seconds)
        await self._http.start()

    def _make_namespaces(self) -> None:
        for name in FIRST_NAMESPACES:
            if self.store.find("Namespace", "", name) is None:
                create(self.store, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})

    async def _answer(self, request: Request) -> Reply | None:
        try:
            who, request = self.accounts.identify(request)
        except Refused as refused:
            return reply(refused.status)
        asked = parse_asked(request)
        kind = asked.kind
        try:
            wrong, instead = await self.faults.answer(asked, who)
            if wrong:
                return instead
            if not who.may(asked):
                raise who.refused(asked)
            return self._permitted(asked, kind, request, who)
        except Refused as refused:
            return reply(refused.status)
        except (StoreError, BadSelector) as error:
            if kind is None:
                raise
            return reply(refusal_of(error, kind))

    def _permitted(self, asked: Asked, kind: Kind | None, request: Request, who: Account) -> Reply:
        if request.path in _HEALTH:
            return Reply(200, b"ok", TEXT)
        if request.path == _REVIEWS:
            return self._review(request, who)
        if kind is None:
            return self._other(asked, request)
        if asked.subresource == "proxy" and kind.name == "Service":
            return proxy(self.store, self._answer_of, asked, request)
        if asked.subresource not in ("", "status" if kind.status else "") or (kind.namespaced and _nowhere(asked)):
            raise unknown_resource()
        return self._of_kind(asked, kind, request)

    def _of_kind(self, asked: Asked, kind: Kind, request: Request) -> Reply:
        """What is asked of a kind that is served."""
        namespace = (asked.namespace or None) if kind.namespaced else None
        if asked.verb == "list":
            listed = list_objects(self.store, kind, namespace, request.query)
            listed["items"] = [self.faults.reduced(kind.name, body) for body in listed["items"]]
            return reply(listed)
        if asked.verb == "watch":
            return Reply(200, headers=JSON, stream=self.watches.begin(kind, namespace, request.query))
        if asked.verb == "get":
            return reply(self.faults.reduced(kind.name, self.store.get(kind.name, namespace or "", asked.name)))
        if kind.namespaced and namespace is None:
            raise not_allowed()
        return write(self.store, kind, asked, request)

    def _review(self, request: Request, who: Account) -> Reply:
        if request.method != "POST":
            raise not_allowed()
        try:
            protobuf = "protobuf" in request.headers.get("content-type", "")
            body = parse_review(request.body) if protobuf else json.loads(request.body)
            return reply(who.review(body), 201)
        except (ValueError, AttributeError, TypeError) as error:
            raise bad_request(f"the object provided is unrecognized: {error}") from None

    def _other(self, asked: Asked, request: Request) -> Reply:
        """A path that is no object's: discovery, or nothing."""
        found = discover(request.path, self.url.partition("//")[2]) if asked.verb == "get" else None
        if found is not None:
            return reply(found)
        if asked.resource != "" and knows_group(asked.group):
            raise unknown_resource()
        return PAGE_NOT_FOUND


def _nowhere(asked: Asked) -> bool:
    """Whether an object is named without its namespace."""
    return asked.name != "" and asked.namespace == ""
