"""Cutting Markdown: what is left is whole, and never longer than asked."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies

from gate.render.fitting import cut_markdown, utf8_length
from gate.render.text import width

NOTE = "*Cut here.*"


def test_what_fits_is_returned_as_it_is() -> None:
    text = "a\r\nb\n```\nunclosed"
    assert cut_markdown(text, width(text), NOTE) == text


def test_what_does_not_fit_is_cut_at_a_line_from_the_end() -> None:
    assert cut_markdown("one\ntwo\nthree\nfour\n", 19, "N") == "one\ntwo\nthree\nfour\n"
    assert cut_markdown("one\ntwo\nthree\nfour\n", 18, "N") == "one\ntwo\nthree\n\nN\n"
    assert cut_markdown("one\ntwo\nthree\nfour\n", 15, "N") == "one\ntwo\n\nN\n"


@pytest.mark.parametrize("fence", ["```", "````", "~~~", "  ```"])
def test_an_open_fence_is_closed_with_its_own_run(fence: str) -> None:
    text = f"{fence}text\n```` not the end\n" + "line\n" * 100
    cut = cut_markdown(text, 200, NOTE)
    assert cut.endswith(f"line\n{fence.strip()}\n\n{NOTE}\n")


def test_a_fence_that_was_closed_is_not_closed_again() -> None:
    text = "```\ncode\n```\n" + "line\n" * 100
    assert cut_markdown(text, 200, NOTE).count("```") == 2
    spans = "```code``` span\n" + "line\n" * 100
    assert cut_markdown(spans, 200, NOTE).count("```") == 2


def test_open_folds_are_closed_and_those_inside_code_do_not_count() -> None:
    text = "<details>\n<summary>one</summary>\n\n<details open>\n\n```\n</details>\n```\n" + "line\n" * 100
    cut = cut_markdown(text, 200, NOTE)
    assert cut.endswith(f"line\n\n</details>\n\n</details>\n\n{NOTE}\n")
    closed = "<details>\n</details>\n" + "line\n" * 100
    assert cut_markdown(closed, 200, NOTE).count("</details>") == 1


def test_a_line_that_is_too_long_by_itself_is_left_out() -> None:
    assert cut_markdown(f"marker\n{'x' * 1000}\nmore", 100, NOTE) == f"marker\n\n{NOTE}\n"


def test_both_measures_count_what_they_say() -> None:
    assert width("\U0001f680é") == 3
    assert utf8_length("\U0001f680é") == 6
    assert utf8_length("\ud800") == 1
    text = "\U0001f680\n" * 100
    assert utf8_length(cut_markdown(text, 100, NOTE, utf8_length)) <= 100
    assert width(cut_markdown(text, 100, NOTE)) <= 100


PIECES = ["```\n", "```text\n", "<details>\n", "</details>\n", "line\n", "\U0001f680 line\n", "\n", "| a | b |\n"]


def left_open(text: str) -> tuple[bool, int]:
    """Whether a fence is open at the end, and how many folds are, for texts made of the pieces above."""
    code, folds = False, 0
    for line in text.split("\n"):
        if line == "```" or (line.startswith("```") and not code):
            code = not code
        elif not code:
            folds = max(folds + line.count("<details>") - line.count("</details>"), 0)
    return code, folds


@given(strategies.lists(strategies.sampled_from(PIECES), max_size=60), strategies.integers(60, 300))
def test_nothing_is_ever_too_long_or_left_open(pieces: list[str], limit: int) -> None:
    text = "".join(pieces)
    cut = cut_markdown(text, limit, NOTE)
    assert width(cut) <= limit
    if cut != text:
        assert cut.endswith(f"\n{NOTE}\n")
        assert left_open(cut) == (False, 0)
