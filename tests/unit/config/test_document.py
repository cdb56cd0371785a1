"""The text to plain data: YAML 1.2 and JSON, bounded, with lines, and nothing guessed."""

import json
import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gate.config.document import MAX_BYTES, MAX_DEPTH, MAX_LINE, MAX_NODES, Document, DocumentError, parse_document
from tests.unit.config.building import attempt


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-07", -7),
        ("0x1F", 31),
        ("0o17", 15),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("-.inf", -math.inf),
        ("true", True),
        ("False", False),
        ("~", None),
        ("null", None),
        ("yes", "yes"),
        ("off", "off"),
        ("2026-01-02", "2026-01-02"),
        ("12:30:00", "12:30:00"),
        ("1_000", "1_000"),
        ("0b1", "0b1"),
        ("1.2.3", "1.2.3"),
        ("'1'", "1"),
        ('"true"', "true"),
        ("!!str 1", "1"),
        ('"\\ud83d\\ude00"', "\N{GRINNING FACE}"),
        ('"\\/"', "/"),
        ("|\n a\n b\n", "a\nb\n"),
        ("", None),
        ("# nothing", None),
        ("\ufeffa: 1", {"a": 1}),
        ('{"a":\t[1,\n\t2]}', {"a": [1, 2]}),
        ("a: &x [1]\nb: *x", {"a": [1], "b": [1]}),
        ("? a\n: b", {"a": "b"}),
        ("&k a: 1\nb: *k", {"a": 1, "b": "a"}),
    ],
)
def test_values(text: str, value: object) -> None:
    data = parse_document(text).data
    assert data == value
    assert type(data) is type(value)


def test_not_a_number_is_a_float() -> None:
    data = parse_document(".nan").data
    assert isinstance(data, float)
    assert math.isnan(data)


def test_every_key_and_item_has_its_line() -> None:
    document = parse_document("a:\n  b:\n    - x\n    -\n      c: 1\nd: {e: [f]}\n")
    assert document.lines == {
        ("a",): 1,
        ("a", "b"): 2,
        ("a", "b", 0): 3,
        ("a", "b", 1): 5,
        ("a", "b", 1, "c"): 5,
        ("d",): 6,
        ("d", "e"): 6,
        ("d", "e", 0): 6,
    }


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a: 1\nb: 2\na: 3", 3, "it is also on line 1"),
        ("x:\n  a: 1\n  'a': 2", 3, "it is also on line 2"),
        ('{"a": 1, "a": 1}', 1, "stands twice"),
        ("1: a", 1, "a key is a text"),
        ("true: a", 1, "a key is a text"),
        ("~: a", 1, "a key is a text"),
        (": a", 1, "a key is a text"),
        ("a: 1\n[b]: c", 2, "where a key is expected"),
        ("? {a: b}\n: c", 1, "where a key is expected"),
        ("a: &x {b: 1}\n<<: *x", 2, "merge keys"),
        ("a: *b", 1, "before the end of what it names"),
        ("a: &x [*x]", 1, "before the end of what it names"),
        ("a: &x {*x : 1}", 1, "before the end of what it names"),
        ("a: &x [1]\n*x : 1", 2, "a key is a text"),
        ("a: !!binary aGk=", 1, "tags"),
        ("a: !!int '1'", 1, "tags"),
        ("a: !own {b: 1}", 1, "tags"),
        ("a: !!python/object/apply:os.system ['true']", 1, "tags"),
        ("a: 1\n---\nb: 2", 2, "a second document"),
        ("a:\n\tb: 1", 2, "a tab"),
        ("a: b: c", 1, "not YAML"),
        ("a: 1\nb: [1\n", 3, "not YAML"),
        ("a: 'b", 1, "not YAML"),
        ("a: @b", 1, "not YAML"),
        ("%YAML 9.9\n---\na: 1", 1, "not YAML"),
        ("a: \x00", None, "characters or escapes"),
        ("a: \ud800", None, "characters or escapes"),
        ('a: "\\UFFFFFFFF"', None, "characters or escapes"),
    ],
)
def test_what_is_refused(text: str, line: int | None, said: str) -> None:
    with pytest.raises(DocumentError) as caught:
        parse_document(text)
    assert said in str(caught.value)
    assert caught.value.line == line


@pytest.mark.parametrize("opened", ["[", "{a: ", "- ", "? "])
def test_depth_is_bounded(opened: str) -> None:
    with pytest.raises(DocumentError, match=r"levels deep|key is expected"):
        parse_document(opened * 20_000)


def test_the_deepest_allowed_is_read() -> None:
    deepest = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert parse_document(deepest).data is not None
    with pytest.raises(DocumentError, match="levels deep"):
        parse_document(f"[{deepest}]")


def test_aliases_count_as_often_as_they_are_used() -> None:
    bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 9)
    )
    with pytest.raises(DocumentError, match="aliases counted"):
        parse_document(bomb)


def test_depth_that_aliases_build_is_bounded() -> None:
    tower = "a0: &a0 x\n" + "".join(f"a{n}: &a{n} [[[[[[[[*a{n - 1}]]]]]]]]\n" for n in range(1, 9))
    with pytest.raises(DocumentError, match="levels deep"):
        parse_document(tower)


def test_sizes_are_bounded() -> None:
    assert parse_document("- a\n" * (MAX_NODES - 1)).data == ["a"] * (MAX_NODES - 1)
    with pytest.raises(DocumentError, match=f"more than {MAX_NODES} values"):
        parse_document("- a\n" * MAX_NODES)
    with pytest.raises(DocumentError, match="larger than 1024 KiB"):
        parse_document("#\n" * (MAX_BYTES // 2) + "#")
    with pytest.raises(DocumentError, match="larger than 1024 KiB"):
        parse_document("# \N{SNOWMAN}\n" * (MAX_BYTES // 5))
    with pytest.raises(DocumentError, match="a line is longer"):
        parse_document("!" * (MAX_LINE + 1))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=8), inside, max_size=3),
    max_leaves=12,
)


@given(JSON)
def test_json_is_read_as_json_reads_it(value: object) -> None:
    assume("<<" not in json.dumps(value))
    assert parse_document(json.dumps(value)).data == value


@given(st.text())
def test_any_text_is_data_or_a_document_error(text: str) -> None:
    seen = attempt(parse_document, text, refusal=DocumentError)
    assert isinstance(seen, Document) or str(seen) != ""


@given(st.text(alphabet="ab1:-?&*!|>'\"[]{},#% \n\t~<.\\", max_size=60))
def test_any_yaml_like_text_is_data_or_a_document_error(text: str) -> None:
    seen = attempt(parse_document, text, refusal=DocumentError)
    assert isinstance(seen, Document) or str(seen) != ""
