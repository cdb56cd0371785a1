"""Templates in expected texts: known ones only, doubled braces, and nothing that resolves to nothing."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.templates import (
    KNOWN,
    Literal,
    Template,
    TemplateError,
    Unresolved,
    parse_template,
    resolve,
    templates_in,
)
from tests.unit.config.building import attempt

VERSION = "label:app.kubernetes.io/version"


def test_a_text_is_literals_and_templates_in_order() -> None:
    assert parse_template("a{revision}b{label:app.kubernetes.io/version}") == (
        Literal("a"),
        Template("revision"),
        Literal("b"),
        Template("label", "app.kubernetes.io/version"),
    )


def test_empty_text_has_no_parts() -> None:
    assert parse_template("") == ()


@pytest.mark.parametrize(
    "text",
    [
        *("{revision}", "{short-revision}", "{tree}", "{image.tag:web}", "{image.digest:web}"),
        *("{label:version}", "{annotation:example.org/release}"),
    ],
)
def test_every_known_template(text: str) -> None:
    assert [str(one) for one in templates_in(text)] == [text]
    assert resolve(text, {text[1:-1]: "seen"}) == "seen"


def test_the_list_above_is_complete() -> None:
    assert set(KNOWN) == {"revision", "short-revision", "tree", "image.tag", "image.digest", "label", "annotation"}


def test_doubled_braces_are_braces() -> None:
    assert resolve('{{"release": "{revision}"}}', {"revision": "abc"}) == '{"release": "abc"}'
    assert resolve("{{revision}}", {"revision": "abc"}) == "{revision}"
    assert resolve("{{{revision}}}", {"revision": "abc"}) == "{abc}"
    assert templates_in("{{revision}}") == ()


def test_each_template_is_named_once() -> None:
    assert [one.key for one in templates_in("{tree} {revision} {tree}")] == ["tree", "revision"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{revison}", "did you mean {revision}?"),
        ("{lable:x}", "did you mean {label:KEY}?"),
        ("{image:web}", "did you mean {image."),
        ("{xyzzy}", "known are {revision}, {short-revision}"),
        ("{}", "known are"),
        ("{Revision }", "unknown template"),
        ("{ revision}", "unknown template"),
        ("{revision:x}", "takes nothing"),
        ("{revision:}", "takes nothing"),
        ("{label}", "needs a KEY: {label:KEY}"),
        ("{label:}", "needs a KEY"),
        ("{image.tag}", "needs a CONTAINER"),
        ("{label:a b}", "expected a key"),
        ("{label:a/b/c}", "expected a key"),
        ("{image.tag:Web}", "expected a Kubernetes name"),
        ("{", "single brace"),
        ("}", "single brace"),
        ("a}b", "single brace"),
        ("{revision", "single brace"),
        ("{{revision}", "single brace"),
        ("{a{revision}}", "single brace"),
        ("[0-9]{3}", "unknown template"),
    ],
)
def test_what_is_no_template(text: str, said: str) -> None:
    with pytest.raises(TemplateError, match=re.escape(said)):
        parse_template(text)


@pytest.mark.parametrize("values", [{}, {VERSION: None}, {VERSION: ""}, {"label:other": "x"}])
def test_a_template_without_a_value_resolves_to_nothing_and_says_which(values: dict[str, str | None]) -> None:
    with pytest.raises(Unresolved) as caught:
        resolve(f"v{{{VERSION}}}", values)
    assert caught.value.template == Template("label", "app.kubernetes.io/version")
    assert str(caught.value) == f"{{{VERSION}}} has no value"


def test_a_value_is_not_read_for_templates_again() -> None:
    assert resolve("{revision}", {"revision": "{tree}", "tree": "x"}) == "{tree}"


@given(st.text())
def test_doubling_the_braces_gives_the_text_back(text: str) -> None:
    assert resolve(text.replace("{", "{{").replace("}", "}}"), {}) == text


@given(st.text(alphabet="{}:abelrvison-.", max_size=40))
def test_any_text_is_parsed_or_refused_as_a_template_error(text: str) -> None:
    seen = attempt(parse_template, text, refusal=TemplateError)
    assert str(seen) != "" if isinstance(seen, TemplateError) else Literal("") not in seen
