"""A pin is written into manifests of every layout, and not one character else changes.

Each file marks the values that change with « and »; its first comment names who is pinned.
"""

import re
from pathlib import Path

import pytest

from gate.errors import ConfigurationError
from gate.pin.edit import Wanted, edit_pins
from gate.pin.manifest import read_pin

HERE = Path(__file__).parent / "layouts"
FILES = sorted(path.name for path in HERE.iterdir())
OLD, NEW, NUMBER = "1" * 40, "abcdef0123" * 4, "12e4567890" * 4
MARKED = re.compile("«([^»]*)»")

WAYS = {
    "as it is": lambda text: text,
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "BOM": lambda text: "\ufeff" + text,
    "no newline at the end": lambda text: text.rstrip("\n"),
    "blanks at the end": lambda text: text + "\n \n",
}


def marked(name: str) -> str:
    return (HERE / name).read_bytes().decode()


def wanted_in(text: str) -> list[Wanted]:
    found = re.search(r"# pins: ([^\n\r\"]*)", text)
    assert found is not None
    made = []
    for word in found[1].split(", "):
        name, _, source = word.partition("@")
        made.append(Wanted(name, int(source) if source.isdecimal() else source or None))
    return made


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FILES)
def test_only_the_pins_change(name: str, way: str) -> None:
    text = WAYS[way](marked(name))
    before, after = MARKED.sub(r"\1", text), MARKED.sub(NEW, text)
    wanted = wanted_in(text)
    assert edit_pins(before, wanted, NEW, "f") == after
    assert edit_pins(after, wanted, NEW, "f") == after
    for one in wanted:
        assert read_pin(after, one.name, one.source, "f") == NEW


@pytest.mark.parametrize("name", FILES)
def test_longer_ids_are_written_too(name: str) -> None:
    text = marked(name)
    assert edit_pins(MARKED.sub(r"\1", text), wanted_in(text), "ab" * 32, "f") == MARKED.sub("ab" * 32, text)


@pytest.mark.parametrize("name", [name for name in FILES if name not in {"set-template.yaml", "anchors.yaml"}])
def test_one_alone_leaves_the_others(name: str) -> None:
    """With several Applications in a file, one is pinned without the rest, where they do not share the value."""
    text = marked(name)
    before = MARKED.sub(r"\1", text)
    one, *others = wanted_in(text)
    if name == "set-go.yaml":
        with pytest.raises(ConfigurationError, match="pins shop-staging-us as well"):
            edit_pins(before, [one], NEW, "f")
        return
    kept = [read_pin(before, other.name, other.source, "f") for other in others]
    after = edit_pins(before, [Wanted(one.name, one.source)], NEW, "f")
    assert read_pin(after, one.name, one.source, "f") == NEW
    assert [read_pin(after, other.name, other.source, "f") for other in others] == kept


@pytest.mark.parametrize("revision", ["1" * 40, NUMBER[:2] + "e" + "4" * 37, "0b" + "01" * 19])
def test_an_id_that_yaml_takes_for_a_number_is_quoted(revision: str) -> None:
    text = "kind: Application\nmetadata: {name: shop}\nspec: {source: {repoURL: x, targetRevision: main}}\n"
    after = edit_pins(text, [Wanted("shop")], revision, "f")
    assert after == text.replace("main", f'"{revision}"')
    assert edit_pins(after, [Wanted("shop")], revision, "f") == after
    bare = text.replace("main", revision)
    assert edit_pins(bare, [Wanted("shop")], revision, "f") == after
