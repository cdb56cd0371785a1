"""Bodies made up for an expectation: they satisfy it, and another release's does not."""

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gate.config.expressions import compile_json_path
from gate.config.model import Expectation
from gate.rehearsal.answers import bodies, mistaken_body, satisfies
from gate.rehearsal.names import other_text, other_values
from gate.rehearsal.paths import CannotBuild, build_document
from gate.rehearsal.patterns import candidates
from tests.support.rehearsing import Json

OURS = {"revision": "2a" * 20, "short-revision": "2a2a2a2", "tree": "b" * 40, "label:v": "2.0.0", "image.tag:web": "v2"}


def expectation(**keys: object) -> Expectation:
    return Expectation.model_validate(keys)


@pytest.mark.parametrize(
    "expect",
    [
        {"json": {"$.release": "{label:v}"}},
        {"json": {"$.a.b[2]['c d']": "v{label:v}", "$.a.b[0]": "first", "$.a.e[-2]": "{tree}"}},
        {"json": {"$.parts[?@.name=='web'].v": "{revision}", "$.parts[?@.name=='api' && @.on==true].v": "{tree}"}},
        {"json": {"$..deep": "{revision}", "$.any[*]": "x", "$.from[1:]": "y"}},
        {"regex": '"release": "{image.tag:web}"'},
        {"regex": r"(?i)^release\s+{label:v}\b.*[^a-z]{{2}}(?:up|down)+\d$"},
        {"regex": r"[A-F]{{3}}-{short-revision}(?P<x>\w)(?P=x)\S[\d_][^\W]"},
        {"regex": '"ok": *true, *"release": "{label:v}"', "json": {"$.a": "b"}},
        {"regex": "release {label:v}", "json": {"$[0]": "x"}},
        {"body": "hello {label:v}\n", "regex": "{label:v}"},
        {"status": 404, "body": "{revision}"},
    ],
    ids=str,
)
def test_a_body_of_this_release_and_of_no_other(expect: Json) -> None:
    made = expectation(**expect)
    found = bodies(made, OURS)
    assert found
    assert all(satisfies(made, body, OURS) for body in found)
    theirs = other_values(OURS)
    assert bodies(made, theirs)
    assert mistaken_body(made, OURS, theirs) is None


@pytest.mark.parametrize(
    "expect",
    [
        {"json": {"$[?length(@.a) > 2]": "x"}},
        {"json": {"$.a": "x", "$.a.b": "y"}},
        {"json": {"$.a[5000]": "x"}},
        {"regex": "(?:(?:a{{60000}}){{60000}}){{60000}}"},
        {"body": "a", "regex": "b"},
    ],
    ids=str,
)
def test_what_cannot_be_made_up_gives_nothing(expect: Json) -> None:
    assert bodies(expectation(**expect), OURS) == ()


def test_a_mistaken_body_is_found() -> None:
    made = expectation(regex="(release {revision}|fine)")
    assert mistaken_body(made, OURS, other_values(OURS)) == "fine"
    assert mistaken_body(expectation(body="fine"), OURS, other_values(OURS)) == "fine"


@settings(deadline=None)
@given(st.text("abc019.-_", min_size=1).filter(lambda text: any(letter.isalnum() for letter in text)))
def test_another_text_has_the_same_shape(text: str) -> None:
    other = other_text(text)
    assert other != text
    assert [one.isdigit() for one in other] == [one.isdigit() for one in text]
    assert re.fullmatch("[0-9a-f]*", text) is None or re.fullmatch("[0-9a-f]*", other) is not None


PARTS = st.recursive(
    st.sampled_from(["a", "b1", r"\d", r"\w+", "[xyz]", "[^q]", r"\s?", ".", "c*", "-{2,3}"]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"({'|'.join(parts)})"),
        inner.map(lambda part: f"(?:{part})+"),
    ),
    max_leaves=6,
)


@settings(deadline=None)
@given(PARTS)
def test_what_is_made_up_for_an_expression_is_found_by_it(pattern: str) -> None:
    made = candidates(pattern)
    assert 0 < len(made) <= 32
    assert all(re.search(pattern, text) is not None for text in made)


STEPS = st.lists(st.sampled_from([".a", "['b c']", "[0]", "[3]", "[-1]"]), min_size=1, max_size=4).map(
    lambda steps: "$" + "".join(steps)
)


@settings(deadline=None)
@given(st.dictionaries(STEPS, st.text("xyz", min_size=1), min_size=1, max_size=3))
def test_every_path_selects_its_text(values: dict[str, str]) -> None:
    try:
        document = build_document(values)
    except CannotBuild:
        assume(False)
    for path, text in values.items():
        found = compile_json_path(path).findall(document)
        assume("[-1]" not in path or found == [text])  # another path may have made the list longer
        assert found == [text]
