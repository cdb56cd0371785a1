"""Bodies that satisfy an expectation, made from it and from what a release calls itself. Pure."""

import json
from collections.abc import Iterator, Mapping

from gate.config.expressions import compile_regex
from gate.config.model import Expectation
from gate.config.templates import Unresolved, resolve
from gate.layers.request.match import match_body, see_body
from gate.rehearsal.paths import CannotBuild, build_document
from gate.rehearsal.patterns import candidates

Values = Mapping[str, str | None]
"""What the templates of an expectation stand for, by their keys."""


def satisfies(expect: Expectation, body: str, values: Values) -> bool:
    """Whether the decision takes this body as the answer of the release with these values."""
    try:
        return all(check.matches for check in match_body(expect, see_body(expect, body, values), values))
    except (Unresolved, ValueError):
        return False


def _document(expect: Expectation, values: Values) -> str:
    filled = {path: resolve(text, values) for path, text in expect.json_values.items()}
    return json.dumps(build_document(filled))


def _with_text(document: str, text: str) -> Iterator[str]:
    """The ways in which a JSON document can also hold a text."""
    yield document
    yield json.dumps(json.loads(document), separators=(",", ":"))
    yield json.dumps(json.loads(document), indent=2)
    if document.startswith("{"):
        yield f"{document[:-1]}, {text}}}"
        yield f'{document[:-1]}, "says": {json.dumps(text)}}}'
    yield json.dumps([*json.loads(document), text]) if document.startswith("[") else document


def _candidates(expect: Expectation, values: Values) -> Iterator[str]:
    if expect.body is not None:
        yield resolve(expect.body, values)
        return
    document = _document(expect, values) if expect.json_values else None
    if expect.regex is None:
        yield "ok\n" if document is None else document
        return
    for text in candidates(compile_regex(expect.regex, values).pattern):
        if document is None:
            yield from (text, f" {text} ", f"{text}\n", f"a {text} a")
        else:
            yield from _with_text(document, text)


def bodies(expect: Expectation, values: Values) -> tuple[str, ...]:
    """Bodies that a release with these values may answer with, one for each alternative; empty where none can be made.

    Raises Unresolved for a template without a value.
    """
    if not expect.texts:
        return ("ok\n",)
    try:
        made = list(_candidates(expect, values))
    except (CannotBuild, RecursionError):
        return ()
    return tuple(dict.fromkeys(one for one in made if satisfies(expect, one, values)))


def mistaken_body(expect: Expectation, ours: Values, theirs: Values) -> str | None:
    """A body of the release with ``theirs`` that is taken for one of the release with ``ours``; None: there is none."""
    return next((one for one in bodies(expect, theirs) if satisfies(expect, one, ours)), None)
