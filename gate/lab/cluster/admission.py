"""What the API server does to a body before it is stored: defaults, and refusals."""

from gate.lab.cluster.store import Object, StoreError


class Invalid(StoreError):
    """The API server refuses the object (422); the text is its message."""


def admit(body: Object) -> Object:
    """The body with the API server's defaults, a copy; raises Invalid."""
    raise NotImplementedError
