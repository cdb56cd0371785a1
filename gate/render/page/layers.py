"""The four layers: outcome, reason, and what was observed against what was expected. Pure."""

from gate.catalogue import load_catalogue
from gate.outcomes import Outcome
from gate.render.page.markup import SPACE, Html, code, element, fold, join, moment, table, text
from gate.render.words import NOT_PROVEN, findings, short_ids, symbol, waiting
from gate.verdict import Evidence, LayerResult, Verdict

_QUESTIONS = {
    "intent": "What was meant to be deployed?",
    "sync": "Is that commit what was applied?",
    "readiness": "Do the controllers see it ready?",
    "request": "Does a real request get the right answer?",
}
_MOST_FINDINGS = 6
_FEW = 6


def _agrees(one: Evidence) -> Html:
    if one.expected is None:
        return text("not compared")
    if one.value == one.expected:
        return element("span", text("✓ agrees"), class_="said passed")
    return element("span", text("✗ differs"), class_="said failed")


def _row(one: Evidence) -> tuple[Html, ...]:
    expected = text("–") if one.expected is None else code(one.expected)
    seen = join([text(short_ids(one.subject), 200), element("br"), code(one.field, 200)])
    return seen, code(one.value), expected, _agrees(one), text(one.label)


def _table(layer: LayerResult, rows: tuple[Evidence, ...]) -> Html:
    heads = ("Object and field", "Observed", "Expected", "Compared", "Kind")
    caption = f"What was observed and what was expected in layer {layer.layer.value}"
    return table(caption, heads, [_row(one) for one in rows], "evidence")


def _evidence(layer: LayerResult) -> Html:
    """What differs at once, the rest in a fold; few values all at once."""
    if not layer.evidence:
        return element("p", text("Nothing was read for this layer."), class_="quiet")
    if len(layer.evidence) < _FEW:
        return _table(layer, layer.evidence)
    compared = tuple(one for one in layer.evidence if one.expected is not None)
    different = tuple(one for one in compared if one.value != one.expected)
    said = f"All {len(layer.evidence)} values that were read: {len(compared)} compared, {len(different)} differ"
    return join([*([_table(layer, different)] if different else []), fold(text(said), _table(layer, layer.evidence))])


def _layer(number: int, layer: LayerResult) -> Html:
    name, outcome = layer.layer.value, layer.outcome
    badge = element(
        "span",
        element("span", text(symbol(outcome)), aria_hidden="true"),
        SPACE,
        text(outcome.value),
        class_=f"badge {outcome.value}",
    )
    since = [] if layer.since is None else [SPACE, text("since"), SPACE, moment(layer.since, seconds_only=True)]
    said = [element("li", text(short_ids(one), 600)) for one in findings(layer.message)[:_MOST_FINDINGS]]
    meaning = "" if outcome is Outcome.PASSED or waiting(layer) else load_catalogue()[layer.reason].meaning
    return element(
        "section",
        element("h3", text(f"{number}. {name}"), SPACE, badge),
        element("p", text(_QUESTIONS[name]), class_="quiet"),
        element("p", element("b", text(layer.reason.value)), *since),
        element("ul", *said),
        *([] if meaning == "" else [element("p", text(meaning))]),
        _evidence(layer),
        element("p", text(f"It does not prove {NOT_PROVEN[layer.layer]}."), class_="quiet"),
        class_=f"layer {outcome.value}",
    )


def render_layers(verdict: Verdict) -> Html:
    """All layers; words where nothing was judged."""
    if not verdict.layers:
        return element("p", text("No layer was judged."))
    return join(_layer(number, layer) for number, layer in enumerate(verdict.layers, start=1))
