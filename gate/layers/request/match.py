"""Does one answer match what is expected of it? Pure.

Only a JSON value, a pattern or a whole body that holds a template can tell releases apart. A body is
looked at first and compared then: what was seen of it is all that evidence keeps, and is compared again alike.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from gate.config.expressions import compile_json_path, compile_regex
from gate.config.model import Expectation
from gate.config.templates import TemplateError, Unresolved, resolve, templates_in
from gate.facts.moment import SeenBody, SeenValue
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


def _sha256(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _seen_values(expect: Expectation, body: str) -> dict[str, SeenValue] | None:
    try:
        document = json.loads(body, object_pairs_hook=_each_once)
        found = {path: compile_json_path(path).findall(document) for path in expect.json_values}
    except (ValueError, RecursionError):
        return None
    seen = {}
    for path, values in found.items():
        text = _as_text(values[0]) if len(values) == 1 else None
        seen[path] = SeenValue(count=len(values))
        if text is not None:
            seen[path] = SeenValue(count=1, text=shorten(text), digest=_sha256(text))
    return seen


def see_body(expect: Expectation, body: str, values: Mapping[str, str | None]) -> SeenBody:
    """Look at a body for everything expected of it; ``values`` are for the templates of a pattern."""
    pattern = found = None
    if expect.regex is not None:
        try:
            compiled = compile_regex(expect.regex, values)
            pattern, found = compiled.pattern, compiled.search(body) is not None
        except (Unresolved, TemplateError, ValueError):
            pass  # whoever compares says so
    return SeenBody(
        digest=_sha256(body),
        characters=len(body),
        json_values=_seen_values(expect, body) if expect.json_values else None,
        pattern=pattern,
        found=found,
    )


def _json_checks(expect: Expectation, seen: SeenBody, values: Mapping[str, str | None]) -> list[Check]:
    if seen.json_values is None:
        return [Check(path, text, "not JSON", matches=False) for path, text in expect.json_values.items()]
    checks = []
    for path, text in expect.json_values.items():
        wanted, value = resolve(text, values), seen.json_values.get(path, SeenValue(count=0))
        if value.count != 1:
            checks.append(Check(path, wanted, f"{value.count} values", matches=False))
            continue
        reason = Reason.WRONG_RELEASE if templates_in(text) else Reason.WRONG_BODY
        checks.append(Check(path, wanted, value.text, matches=value.digest == _sha256(wanted), reason=reason))
    return checks


def _pattern_check(expression: str, seen: SeenBody, values: Mapping[str, str | None]) -> Check:
    pattern = compile_regex(expression, values).pattern
    if seen.pattern != pattern or seen.found is None:
        raise ValueError("the body was not looked through for the expected pattern")
    reason = Reason.WRONG_RELEASE if templates_in(expression) else Reason.WRONG_BODY
    return Check("body", f"/{pattern}/", "a match" if seen.found else "no match", matches=seen.found, reason=reason)


def _shown(characters: int, digest: str) -> str:
    """A body as it may be shown and kept: never its text."""
    return f"{characters} characters, sha256 {digest.removeprefix('sha256:')[:16]}"


def match_body(expect: Expectation, seen: SeenBody, values: Mapping[str, str | None]) -> list[Check]:
    """Compare what was seen of a body with everything expected of it.

    Raises Unresolved for a template without a value, ValueError where the body was not looked at for this.
    """
    checks = _json_checks(expect, seen, values) if expect.json_values else []
    if expect.regex is not None:
        checks.append(_pattern_check(expect.regex, seen, values))
    if expect.body is not None:
        wanted = resolve(expect.body, values)
        digest = _sha256(wanted)
        reason = Reason.WRONG_RELEASE if templates_in(expect.body) else Reason.WRONG_BODY
        observed = _shown(seen.characters, seen.digest)
        matches = seen.digest == digest
        checks.append(Check("body", _shown(len(wanted), digest), observed, matches=matches, reason=reason))
    return checks
