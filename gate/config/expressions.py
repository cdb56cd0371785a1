"""JSONPath and regular expressions of an expectation: checked at load, compiled for use. Pure."""

import re
import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

from gate.config.templates import Literal, Part, Template, parse_template, templates_in, value_of

if TYPE_CHECKING:
    from jsonpath import JSONPath

# Paths of this form are valid by the standard: they need no compiler, whose import takes long.
PLAIN_PATH = re.compile(r"\$(?:\.[A-Za-z_][A-Za-z0-9_]*|\[(?:0|[1-9][0-9]{0,5})\]|\['[A-Za-z0-9 ._/-]*'\])*")
# What may repeat what stands before it, by itself or behind a comment; white space between them may not count.
_MAY_REPEAT = ("?", "*", "+", "{", "#", "(?#")
_STAND_IN = "Zy7stand-in"
# Bodies that no expectation of anything can mean.
_ANY_BODIES = ("", "\u2400 not what anybody asked for\n")


@cache
def compile_json_path(path: str) -> "JSONPath":
    """The compiled JSONPath (python-jsonpath). Raises ValueError with what is wrong in it."""
    import jsonpath

    if not path.startswith("$"):
        raise ValueError("a JSONPath starts with $, for example $.release")
    try:
        compiled = jsonpath.JSONPathEnvironment(strict=True).compile(path)
    except Exception as error:  # noqa: BLE001 - the parser lets errors of other modules through
        first = str(error).strip().partition("\n")[0][:120]
        raise ValueError(f"not a JSONPath: {type(error).__name__ if first == '' else first}") from None
    if not isinstance(compiled, jsonpath.JSONPath):
        raise ValueError("expected one JSONPath, without | or &")
    return compiled


def check_json_path(path: str) -> str:
    """The path itself; raises ValueError as compile_json_path does. Cheap for plain paths."""
    if PLAIN_PATH.fullmatch(path) is None:
        compile_json_path(path)
    return path


def compile_regex(text: str, values: Mapping[str, str | None]) -> re.Pattern[str]:
    """The regular expression with its templates resolved; each value stands for itself, as a whole.

    A value at either end of the expression has to be the whole word: release 2.0.0 is not found in
    2.0.01. A short revision may go on, for it is the beginning of the full one.

    Raises Unresolved and TemplateError as ``resolve`` does, ValueError where ``re`` refuses it.
    """
    parts = parse_template(text)
    resolved = "".join(_quoted(parts, values))
    if _whole(parts[-1:]):
        resolved += r"(?!\w|[.+-]\w)"
    if _whole(parts[:1]):
        resolved = r"(?<!\w)(?<!\w[.+-])" + resolved
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what will mean something else one day is refused today
            return re.compile(resolved)
    except (re.error, OverflowError, RecursionError, Warning) as error:
        raise ValueError(f"not a regular expression: {error}") from None


def _quoted(parts: tuple[Part, ...], values: Mapping[str, str | None]) -> Iterator[str]:
    """The parts as an expression. What repeats a value repeats all of it: 2.0.0 is not 2.0.1 without its end."""
    for part, after in zip(parts, (*parts[1:], Literal("")), strict=True):
        if isinstance(part, Literal):
            yield part.text
            continue
        value = re.escape(value_of(part, values))
        repeated = isinstance(after, Literal) and after.text.lstrip().startswith(_MAY_REPEAT)
        yield f"(?:{value})" if repeated else value


def _whole(parts: tuple[Part, ...]) -> bool:
    """Whether this end of an expression is a template whose value must not go on."""
    return any(isinstance(part, Template) and part.name != "short-revision" for part in parts)


def check_regex(text: str) -> str:
    """The expression itself; raises ValueError when it is none, or when every body satisfies it."""
    values = {template.key: _STAND_IN for template in templates_in(text)}
    pattern = compile_regex(text, values)
    if all(pattern.search(body) is not None for body in _ANY_BODIES):
        raise ValueError("every body satisfies this expression; expect something that can be missing")
    if values != {} and any(pattern.search(body) is not None for body in _ANY_BODIES):
        raise ValueError("a body without the template's value satisfies this expression")
    return text


def check_text(text: str) -> str:
    """The text itself; raises TemplateError (a ValueError) when its templates are not valid."""
    parse_template(text)
    return text
