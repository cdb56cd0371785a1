"""What is wrong in a configuration, in words: file, line, key path, and the nearest key. Pure.

Values are never repeated, because one of them may be a secret in the wrong place; keys are, cut
short and made printable.
"""

import difflib
import re
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from gate.config.document import KeyPath
from gate.config.shapes import HEADER, Misplaced
from gate.errors import ConfigurationError

MAX_SHOWN = 10
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_QUOTED = re.compile(r"'([^']*)'")


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong. ``line`` counts from 1, None where it is not known."""

    path: KeyPath
    message: str
    line: int | None = None

    def __str__(self) -> str:
        place = [f"line {self.line}"] if self.line is not None else []
        place += [show_path(self.path)] if self.path != () else []
        return ": ".join([*([", ".join(place)] if place != [] else []), self.message])


def printable(text: str, longest: int = 60) -> str:
    """The text on one line, without control characters, cut to ``longest`` characters."""
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in cut)


def show_path(path: KeyPath) -> str:
    """A key path as people write it: ``environments.staging.requests[0].expect``."""
    shown = ""
    for above, part in zip(("", *path), path, strict=False):
        if isinstance(part, int):
            shown += f"[{part}]"
        elif above == "headers" and (len(part) > 40 or not HEADER.matches(part)):
            shown += "[...]"  # perhaps the value of a header, which may be a secret
        elif _PLAIN_KEY.fullmatch(part) is not None:
            shown += f".{printable(part)}"
        else:
            shown += f'["{printable(part)}"]'
    return shown.removeprefix(".")


def nearest(word: str, known: Sequence[str]) -> str | None:
    """The known word that was probably meant; None when none is near."""
    folded = {one.replace("_", "-").lower(): one for one in known}
    near = difflib.get_close_matches(word[:80].replace("_", "-").lower(), folded, n=1)
    return None if near == [] else folded[near[0]]


def line_of(path: KeyPath, lines: Mapping[KeyPath, int]) -> int | None:
    """The line of a path, or of the nearest thing around it that has one."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return None


def refuse(where: str, problems: Sequence[Problem]) -> ConfigurationError:
    """One error that lists the problems by line, at most MAX_SHOWN of them."""
    ordered = sorted(problems, key=lambda one: (one.line is None, 0 if one.line is None else one.line))
    shown = [f"  {where}, {problem}" for problem in ordered[:MAX_SHOWN]]
    if len(ordered) > MAX_SHOWN:
        shown.append(f"  and {len(ordered) - MAX_SHOWN} more")
    count = "1 problem" if len(ordered) == 1 else f"{len(ordered)} problems"
    return ConfigurationError(
        "\n".join([f"{where} cannot be used: {count}.", *shown]),
        means="a key is misspelt or missing, or a value is not of the kind that its key takes.",
        change="mend the lines named above; `gate schema configuration` prints every key with its meaning.",
    )


def explain(
    error: ValidationError, model: type[BaseModel], data: object, lines: Mapping[KeyPath, int]
) -> list[Problem]:
    """Every problem that pydantic found in ``data``, in our words, each once."""
    problems: dict[tuple[KeyPath, str], Problem] = {}
    for one in error.errors(include_url=False):
        path = _in_data(one["loc"], data)
        if one["type"] == "extra_forbidden":
            message = _unknown(str(one["loc"][-1]), _keys_at(model, path[:-1]))
        elif one["type"] == "missing":
            path = (*path, str(one["loc"][-1]))
            message = "required, and not given"
        else:
            message = _words(one["type"], one.get("ctx", {}), one["msg"], one["input"])
            raised = one.get("ctx", {}).get("error")
            path = (*path, *raised.at) if isinstance(raised, Misplaced) else path
        problems.setdefault((path, message), Problem(path, message, line_of(path, lines)))
    return list(problems.values())


def _in_data(place: tuple[str | int, ...], data: object) -> KeyPath:
    """The part of a pydantic location that is a path in the data; the rest are its own marks."""
    path: list[str | int] = []
    for part in place:
        if not isinstance(data, dict | list | tuple):
            break
        try:
            data = data[part]  # type: ignore[index]  # a wrong kind of part is refused below
        except (KeyError, IndexError, TypeError):
            break
        path.append(part)
    return tuple(path)


def _unknown(key: str, known: Sequence[str]) -> str:
    near = nearest(key, known)
    if near is not None:
        return f"unknown key; did you mean {near}?"
    return f"unknown key; known here: {', '.join(known)}" if known != [] else "unknown key"


def _words(kind: str, context: Mapping[str, Any], message: str, found: object) -> str:
    if kind == "value_error":
        return str(context.get("error", message))
    if kind in ("literal_error", "enum"):
        expected = str(context.get("expected", ""))
        near = nearest(found, _QUOTED.findall(expected)) if isinstance(found, str) else None
        return f"expected {expected}" + (f"; did you mean {near}?" if near is not None else "")
    wanted = {
        "string_type": "text",
        "int_type": "a whole number",
        "model_type": "a mapping of keys",
        "dict_type": "a mapping of keys",
        "tuple_type": "a list",
    }.get(kind)
    if wanted is not None:
        return f"expected {wanted}, found {_kind_of(found)}"
    if kind in ("too_short", "string_too_short"):
        return "must not be empty"
    if kind in ("too_long", "string_too_long"):
        return f"longer than {context.get('max_length')}"
    if kind in ("greater_than_equal", "less_than_equal"):
        return f"must be at {'least' if 'ge' in context else 'most'} {context.get('ge', context.get('le'))}"
    return message


def _kind_of(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true or false; write it in quotes if it is a text"
    if isinstance(value, int | float):
        return "a number; write it in quotes if it is a text"
    if isinstance(value, str):
        return "a text"
    return "a mapping" if isinstance(value, Mapping) else "a list"


def _keys_at(model: Any, path: KeyPath) -> list[str]:
    """The keys that the model knows at a path of the data; empty where it has none of its own."""
    here = model
    for part in path:
        here = _below(_plain(here), part)
    here = _plain(here)
    if not (isinstance(here, type) and issubclass(here, BaseModel)):
        return []
    return [field.alias or name for name, field in here.model_fields.items()]


def _plain(kind: Any) -> Any:
    """The type without Annotated and without the None of an optional key."""
    while get_origin(kind) in (Annotated, Union, types.UnionType):
        kind = next(one for one in get_args(kind) if one is not type(None))
    return kind


def _below(kind: Any, part: str | int) -> Any:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return next((one.annotation for name, one in kind.model_fields.items() if part in (one.alias, name)), None)
    arguments = get_args(kind)
    if get_origin(kind) is tuple:
        return arguments[0]
    return arguments[1] if get_origin(kind) is dict else None
