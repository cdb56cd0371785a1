"""Who asks, and what each may do: an administrator, and a reader with the rights of docs/rbac-read-only.yaml."""

import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from gate.lab.cluster.asked import Asked
from gate.lab.cluster.refusals import Refused, refusal
from gate.lab.cluster.store import Object
from gate.lab.http import Request

READ = ("get", "list", "watch")
READER_RULES: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("argoproj.io", "applications"): READ,
    ("argoproj.io", "appprojects"): READ,
    ("apps", "deployments"): READ,
    ("apps", "replicasets"): READ,
    ("apps", "statefulsets"): READ,
    ("apps", "daemonsets"): READ,
    ("batch", "jobs"): READ,
    ("", "pods"): READ,
    ("", "services"): READ,
    ("", "events"): READ,
    ("discovery.k8s.io", "endpointslices"): READ,
    ("", "services/proxy"): ("get",),
}
"""By API group and resource: the verbs that the reader may use."""
_PREFIX = "/as/"
_ANYBODY = ("/api", "/apis", "/version", "/healthz", "/livez", "/readyz", "/openapi")
_OF_ITSELF = ("selfsubjectaccessreviews",)
_GRANTED = (
    'RBAC: allowed by ClusterRoleBinding "promotion-gate-read-only" of ClusterRole "promotion-gate-read-only" to '
    'ServiceAccount "promotion-gate/promotion-gate"'
)


@dataclass(frozen=True)
class Account:
    """One who may ask. ``rules`` of None: everything."""

    name: str
    rules: Mapping[tuple[str, str], tuple[str, ...]] | None = None
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)

    def may(self, asked: Asked) -> bool:
        """Whether this account has the right to do what is asked."""
        if self.rules is None:
            return True
        if asked.resource == "":
            return asked.verb == "get" and asked.path.startswith(_ANYBODY)
        if asked.group == "authorization.k8s.io":
            return asked.verb == "create" and asked.resource in _OF_ITSELF
        return asked.verb in self.rules.get((asked.group, _with_subresource(asked)), ())

    def refused(self, asked: Asked) -> Refused:
        """What this account is told that may not do it."""
        user = f'User "{self.name}"'
        if asked.resource == "":
            return Refused(refusal(403, "Forbidden", f'forbidden: {user} cannot {asked.verb} path "{asked.path}"', {}))
        resource = f"{asked.resource}.{asked.group}" if asked.group else asked.resource
        what = f'{resource} "{asked.name}"' if asked.name else resource
        where = f'in the namespace "{asked.namespace}"' if asked.namespace else "at the cluster scope"
        may_not = f'cannot {asked.verb} resource "{_with_subresource(asked)}" in API group "{asked.group}" {where}'
        details: Object = {"name": asked.name} if asked.name else {}
        if asked.group:
            details["group"] = asked.group
        details["kind"] = asked.resource
        return Refused(refusal(403, "Forbidden", f"{what} is forbidden: {user} {may_not}", details))

    def review(self, body: Object) -> Object:
        """The answer to a SelfSubjectAccessReview."""
        spec = body.get("spec", {})
        wanted = spec.get("resourceAttributes")
        path = spec.get("nonResourceAttributes", {})
        asked = Asked(str(path.get("verb", "")), str(path.get("path", "")))
        if wanted is not None:
            names = ("group", "version", "namespace", "resource", "name", "subresource")
            known = {name: str(wanted.get(name, "")) for name in names}
            asked = Asked(str(wanted.get("verb", "")), "", **known)
        allowed = self.may(asked)
        status: Object = {"allowed": allowed}
        if allowed and self.rules is not None:
            status["reason"] = _GRANTED
        kept = {"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "metadata": {}}
        return {**kept, "spec": spec, "status": status}

    def kubeconfig(self, url: str, context: str, *, kubectl: bool = False) -> str:
        """A kubeconfig (JSON is YAML) for this account, with one context.

        kubectl sends no token where there is no TLS: for it the token stands in the URL.
        """
        if kubectl:
            url = f"{url}{_PREFIX}{self.token}"
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": context, "cluster": {"server": url}}],
            "users": [{"name": context, "user": {"token": self.token}}],
            "contexts": [{"name": context, "context": {"cluster": context, "user": context}}],
            "current-context": context,
        }
        return json.dumps(config, indent=2) + "\n"


@dataclass(frozen=True)
class Accounts:
    """The two accounts there are."""

    admin: Account = field(default_factory=lambda: Account("kubernetes-admin"))
    reader: Account = field(
        default_factory=lambda: Account("system:serviceaccount:promotion-gate:promotion-gate", READER_RULES)
    )

    def identify(self, request: Request) -> tuple[Account, Request]:
        """The account whose token the request carries; raises Refused (401), as without anonymous access.

        The request is given back without the token where that stood in its path.
        """
        if request.target.startswith(_PREFIX):
            token, _, rest = request.target.removeprefix(_PREFIX).partition("/")
            return self._of("bearer", token), replace(request, target=f"/{rest}")
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        return self._of(scheme, token), request

    def _of(self, scheme: str, token: str) -> Account:
        for account in (self.admin, self.reader):
            if scheme.lower() == "bearer" and hmac.compare_digest(token.encode(), account.token.encode()):
                return account
        raise Refused(refusal(401, "Unauthorized", "Unauthorized"))


def _with_subresource(asked: Asked) -> str:
    return f"{asked.resource}/{asked.subresource}" if asked.subresource else asked.resource
