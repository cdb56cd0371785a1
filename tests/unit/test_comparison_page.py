"""docs/comparison.md is about the situations that the story tests, and hides nothing of them."""

from pathlib import Path

from tests.cluster.story.all_tales import LIVE

PAGE = Path(__file__).parents[2] / "docs" / "comparison.md"


def _rows() -> list[list[str]]:
    """The cells of the large table."""
    _, _, table = PAGE.read_text(encoding="utf-8").partition("## Situations")
    lines = [line for line in table.splitlines() if line.startswith("| ")][2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_every_situation_of_the_story_has_its_row() -> None:
    assert [row[0] for row in _rows()] == [act.situation for act in LIVE.values()]


def test_the_gate_is_right_in_every_row() -> None:
    for row, act in zip(_rows(), LIVE.values(), strict=True):
        assert row[2].startswith(f"{act.expected.verdict}: {act.expected.reason}"), row
        assert "**" not in row[2]


def test_the_counts_are_those_of_the_table() -> None:
    rows = _rows()
    for column, name in enumerate(("gate check", "argocd app wait", "kubectl rollout status", "Synced and Healthy")):
        cells = [row[2 + column] for row in rows]
        wrong = sum(cell.startswith("**") for cell in cells)
        late = sum(cell.startswith("*") for cell in cells) - wrong
        unasked = sum(cell == "knows no commit" for cell in cells)
        right = len(cells) - wrong - late - unasked
        assert f"| {name} | {right} | {late} | {wrong} | {unasked} |" in PAGE.read_text(encoding="utf-8")
