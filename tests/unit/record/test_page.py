"""The HTML page: whole, escaped, nothing from outside, readable by everybody, and the same every time."""

import re
from itertools import pairwise
from typing import Any

import pytest

from gate.evidence.page import page_of
from gate.render.page.style import STYLE
from tests.support.bundles import Json, both, changed, find, recording
from tests.support.kept import evidence, made_of
from tests.support.pages import Page
from tests.support.sampling import sampled
from tests.support.states import every_state

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\u202e\x1b[31m&lt;"
PARTS = 10
STATES = {one.name: one.raw for one in every_state()}
BROKEN = STATES["story-recreate-broken"]


@pytest.mark.parametrize("part", sampled(range(PARTS), [0]))
def test_every_page_is_well_formed_and_the_same_again(part: int) -> None:
    for name, raw in list(STATES.items())[part::PARTS]:
        one = made_of(raw).evidence
        text = page_of(one)
        assert Page(text).elements, name
        assert text == page_of(one), name


def test_nothing_is_run_loaded_or_sent() -> None:
    page = Page(page_of(evidence()))
    allowed = {"html", "head", "meta", "title", "style", "body", "header", "main", "footer", "section", "div", "span"}
    allowed |= {"h1", "h2", "h3", "p", "b", "i", "a", "ul", "li", "dl", "dt", "dd", "code", "pre", "time", "br"}
    allowed |= {"table", "caption", "thead", "tbody", "tr", "th", "td", "details", "summary", "svg", "rect"}
    assert {tag for tag, _ in page.elements} <= allowed
    attributes = {name for _, given in page.elements for name in given}
    assert not any(name.startswith("on") or name in ("src", "srcset", "style", "action") for name in attributes)
    assert "url(" not in STYLE
    assert "@import" not in STYLE
    (policy,) = [one["content"] for one in page.all_of("meta") if one.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert policy.startswith("default-src 'none'")


def test_the_run_is_linked_only_by_a_web_address() -> None:
    one = evidence()
    assert [link["href"] for link in Page(page_of(one)).all_of("a")] == [one.run.url]
    forged = one.model_copy(update={"run": one.run.model_copy(update={"url": "javascript:alert(1)"})})
    assert Page(page_of(forged)).all_of("a") == []


def _hostile(poll: Json) -> None:
    for app in both(poll):
        app["status"]["health"] = {"status": "Degraded", "message": HOSTILE}
        app["status"]["conditions"] = [{"type": f"{HOSTILE}Warning", "message": HOSTILE}]
        app["status"]["operationState"]["message"] = HOSTILE
    find(poll, "Deployment")["metadata"]["labels"] = {HOSTILE: HOSTILE}
    for answer in poll["responses"]:
        answer["body"] = '{"release": "<script>alert(2)</script>"}'


def test_hostile_texts_are_texts() -> None:
    raw = changed(recording(), _hostile)
    for commit in raw["git"]["commits"].values():
        commit |= {"message": HOSTILE, "author": HOSTILE, "files": [HOSTILE]}
    text = page_of(made_of(raw).evidence)
    page = Page(text)
    assert page.all_of("script") == page.all_of("img") == []
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert any("<script>alert(1)</script>" in one for one in page.texts)


def test_it_is_made_for_readers_of_every_kind() -> None:
    page = Page(page_of(evidence(BROKEN)))
    assert page.all_of("html") == [{"lang": "en"}]
    assert any(one.get("name") == "viewport" for one in page.all_of("meta"))
    assert len(page.all_of("h1")) == 1
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h\d", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert len(page.all_of("caption")) == len(page.all_of("table")) > 0
    assert {one.get("scope") for one in page.all_of("th")} == {"col", "row"}
    assert all(one.get("aria-hidden") == "true" for one in page.all_of("svg"))
    assert "prefers-color-scheme: dark" in STYLE


def test_what_a_colour_says_a_word_says_too() -> None:
    badge = r'<span class="badge (\w+)"><span aria-hidden="true">[^<]+</span> (\w+)</span>'
    badges = re.findall(badge, page_of(evidence(BROKEN)))
    assert badges == [("passed", "passed"), ("passed", "passed"), ("failed", "failed"), ("pending", "pending")]


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1])
def test_every_text_has_contrast_enough(scheme: int) -> None:
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", STYLE.split("@media (prefers-color-scheme: dark)")[scheme]))
    texts = {"text", "quiet", "link", "passed", "pending", "held", "failed", "superseded"}
    assert texts <= set(colours)
    low = {
        (name, ground): round(_contrast(colours[name], colours[ground]), 2)
        for name in texts
        for ground in ("ground", "card")
        if _contrast(colours[name], colours[ground]) < 4.5
    }
    assert low == {}


@pytest.mark.parametrize(
    "words",
    [
        "staging failed at readiness",
        "Readiness probe failed: HTTP probe failed with statuscode: 404",
        "ended: Succeeded",
        "0 of 1 endpoints ready",
        "3 samples: status 503",
        "Ask another path whether it is ready",
        "workloads/orders.yaml",
        "Opted out by the configuration: nothing.",
        "gate evidence verify",
    ],
)
def test_it_says_what_a_person_at_night_asks(words: str) -> None:
    assert words in " ".join("".join(Page(page_of(evidence(BROKEN))).texts).split())


def test_opt_outs_are_named() -> None:
    raw = recording()
    policy: Any = raw["config"]["environments"]["staging"]["policy"]
    policy |= {"allow": ["answers-without-identity"], "unjudged-kinds": ["Rollout"]}
    text = page_of(evidence(raw))
    assert "Allowed: answers-without-identity; Not judged: Rollout" in text
