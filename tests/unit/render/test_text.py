"""Hostile text made harmless, one function at a time."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.render.text import BREAK, ELLIPSIS, clean, code, fenced, label, log, markdown, shorten, width
from tests.support.markdown import assert_harmless, inline, parse
from tests.support.texts import ANYTHING


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\n b\t\r\nc\u2028d\x85e", "a b c d e"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;https://e.example\x07link\x1b]8;;\x1b\\", "link"),
        ("\x9b31mred", "red"),
        ("\x1bX secret \x1b\\shown", "shown"),
        ("a\u202eb\u2066c\u200bd\ufeffe\U000e0041f", "abcdef"),
        ("a\x00\x07\x7fb", "ab"),
        ("a\u00a0b", "a b"),
        ("\ud800x", "\ufffdx"),
        ("  ", ""),
        ("café 日本 😀", "café 日本 😀"),
    ],
)
def test_clean(text: str, shown: str) -> None:
    assert clean(text) == shown


@given(ANYTHING)
def test_clean_leaves_one_visible_line(text: str) -> None:
    line = clean(text)
    assert all(unicodedata.category(one) not in ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp") for one in line)
    assert line == line.strip()
    assert clean(line) == line


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("short", 5, "short"),
        ("one two three", 10, f"one two{ELLIPSIS}"),
        ("one two three", 8, f"one two{ELLIPSIS}"),
        ("one, two", 5, f"one{ELLIPSIS}"),
        ("abcdefghij", 5, f"abcd{ELLIPSIS}"),
        ("a bcdefghijkl", 8, f"a bcdef{ELLIPSIS}"),
        ("😀😀😀", 5, f"😀😀{ELLIPSIS}"),
        ("abc", 1, ELLIPSIS),
        ("abc", 0, ""),
    ],
)
def test_shorten_cuts_at_a_word(text: str, limit: int, shown: str) -> None:
    assert shorten(text, limit) == shown


@given(ANYTHING, st.integers(0, 40))
def test_shorten_keeps_the_limit(text: str, limit: int) -> None:
    assert width(shorten(text, limit)) <= limit


def test_width_counts_as_github_does() -> None:
    assert width("a😀") == len("a😀".encode("utf-16-le")) // 2 == 3


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("@team", f"@{BREAK}team"),
        ("web@sha256:0ab", "web@sha256:0ab"),
        ("#12 GH-3", f"#{BREAK}12 GH-{BREAK}3"),
        ("http://x", f"http:{BREAK}//x"),
        ("www.x.example", f"www{BREAK}.x.example"),
        (":tada:", f":{BREAK}tada:"),
        ("at 05:39:12", "at 05:39:12"),
        ("snake_case _em_", "snake_case &#95;em&#95;"),
        ("a|b", "a&#124;b"),
        ("`x`", "&#96;x&#96;"),
        ("<!-- x -->", "&#60;!-- x --&#62;"),
        ("&amp;", "&#38;amp;"),
        ("[a](b)", "&#91;a&#93;(b)"),
    ],
)
def test_markdown(text: str, shown: str) -> None:
    assert markdown(text) == shown


@given(ANYTHING)
def test_markdown_is_never_live(text: str) -> None:
    assert_harmless(f"x {markdown(text)}\n\n| a | b |\n| --- | --- |\n| x {markdown(text)} | y |\n", (), headings=0)


@given(ANYTHING)
def test_markdown_shows_what_was_there(text: str) -> None:
    shown = "".join(one.content for one in inline(parse(f"x{markdown(text, 10**6)}")))
    # The only thing added are invisible breaks.
    assert shown.replace(BREAK, "") == f"x{clean(text)}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a", "`a`"),
        ("a`b", "``a`b``"),
        ("`a`", "`` `a` ``"),
        ("a|b", r"`a\|b`"),
        ("", "(empty)"),
        ("\n", "(empty)"),
        ("<!-- x", f"`<{BREAK}!-- x`"),
        ("@team web@sha256:0", f"`@{BREAK}team web@sha256:0`"),
    ],
)
def test_code(text: str, shown: str) -> None:
    assert code(text) == shown


@given(ANYTHING)
def test_code_is_one_span_and_stays_in_its_cell(text: str) -> None:
    table = f"| a | b |\n| --- | --- |\n| {code(text)} | {code(text)} |\n"
    assert_harmless(table, (), headings=0)
    spans = [token.content for token in inline(parse(table)) if token.type == "code_inline"]
    expected = clean(text, 200)
    if expected != "":
        assert [span.replace(BREAK, "") for span in spans] == [expected, expected]


@given(st.lists(ANYTHING).map(tuple))
def test_fenced_is_closed_whatever_stands_in_it(lines: tuple[str, ...]) -> None:
    block = fenced(lines, "sh")
    assert_harmless(block, (), headings=0)
    assert [token.type for token in parse(block)] == ["fence"]


@given(ANYTHING)
def test_log_lines_are_no_commands_to_the_runner(text: str) -> None:
    for line in log(text):
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
        assert "\n" not in line
        assert "\x1b" not in line


@pytest.mark.parametrize(
    "text", ["::error::x", "  ::error::x", "\u200b::error::x", "\x1b[0m::error::x", "x\n::error::x"]
)
def test_a_workflow_command_is_defused(text: str) -> None:
    assert log(text)[-1] == ": :error::x"


@given(ANYTHING)
def test_labels_hold_nothing_that_mermaid_reads(text: str) -> None:
    assert not set(label(text)) & set(':;#"%<>`,\n{}[]|')
