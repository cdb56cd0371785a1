"""What the API server does to a body before it is stored: defaults, and refusals."""

import copy
import uuid
from collections.abc import Sequence

from gate.lab.cluster.defaults import default
from gate.lab.cluster.kinds import KINDS
from gate.lab.cluster.store import Object, StoreError, key_of
from gate.lab.cluster.validation import Cause, faults, faults_of_change
from gate.lab.pace import now, whole_seconds

_NOT_GIVEN = ("resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink")


class Invalid(StoreError):
    """The API server refuses the object (422); the text is its message, ``causes`` are its faults."""

    def __init__(self, kind: str, name: str, causes: Sequence[Cause]) -> None:
        found = [f"{cause.field}: {cause.message}" for cause in causes]
        listed = found[0] if len(found) == 1 else f"[{', '.join(found)}]"
        group = KINDS[kind].group
        super().__init__(f'{kind}{"." if group else ""}{group} "{name}" is invalid: {listed}')
        self.kind, self.name, self.causes = kind, name, tuple(causes)


class BadBody(StoreError):
    """The body has another form than its kind (400)."""


def admit(body: Object, before: Object | None = None) -> Object:
    """The body with the API server's defaults, a copy; raises Invalid, BadBody, and NotFound for an unknown kind.

    ``before`` is the object that it is to replace. A new object gets its uid, its time and its first
    status here, and it loses what only the API server may say.
    """
    kind, namespace, name = key_of(body)
    made = copy.deepcopy(body)
    metadata = made["metadata"]
    if KINDS[kind].namespaced:
        metadata["namespace"] = namespace
    if before is None:
        for given in _NOT_GIVEN:
            metadata.pop(given, None)
        metadata.update(uid=str(uuid.uuid4()), creationTimestamp=whole_seconds(now()))
    try:
        default(made, before)
        found = [*faults(made), *(faults_of_change(made, before) if before is not None else ())]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        version = KINDS[kind].api_version.rpartition("/")[2]
        raise BadBody(f'{kind} in version "{version}" cannot be handled as a {kind}: {error}') from None
    if found:
        raise Invalid(kind, name, found)
    return made
