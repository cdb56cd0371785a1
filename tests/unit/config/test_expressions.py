"""JSONPath and regular expressions: refused at load, and never satisfied by everything."""

import jsonpath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.expressions import PLAIN_PATH, check_json_path, check_regex, compile_json_path, compile_regex
from tests.unit.config.building import attempt


@pytest.mark.parametrize(
    "path", ["$", "$.release", "$.a.b[0].c", "$['a-b']", "$['a b'].c", "$..release", "$.a[?@.name == 'web'].version"]
)
def test_what_is_a_json_path(path: str) -> None:
    assert check_json_path(path) == path
    assert isinstance(compile_json_path(path), jsonpath.JSONPath)


@pytest.mark.parametrize(
    "path",
    [
        *("", "release", ".release", "/a/b", "$.", "$[", "$.a b", "$.a-b.", "$ ", " $", "$.a[", "$['a", "#", "@.a"),
        *("$.a | $.b", "$.a & $.b", "$[?@.x =~ /(/]", "$.a[01]", "$[" * 500),
    ],
)
def test_what_is_no_json_path(path: str) -> None:
    with pytest.raises(ValueError, match="JSONPath"):
        check_json_path(path)


@given(st.from_regex(PLAIN_PATH, fullmatch=True))
def test_paths_that_are_taken_without_the_compiler_compile(path: str) -> None:
    assert isinstance(compile_json_path(path), jsonpath.JSONPath)


@given(st.text(alphabet="$.[]'\"ab0*?@()|& ", max_size=12).map(lambda text: f"${text}"))
def test_any_path_is_compiled_or_refused(path: str) -> None:
    seen = attempt(check_json_path, path, refusal=ValueError)
    if isinstance(seen, ValueError):
        assert "JSONPath" in str(seen)
    else:
        assert isinstance(compile_json_path(path), jsonpath.JSONPath)


def test_a_value_in_an_expression_stands_for_itself() -> None:
    pattern = compile_regex("v{image.tag:web}$", {"image.tag:web": "1.2+a"})
    assert pattern.search("v1.2+a") is not None
    assert pattern.search("v1x2+a") is None
    assert pattern.search("v1.22a") is None


@pytest.mark.parametrize("repeated", ["?", "*", "+", "{{0,9}}", "??"])
@pytest.mark.parametrize(
    ("flags", "gap"), [("", ""), ("(?x)", " "), ("(?x)", "  # why\n"), ("", "(?#why)"), ("(?x)", " (?#a)\n(?#b) ")]
)
def test_what_repeats_a_value_repeats_all_of_it(repeated: str, flags: str, gap: str) -> None:
    """The last character alone would be missed: 2.0. and all that goes on from there."""
    pattern = compile_regex(f"{flags}^v{{image.tag:web}}{gap}{repeated}$", {"image.tag:web": "2.0.0"})
    assert pattern.search("v2.0.0") is not None
    assert [text for text in ("v2.0.1", "v2.0.", "v2.0.00") if pattern.search(text) is not None] == []


@pytest.mark.parametrize("text", ["ok", "^$", "[0-9]{{3}}", "release {revision}", "(?i)OK", r"\{{x\}}"])
def test_what_is_a_regular_expression(text: str) -> None:
    assert check_regex(text) == text


@pytest.mark.parametrize("text", ["(", "[", "*a", "a**", "(?P<n>a)(?P<n>b)", "\\", "[[a]", "a{{2,1}}", "(?<=a+)b"])
def test_what_is_no_regular_expression(text: str) -> None:
    with pytest.raises(ValueError, match="not a regular expression"):
        check_regex(text)


@pytest.mark.parametrize("text", [".*", "(?s).*", "x?", "^", "$", "a*", "|ok", "(ok)?", "(?s)^.*$"])
def test_an_expression_that_every_body_satisfies_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="every body"):
        check_regex(text)


@pytest.mark.parametrize("text", ["({revision})?", "^(release {revision})?$", "{revision}|.*"])
def test_an_expression_that_does_not_need_its_template_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="satisfies"):
        check_regex(text)
