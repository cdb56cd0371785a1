"""Asking the API server what these credentials may do (SelfSubjectAccessReview): nothing is kept of the question."""

import json
from typing import NamedTuple

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.kubernetes.kinds import KINDS
from gate.adapters.kubernetes.transport import REVIEWS, Call, Transport, failure, parse_object


class Right(NamedTuple):
    """A verb on a kind in a namespace. ``subresource`` such as ``proxy``; empty for the object itself."""

    verb: str
    kind: str
    namespace: str
    subresource: str = ""

    @property
    def group(self) -> str:
        """The API group, empty for the core one."""
        version = KINDS[self.kind].api_version
        return version.partition("/")[0] if "/" in version else ""

    @property
    def resource(self) -> str:
        """The resource as RBAC names it."""
        plural = KINDS[self.kind].plural
        return f"{plural}/{self.subresource}" if self.subresource else plural


async def ask_right(transport: Transport, right: Right) -> bool:
    """Whether these credentials have a right; raises ReadFailed where that could not be asked."""
    what = f"right to {right.verb} {right.resource} in {right.namespace}"
    wanted = {
        "verb": right.verb,
        "group": right.group,
        "resource": KINDS[right.kind].plural,
        "subresource": right.subresource,
        "namespace": right.namespace,
    }
    question = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {key: value for key, value in wanted.items() if value != ""}},
    }
    answer = await transport.send(Call(what, REVIEWS, method="POST", body=json.dumps(question).encode()))
    if answer.status not in (200, 201):
        raise failure(what, answer, transport.host)
    status = parse_object(what, answer).get("status")
    allowed = status.get("allowed") if isinstance(status, dict) else None
    if not isinstance(allowed, bool):
        raise ReadFailed(what, "the answer does not say whether it is allowed", answer.status, cause=Cause.MALFORMED)
    return allowed
