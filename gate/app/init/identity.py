"""By what in an answer releases can be told apart: a value of the release that stands in the body. Pure."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gate.config.expressions import PLAIN_PATH
from gate.config.request import Expectation
from gate.facts.release import Release
from gate.layers.request.identity import release_values, template_values
from gate.layers.request.match import match_body, see_body

VERSION_LABEL = "label:app.kubernetes.io/version"
# Keys whose last part says that their value goes with a release; the value of any other may be the same for ever.
_TELLING = frozenset(
    {"version", "revision", "commit", "git-commit", "git-sha", "commit-sha", "sha", "build", "build-id", "image-tag"}
)
_MOVING = frozenset({"latest", "stable", "main", "master", "dev", "edge", "nightly", "prod", "production", "staging"})
_SHORTEST_IN_TEXT = 3
_DEEPEST = 4
_MOST_VALUES = 2000
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Values = dict[str, str | None]


@dataclass(frozen=True)
class Told:
    """What an answer tells of the release: the ``expect`` of a request, by this template, which is ``value`` now."""

    expect: Mapping[str, object]
    template: str
    value: str


def telling_values(release: Release, revision: str) -> dict[str, str]:
    """Values that may tell this release from others, by template, the best first.

    What an earlier ReplicaSet with other images had too tells nothing apart, and is left out.
    """
    values = release_values(release, revision, None)
    earlier = [one.spec.template for one in release.previous]
    template = release.deployment.spec.template
    ours = {} if template is None else template.images
    others = [template_values(one, {}, {}) for one in earlier if one is not None and one.images != ours]
    found = {key: value for key in _ranked(values) if (value := values[key]) and _tells(key, value)}
    return {key: value for key, value in found.items() if not any(one.get(key) == value for one in others)}


def _ranked(values: Mapping[str, str | None]) -> list[str]:
    kinds = ("label", "revision", "short-revision", "image.digest", "image.tag", "annotation")
    best = [VERSION_LABEL] if VERSION_LABEL in values else []
    return best + [key for kind in kinds for key in sorted(values) if key.partition(":")[0] == kind and key not in best]


def _tells(key: str, value: str) -> bool:
    kind, _, argument = key.partition(":")
    if kind in ("label", "annotation"):
        return argument.rpartition("/")[2].lower() in _TELLING
    return kind != "image.tag" or value.lower() not in _MOVING


def find_identity(body: str, values: Mapping[str, str]) -> Told | None:
    """The expectation by which this body shows the release; None where it does not. A JSON value is preferred."""
    known: Values = dict(values)
    for told in (*_in_json(body, values), *_in_text(body, values)):
        expect = Expectation.model_validate(told.expect)
        if all(check.matches for check in match_body(expect, see_body(expect, body, known), known)):
            return told
    return None


def _in_json(body: str, values: Mapping[str, str]) -> Iterator[Told]:
    try:
        leaves = [*_leaves(json.loads(body), "$", 0)][:_MOST_VALUES]
    except (ValueError, RecursionError):
        return
    for key, value in values.items():
        for path, text in leaves:
            if text == value:
                yield Told({"json": {path: f"{{{key}}}"}}, key, value)


def _leaves(node: object, path: str, depth: int) -> Iterator[tuple[str, str]]:
    """(path, text) of every text in a document, the shallow ones first."""
    if isinstance(node, dict) and depth < _DEEPEST:
        named = [(f"{path}{_step(str(key))}", child) for key, child in node.items()]
        for below, child in sorted(named, key=lambda one: isinstance(one[1], dict | list)):
            yield from _leaves(child, below, depth + 1)
    elif isinstance(node, str) and PLAIN_PATH.fullmatch(path) is not None:
        yield path, node


def _step(key: str) -> str:
    return f".{key}" if _PLAIN_KEY.fullmatch(key) is not None else f"['{key}']"


def _in_text(body: str, values: Mapping[str, str]) -> Iterator[Told]:
    for key, value in values.items():
        if len(value) >= _SHORTEST_IN_TEXT and value in body:
            yield Told({"regex": f"{{{key}}}"}, key, value)
