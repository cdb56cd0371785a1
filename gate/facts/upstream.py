"""Reading raw upstream JSON into strict models: only the fields the gate uses, nothing coerced.

A field that is absent or null is None in the model; a field of a wrong type makes the whole
object ``Unreadable`` with the field named, so that a half-understood object proves nothing.
"""

import re
from typing import Annotated, Any, TypeVar

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from gate.observed import Observed, Present, Unreadable

FULL_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
"""A full Git commit id: SHA-1 (40) or SHA-256 (64) lower-case hex digits, nothing around them."""


def is_full_id(text: object) -> bool:
    """Whether this is a full commit id and nothing else."""
    return isinstance(text, str) and FULL_ID.fullmatch(text) is not None


class Upstream(BaseModel):
    """Base of the upstream models: strict, frozen, camelCase names, unknown keys ignored."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        strict=True,
        hide_input_in_errors=True,
        alias_generator=to_camel,
        populate_by_name=True,
    )


def _text_only(value: object) -> object:
    if isinstance(value, str) or value is None:
        return value
    raise ValueError("expected an RFC 3339 time as text")


Time = Annotated[AwareDatetime, Field(strict=False), BeforeValidator(_text_only)]
"""A time as the APIs write it: RFC 3339 text with a zone."""

Count = Annotated[int, Field(ge=0)]

Model = TypeVar("Model", bound=BaseModel)


def parse(model: type[Model], raw: object, what: str) -> Observed[Model]:
    """One raw object to its model, or ``Unreadable`` naming the first field that is wrong.

    Evidence keeps of an object that could not be understood only that it was so, under ``unreadable``.
    """
    told = raw.get("unreadable") if isinstance(raw, dict) else None
    if isinstance(told, dict):
        return Unreadable(what=what, field=str(told.get("field", "")), error=str(told.get("error", "")))
    try:
        return Present(value=model.model_validate(raw))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        return Unreadable(what=what, field=field, error=first["msg"])


def normal(value: Any) -> Any:
    """A JSON value without nulls and empty containers, so that nil and empty compare equal."""
    if isinstance(value, dict):
        cleaned = {key: normal(item) for key, item in value.items()}
        return {key: item for key, item in cleaned.items() if item not in (None, {}, [], "")}
    if isinstance(value, list | tuple):
        return [normal(item) for item in value]
    return value


class OwnerReference(Upstream):
    """Who owns an object; ``controller`` tells the one that manages it."""

    kind: str | None = None
    name: str | None = None
    uid: str | None = None
    controller: bool | None = None


class Metadata(Upstream):
    """The part of ObjectMeta that the gate reads."""

    name: str | None = None
    namespace: str | None = None
    uid: str | None = None
    generation: Count | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    creation_timestamp: Time | None = None
    deletion_timestamp: Time | None = None
    owner_references: tuple[OwnerReference, ...] | None = Field(default=None, strict=False)

    def annotation(self, key: str) -> str | None:
        """The annotation's value; None when it is not there."""
        return None if self.annotations is None else self.annotations.get(key)

    @property
    def controller_uid(self) -> str | None:
        """The uid of the managing owner; None when there is none, or it is not named in full."""
        owners = () if self.owner_references is None else self.owner_references
        managing = [owner for owner in owners if owner.controller is True]
        if len(managing) != 1 or not all((managing[0].kind, managing[0].name, managing[0].uid)):
            return None
        return managing[0].uid


class Condition(Upstream):
    """A Kubernetes condition."""

    type: str | None = None
    status: str | None = None
    reason: str | None = None
    message: str | None = None
    last_update_time: Time | None = None
    last_transition_time: Time | None = None


Conditions = Annotated[tuple[Condition, ...], Field(strict=False)]


def condition(conditions: tuple[Condition, ...] | None, kind: str) -> Condition | None:
    """The condition of this type; None when absent (or the list is), and when it stands there twice and differs."""
    found = [one for one in conditions or () if one.type == kind]
    return found[0] if found and all(one == found[0] for one in found) else None
