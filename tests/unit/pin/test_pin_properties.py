"""Reading agrees with writing, over generated manifests in every style that an emitter knows."""

import io
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from gate.errors import ConfigurationError
from gate.pin.edit import Wanted, edit_pins
from gate.pin.manifest import read_pin
from gate.pin.nodes import ManifestError, parse_nodes
from tests.support.sampling import examples

Json = dict[str, Any]
NAMES = ("shop", "cart", "till")
ids = st.text("0123456789abcdef", min_size=40, max_size=40)
texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=30)
pins = st.one_of(
    ids,
    st.sampled_from(["main", "HEAD", "v1.0.0", "release/1.x", "a b", "true", "1.10", "~x"]),
    texts.filter(str.strip).filter(lambda one: "{{" not in one),
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), texts, ids),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)


@st.composite
def source(draw: st.DrawFn) -> Json:
    made = {"repoURL": "https://git.example/x", "targetRevision": draw(pins)}
    return dict(draw(st.permutations(list({**made, "path": draw(texts), "helm": draw(values)}.items()))))


@st.composite
def documents(draw: st.DrawFn) -> list[Any]:
    made: list[Any] = []
    for name in draw(st.permutations(NAMES)):
        several = draw(st.booleans())
        chart = {"repoURL": "https://charts.example", "chart": "x", "targetRevision": draw(pins)}
        spec = {"sources": [draw(source()), chart, draw(source())]} if several else {"source": draw(source())}
        made.append({"kind": "Application", "metadata": {"name": name, "annotations": draw(values)}, "spec": spec})
        if draw(st.booleans()):
            made.append({"kind": "ConfigMap", "data": draw(values), "spec": {"source": draw(source())}})
    return made


def written(made: list[Any], style: str) -> str:
    if style == "json":
        import json

        return json.dumps({"kind": "List", "items": made}, indent="\t", ensure_ascii=len(made) % 2 == 0)
    if style == "ruamel":
        writer, stream = YAML(), io.StringIO()
        writer.dump_all(made, stream)
        return stream.getvalue()
    flow = {"block": False, "flow": True, "mixed": None}[style]
    return yaml.safe_dump_all(made, default_flow_style=flow, allow_unicode=flow is None, width=40, sort_keys=False)


def loaded(text: str) -> list[Any]:
    found = list(yaml.load_all(text.replace("\t", " "), Loader=yaml.BaseLoader))
    return found[0]["items"] if len(found) == 1 and found[0].get("kind") == "List" else found


def pinned(made: Any, names: set[str], revision: str) -> Any:
    """What the loaded documents have to be afterwards."""
    for one in made:
        if one["kind"] != "Application" or one["metadata"]["name"] not in names:
            continue
        spec = one["spec"]
        for place in spec.get("sources") or [spec["source"]]:
            if "chart" not in place:
                place["targetRevision"] = revision
    return made


@settings(max_examples=examples(60), deadline=None)
@given(
    documents(),
    ids,
    st.sampled_from(["json", "ruamel", "block", "flow", "mixed"]),
    st.sets(st.sampled_from(NAMES), min_size=1),
)
def test_what_was_written_is_read_and_nothing_else_differs(
    made: list[Any], revision: str, style: str, names: set[str]
) -> None:
    text = written(made, style)
    wanted = [Wanted(name) for name in sorted(names)]
    edited = edit_pins(text, wanted, revision, "f")
    assert {read_pin(edited, name, None, "f") for name in names} == {revision}
    assert edit_pins(edited, wanted, revision, "f") == edited
    assert loaded(edited) == pinned(loaded(text), names, revision)
    assert len(edited.split("\n")) == len(text.split("\n")) or style in ("block", "mixed", "flow")


@settings(max_examples=examples(200), deadline=None)
@given(st.one_of(st.text(max_size=200), st.text("{}[]&*:-?|>'\"!%#\n\t ab<", max_size=60)), ids)
def test_any_text_at_all_is_read_or_refused(text: str, revision: str) -> None:
    try:
        parsed = parse_nodes(text)
    except ManifestError:
        return
    assert all(0 <= one.start <= one.end <= len(text) for one in parsed.documents)
    try:
        edit_pins(text, [Wanted("shop")], revision, "f")
    except ConfigurationError:
        return
    raise AssertionError("nothing that short holds an Application")
