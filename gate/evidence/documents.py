"""YAML or JSON text to plain data, as the APIs would have sent it: times stay texts."""

import json
import math
from typing import Any

import yaml

from gate.errors import UsageError

LARGEST = 64 * 1024 * 1024
"""Characters of one file; a recording of a large cluster is a few million."""

_DEEPEST = 200
_DAMAGED = "the file is damaged, or is neither YAML nor JSON"


class _Loader(yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader):  # type: ignore[misc]  # one of two bases
    """The safe loader without times, which refuses a key that stands twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """As the safe loader does; raises ConstructorError for a key that stands twice."""
        seen = set[str]()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in seen:
                problem = f"the key {key.value!r} stands twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value)
        made: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return made


_Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; raises ValueError for a key that stands twice, of which one would silently win."""
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise ValueError(f"the key {key[:100]!r} stands twice")
        made[key] = value
    return made


def _checked(value: Any, depth: int = 0) -> Any:
    """Plain JSON data; raises ValueError for anything else that YAML can make."""
    if depth > _DEEPEST:
        raise ValueError("it is nested too deeply")
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise ValueError("a key is not a text")
        return {key: _checked(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_checked(item, depth + 1) for item in value]
    if value is None or isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise ValueError(f"it holds a {type(value).__name__}, which JSON does not have")


def load_documents(text: str, where: str) -> list[Any]:
    """The documents of a text, in order. Raises UsageError for text that is neither YAML nor JSON, or empty."""
    if len(text) > LARGEST:
        raise UsageError(f"{where} is larger than {LARGEST // 1024 // 1024} MiB.")
    try:
        if text.lstrip()[:1] in ("{", "["):
            try:
                return [_checked(json.loads(text, parse_constant=_no_constant, object_pairs_hook=_once))]
            except json.JSONDecodeError:
                pass  # flow-style YAML, or one JSON object a line
        found = list(yaml.load_all(text, Loader=_Loader))  # a subclass of the safe loader
        documents = [_checked(one) for one in found if one is not None]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = "" if mark is None else f", line {mark.line + 1}"
        raise UsageError(f"{where}{place}: {error.problem}", means=_DAMAGED) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        said = "it is nested too deeply" if isinstance(error, RecursionError) else " ".join(str(error).split())[:200]
        raise UsageError(f"{where}: {said}", means=_DAMAGED) from error
    if len(documents) == 0:
        raise UsageError(f"{where} holds no document.", means="it is empty, or was cut.")
    return documents
