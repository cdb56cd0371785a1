"""Does one answer match what is expected of it? Pure.

Only a JSON value, a pattern or a whole body that holds a template can tell releases apart.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gate.config.expressions import compile_json_path, compile_regex
from gate.config.model import Expectation
from gate.config.templates import resolve, templates_in
from gate.reasons import Reason

_SHOWN = 80


@dataclass(frozen=True)
class Check:
    """One comparison: what was compared, what was expected and observed, and the reason if they differ."""

    field: str
    expected: str
    observed: str
    matches: bool
    reason: Reason = Reason.WRONG_BODY


def shorten(text: str) -> str:
    """At most 80 characters, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 3] + "..."


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _each_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object; raises ValueError where a key stands twice, which readers understand differently."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands there twice")
    return found


def _json_checks(expect: Expectation, body: str, fill: Callable[[str], str]) -> list[Check]:
    try:
        document = json.loads(body, object_pairs_hook=_each_once)
        found = {path: compile_json_path(path).findall(document) for path in expect.json_values}
    except (ValueError, RecursionError):
        return [Check(path, text, "not JSON", matches=False) for path, text in expect.json_values.items()]
    checks = []
    for path, text in expect.json_values.items():
        wanted, values = fill(text), found[path]
        if len(values) != 1:
            checks.append(Check(path, wanted, f"{len(values)} values", matches=False))
            continue
        seen = _as_text(values[0])
        reason = Reason.WRONG_RELEASE if templates_in(text) else Reason.WRONG_BODY
        checks.append(Check(path, wanted, shorten(seen), matches=seen == wanted, reason=reason))
    return checks


def _digest(body: str) -> str:
    """A body as it may be shown and kept: never its text."""
    return f"{len(body)} characters, sha256 {hashlib.sha256(body.encode()).hexdigest()[:16]}"


def match_body(expect: Expectation, body: str, values: Mapping[str, str | None]) -> list[Check]:
    """Compare a body with everything expected of it. Raises Unresolved for a template without a value."""

    def fill(text: str) -> str:
        return resolve(text, values)

    checks = _json_checks(expect, body, fill) if expect.json_values else []
    if expect.regex is not None:
        pattern = compile_regex(expect.regex, values)
        matches = pattern.search(body) is not None
        reason = Reason.WRONG_RELEASE if templates_in(expect.regex) else Reason.WRONG_BODY
        checks.append(
            Check("body", f"/{pattern.pattern}/", "a match" if matches else "no match", matches=matches, reason=reason)
        )
    if expect.body is not None:
        wanted = fill(expect.body)
        reason = Reason.WRONG_RELEASE if templates_in(expect.body) else Reason.WRONG_BODY
        checks.append(Check("body", _digest(wanted), _digest(body), matches=body == wanted, reason=reason))
    return checks
