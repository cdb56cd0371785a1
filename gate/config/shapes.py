"""What a single value may look like: the base of the configuration models and their text types.

Every type refuses with words that say what was expected and never repeat the value, which may
be a secret in the wrong place.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from gate.observed import kebab

T = TypeVar("T")


class Misplaced(ValueError):
    """A refusal by a whole mapping that belongs to a place in it: ``at`` is the path from there."""

    def __init__(self, message: str, *at: str | int) -> None:
        super().__init__(message)
        self.at = at


def refuse_twins(values: Iterable[object], *at: str | int) -> None:
    """Raise Misplaced at the second of two equal values; ``at`` is the path of the list."""
    seen: list[object] = []
    for index, value in enumerate(values):
        if value in seen:
            raise Misplaced(f"the same as number {seen.index(value) + 1} of this list ({value})", *at, index)
        seen.append(value)


class Configured(BaseModel):
    """Base of the configuration models: frozen, no unknown keys, kebab-case names, strict types."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        alias_generator=kebab,
        validate_by_name=True,
        validate_by_alias=True,
        hide_input_in_errors=True,
    )


@dataclass(frozen=True)
class Shape:
    """A pattern that the whole text must match, in words for a person.

    ``pattern`` is written so that Python and the JSON Schema of an editor read it alike.
    """

    pattern: str
    words: str
    longest: int = 253

    def matches(self, text: str) -> bool:
        """Whether the text is of this shape, length included."""
        return len(text) <= self.longest and re.fullmatch(self.pattern, text) is not None

    def check(self, text: str) -> str:
        """The text itself; raises ValueError with the words when it does not match."""
        if len(text) > self.longest:
            raise ValueError(f"longer than {self.longest} characters; expected {self.words}")
        if not self.matches(text):
            raise ValueError(f"expected {self.words}")
        return text

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Check after the type itself."""
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Tell editors the same pattern and length."""
        return {**handler(schema), "pattern": f"^(?:{self.pattern})$", "maxLength": self.longest}


_LABEL = r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(?:\.{_LABEL})*"
_QUALIFIED = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_PORT = r"(?:[1-9][0-9]{0,4}|[a-z0-9]+(?:-[a-z0-9]+)*)"

NAME = Shape(
    r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?",
    "a name of letters, digits, dots, underscores and hyphens, at most 63 characters",
    63,
)
KUBERNETES_NAME = Shape(_SUBDOMAIN, "a Kubernetes name: lower-case letters, digits, hyphens and dots")
NAMESPACE = Shape(_LABEL, "a namespace: lower-case letters, digits and hyphens, at most 63 characters", 63)
QUALIFIED_NAME = Shape(
    rf"(?:{_SUBDOMAIN}/)?{_QUALIFIED}",
    "a key such as app.kubernetes.io/version: a domain and a slash if wanted, a name",
    317,
)
LABEL_VALUE = Shape(rf"(?:{_QUALIFIED})?", "the value of a label: letters, digits, hyphens, dots and underscores", 63)
KIND = Shape(r"[A-Z][A-Za-z0-9]*", "a kind such as CronJob, without a group", 63)
SERVICE = Shape(
    rf"{_LABEL}/{_LABEL}:{_PORT}", "namespace/service:port, for example orders/web:http or orders/web:8080", 143
)
WORKLOAD = Shape(rf"{_LABEL}/{_SUBDOMAIN}", "namespace/name of a Deployment, for example orders/web", 317)
HEADER = Shape(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", "the name of an HTTP header", 128)
LINE = Shape(r"[^\u0000-\u001f\u007f]+", "one line of text that is not empty", 1024)
BRANCH = Shape(
    r"(?![-/.])(?!refs/)(?!.*(?:\.\.|//|@\{))[^\s~^:?*\[\\\u0000-\u001f\u007f]*[^\s~^:?*\[\\\u0000-\u001f\u007f/.]",
    "the plain name of a branch, such as main",
    255,
)
REPOSITORY_FILE = Shape(
    r"(?!/)(?!(?:.*/)?\.\.(?:/|$))[^\u0000-\u001f\u007f\\]*[^\u0000-\u001f\u007f\\/]",
    "the path of a file, relative to the root of the repository, without ..",
    1024,
)

Name = Annotated[str, NAME]
KubernetesName = Annotated[str, KUBERNETES_NAME]
Namespace = Annotated[str, NAMESPACE]
LabelKey = Annotated[str, QUALIFIED_NAME]
LabelValue = Annotated[str, LABEL_VALUE]
Kind = Annotated[str, KIND]
Line = Annotated[str, LINE]
RepositoryFile = Annotated[str, REPOSITORY_FILE]
Text = Annotated[str, Field(min_length=1, max_length=65536)]
# YAML and JSON know lists; the models hold tuples, which nobody can append to.
Listing = Annotated[tuple[T, ...], Field(strict=False)]
