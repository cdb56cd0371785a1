"""What a reader's browser would make of rendered Markdown: the checks that no outside text has become live."""

import re
import unicodedata
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from gate.render.text import BREAK

_ALLOWED_HTML = re.compile(r"(<details><summary>[\w ,:()-]+</summary>|</details>|<br>|</?sub>)\s*")
# What GitHub makes live in ordinary text, after the Markdown has been read.
_LIVE = {
    "mention": re.compile(r"(?<!\w)@\w"),
    "e-mail address": re.compile(r"[\w.+-]@[\w-]+\.\w"),
    "reference": re.compile(r"(?i)#\d|\bgh-\d"),
    "address": re.compile(r"(?i)://|\bwww\.|\b(mailto|xmpp):"),
    "emoji": re.compile(r":[+-]?[a-z][\w+-]*:"),
    "math": re.compile(r"(?<!\w)\$\$"),
}


def parse(text: str) -> list[Token]:
    """Tokens of the text as GitHub reads it, as far as CommonMark and tables go."""
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text)


def inline(tokens: list[Token]) -> Iterator[Token]:
    """Every token inside a paragraph, heading or cell."""
    for token in tokens:
        if token.type == "inline":
            yield from token.children or ()


def texts(tokens: list[Token]) -> Iterator[str]:
    """Ordinary text, in which mentions and addresses come alive; code is left out."""
    for token in tokens:
        if token.type == "inline":
            # GitHub looks at text nodes; what is beside a code span or a link stands on its own.
            yield from (child.content for child in token.children or () if child.type == "text")


def cells(line: str) -> int:
    """How many cells a line of a table has."""
    return len(re.findall(r"(?<!\\)\|", line)) - 1


def table_lines(text: str) -> list[list[str]]:
    """The lines of each table outside code blocks."""
    tables: list[list[str]] = []
    fenced = previous = False
    for line in text.split("\n"):
        fenced ^= line.startswith("```")
        row = line.startswith("|") and not fenced
        if row and not previous:
            tables.append([])
        if row:
            tables[-1].append(line)
        previous = row
    return tables


def assert_harmless(text: str, links: tuple[str, ...], headings: int) -> None:
    """Nothing is live that is not ours: ``links`` are the beginnings that an address may have."""
    assert "<!--" not in text
    for character in text:
        assert character in ("\n", BREAK) or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Cn"), (
            f"U+{ord(character):04X}"
        )
    tokens = parse(text)
    for one in texts(tokens):
        for name, pattern in _LIVE.items():
            assert pattern.search(one) is None, f"{name} in {one!r}"
    for token in inline(tokens):
        assert token.type != "image"
        if token.type == "link_open":
            assert str(token.attrs["href"]).startswith(links)
        if token.type == "html_inline":
            assert _ALLOWED_HTML.fullmatch(token.content), token.content
    blocks = [token.content for token in tokens if token.type == "html_block"]
    assert all(map(_ALLOWED_HTML.fullmatch, blocks)), blocks
    assert sum(token.type == "heading_open" for token in tokens) == headings
    assert sum("<details>" in block for block in blocks) == sum("</details>" in block for block in blocks)
    for lines in table_lines(text):
        assert len({cells(line) for line in lines}) == 1, lines
    assert_closed(text)


def assert_closed(text: str) -> None:
    """Whatever comes behind the text is a paragraph of its own: no fence, fold or table is open."""
    tail = parse(f"{text}\n\nbehind\n")[-3:]
    assert [token.type for token in tail] == ["paragraph_open", "inline", "paragraph_close"]
    assert tail[0].level == 0
    assert tail[1].content == "behind"
