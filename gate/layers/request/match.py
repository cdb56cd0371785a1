"""Does one answer match what is expected of it? Pure.

Only a JSON value, a pattern or a whole body that holds a template can tell releases apart.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

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


def _json_checks(expect: Expectation, body: str, fill: Callable[[str], str]) -> list[Check]:
    import jsonpath  # imported late: only answers with a JSON expectation need it

    try:
        document = json.loads(body)
    except ValueError:
        return [Check(path, text, "not JSON", matches=False) for path, text in expect.json_values.items()]
    checks = []
    for path, text in expect.json_values.items():
        wanted = fill(text)
        found = jsonpath.findall(path, document)
        if len(found) != 1:
            checks.append(Check(path, wanted, f"{len(found)} values", matches=False))
            continue
        seen = _as_text(found[0])
        reason = Reason.WRONG_RELEASE if templates_in(text) else Reason.WRONG_BODY
        checks.append(Check(path, wanted, shorten(seen), matches=seen == wanted, reason=reason))
    return checks


def match_body(expect: Expectation, body: str, values: Mapping[str, str | None]) -> list[Check]:
    """Compare a body with everything expected of it. Raises Unresolved for a template without a value."""

    def fill(text: str) -> str:
        return resolve(text, values)

    checks = _json_checks(expect, body, fill) if expect.json_values else []
    if expect.regex is not None:
        pattern = resolve(expect.regex, values, quote=re.escape)
        matches = re.search(pattern, body) is not None
        reason = Reason.WRONG_RELEASE if templates_in(expect.regex) else Reason.WRONG_BODY
        checks.append(
            Check("body", f"/{pattern}/", "a match" if matches else "no match", matches=matches, reason=reason)
        )
    if expect.body is not None:
        wanted = fill(expect.body)
        reason = Reason.WRONG_RELEASE if templates_in(expect.body) else Reason.WRONG_BODY
        checks.append(Check("body", shorten(wanted), shorten(body), matches=body == wanted, reason=reason))
    return checks
