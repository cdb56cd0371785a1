"""The catalogue of reasons: every reason is explained, in words and commands that do no harm."""

import re
from pathlib import Path

import pytest

from gate.catalogue import PLACES, explain, load_catalogue, parse_catalogue
from gate.errors import ExitCode, UsageError
from gate.reasons import Reason
from gate.render.advice import known_names
from gate.render.reasons_page import render_reasons_page
from gate.render.text import width
from tests.support import release, verdicts

ROOT = Path(__file__).resolve().parents[2]
PLACEHOLDERS = {
    *("<application>", "<argocd-namespace>", "<project>", "<revision>"),
    *("<namespace>", "<deployment>", "<pod>", "<service>"),
}
READ_ONLY = re.compile(
    r"kubectl (-n \S+ )?(auth|config get-contexts|describe|get|logs|version)\b"
    r"|argocd (app (diff|get|history)|cluster list|proj windows list) ?"
    r"|git (branch --remotes|cat-file|log|ls-tree|rev-parse|show)\b"
    r"|gate (check --help|schema)$"
)
BACKWARDS = re.compile(r"(?i)roll(s|ed|ing)?[ -]?back|rollback|revert|undo")


def entry(**changes: str) -> str:
    """A whole catalogue in TOML, with the first reason's table changed; an empty value leaves the key out."""
    good = {"layer": "verdict", "short": "s", "meaning": "m", "next": "n", "final": "never"}
    tables = []
    for place, reason in enumerate(Reason):
        values = good | (changes if place == 0 else {})
        rows = [
            f"{key} = {value if value.startswith('[') or value == '1' else repr(value)}"
            for key, value in values.items()
        ]
        tables.append("\n".join([f"[{reason.value}]", *(row for row in rows if not row.endswith("= 'LEFT OUT'"))]))
    return "\n\n".join(tables)


def test_every_reason_is_explained_and_nothing_else() -> None:
    assert list(load_catalogue()) == list(Reason)


@pytest.mark.parametrize("reason", Reason)
def test_an_explanation_is_whole(reason: Reason) -> None:
    one = load_catalogue()[reason]
    assert re.fullmatch(r"[A-Z][A-Za-z]+", reason.value)
    assert one.layer in PLACES
    assert one.meaning.endswith(".")
    assert one.next.endswith(".")
    assert 0 < width(one.short) <= 80
    assert not one.short.endswith(".")
    assert "\n" not in one.meaning + one.next + one.short + one.final


@pytest.mark.parametrize("reason", Reason)
def test_commands_only_read_and_name_known_things(reason: Reason) -> None:
    for command in load_catalogue()[reason].commands:
        assert READ_ONLY.match(command), command
        assert set(re.findall(r"<[a-z-]+>", command)) <= PLACEHOLDERS
        assert re.search(r"[;&`<>|]|\$\(", re.sub(r"<[a-z-]+>", "", command)) is None, command


@pytest.mark.parametrize("reason", Reason)
def test_advice_never_begins_with_a_rollback(reason: Reason) -> None:
    first = load_catalogue()[reason].next.split(". ")[0]
    assert BACKWARDS.search(first) is None
    assert "<" not in load_catalogue()[reason].next


def test_layer_reasons_stand_where_reasons_py_puts_them() -> None:
    """The catalogue's layers come in the order of the comments in reasons.py, without going back."""
    places = [PLACES.index(one.layer) for one in load_catalogue().values()]
    assert places == sorted(places)


def test_anchors_are_unique() -> None:
    anchors = [one.anchor for one in load_catalogue().values()]
    assert len(set(anchors)) == len(anchors)


def test_every_placeholder_can_be_filled_in() -> None:
    text = "Application argocd/orders Deployment shop/web Pod shop/web-1 Service shop/web AppProject argocd/default"
    assert set(known_names(verdicts.failed(layers=(release.NOT_READY.model_copy(update={"message": text}),)))) == (
        PLACEHOLDERS
    )


def test_the_page_is_made_from_the_catalogue() -> None:
    page = (ROOT / "docs" / "reasons.md").read_text(encoding="utf-8")
    assert page == render_reasons_page(load_catalogue()), "run: gate explain --all --format markdown > docs/reasons.md"
    for one in load_catalogue().values():
        assert page.count(f"\n### {one.reason.value}\n") == 1
        assert f"(#{one.anchor})" in page


@pytest.mark.parametrize("name", ["NotPinned", "notpinned", " NOTPINNED "])
def test_a_reason_is_found_by_its_name(name: str) -> None:
    assert explain(name).reason is Reason.NOT_PINNED


@pytest.mark.parametrize(
    ("name", "nearest"), [("NotPined", "NotPinned"), ("progressdeadline", "ProgressDeadlineExceeded")]
)
def test_an_unknown_reason_suggests_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(UsageError) as caught:
        explain(name)
    assert nearest in caught.value.change
    assert caught.value.exit_code is ExitCode.COULD_NOT_RUN


@pytest.mark.parametrize("name", ["", "zzzzzz", "Not Pinned At All By Anybody"])
def test_a_far_name_is_refused_all_the_same(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        explain(name)
    assert "--all" in caught.value.change


def test_a_whole_catalogue_is_read() -> None:
    assert parse_catalogue(entry())[Reason.ALL_LAYERS_AGREE].commands == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"meaning": "LEFT OUT"},
        {"meaning": ""},
        {"meaning": "  "},
        {"meaning": "1"},
        {"layer": "somewhere"},
        {"final": "perhaps"},
        {"commands": "[1]"},
        {"colour": "red"},
    ],
)
def test_a_catalogue_with_a_misfit_is_refused(changes: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="AllLayersAgree"):
        parse_catalogue(entry(**changes))


def test_a_catalogue_with_a_missing_or_unknown_reason_is_refused() -> None:
    with pytest.raises(ValueError, match="NotPinned"):
        parse_catalogue(entry().replace("[NotPinned]", "[NotPinnedAtAll]"))
