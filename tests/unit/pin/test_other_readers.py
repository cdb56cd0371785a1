"""A manifest as more than one parser reads it: what the gate and Kubernetes would read differently is not read."""

from __future__ import annotations

import pytest

from gate.config.load import parse_configuration
from gate.pin.promotion import Promotion, Side, Versions, decide_promotion
from gate.reasons import Reason
from tests.support.bundles import NEW, OLD, config
from tests.support.environments import manifest as pinned_to

FILE = "production.yaml"
HIDDEN = pinned_to(NEW).replace("name: shop", "name: {}binary c2hvcA==")


def manifest(pin: str = OLD) -> str:
    return pinned_to(pin)


def side(name: str, file: str) -> Side:
    raw = config()
    targets = [{"name": "shop", "pin": {"file": file}}]
    raw["environments"] = {name: {**raw["environments"]["staging"], "applications": targets}}
    return Side(name=name, settings=parse_configuration(raw, "x").environments[name])


def changed(head: str, began: str | None = None) -> Promotion:
    before = manifest() if began is None else began
    files = {"staging.yaml": Versions(*[manifest(NEW)] * 3), FILE: Versions(head, before, before)}
    return decide_promotion(side("staging", "staging.yaml"), side("production", FILE), files)


@pytest.mark.parametrize(
    ("head", "why"),
    [
        (f"{manifest()}---\n{HIDDEN.format('!!')}", "base64"),
        (f"%TAG !x! tag:yaml.org,2002:\n---\n{HIDDEN.format('!x!')}", "base64"),
        (f"{manifest()}# \u2028# \n", "ends a line for some readers only"),
        (f"{manifest()}# \x85# \n", "ends a line for some readers only"),
        (f"{manifest()}# \r# \n", "ends a line for some readers only"),
        (f"{manifest()}---\n\ufeff{manifest(NEW)}", "ends a line for some readers only"),
        (f"a: b\n...\n{manifest()}", "document that no --- begins"),
        (f"{manifest()}x:\n  '<<': {{a: b}}\n", "merges nothing"),
        (f"{manifest()}x:\n  !!str <<: {{a: b}}\n", "merges nothing"),
    ],
)
def test_what_kubernetes_reads_otherwise_is_not_read(head: str, why: str) -> None:
    """The second Application of the name would be Argo CD's alone, or the first the gate's."""
    found = changed(head)
    assert found.reason is Reason.PROMOTED_PIN_ABSENT
    assert why in found.message


def test_what_every_reader_reads_alike_is_read() -> None:
    for text in (
        f"\ufeff{manifest(NEW)}",
        manifest(NEW).replace("\n", "\r\n"),
        f"{manifest(NEW)}...\n---\na: b\n",
        f"{manifest(NEW)}x: {{<<: {{a: b}}, c: '<<', d: !!str e}}\n",
    ):
        assert changed(text).revision == NEW, text


def test_quotes_that_make_a_text_of_something_else_are_a_change() -> None:
    def chart(values: str, pin: str = OLD) -> str:
        return manifest(pin).replace("    path:", f"    helm: {{valuesObject: {{a: {values}}}}}\n    path:")

    for plain, quoted in (("1", "'1'"), ("null", '"null"'), ("yes", "'yes'"), ("0x1f", "'0x1f'")):
        assert changed(chart(quoted), chart(plain)).reason is Reason.PROMOTES_MORE_THAN_THE_PIN
        assert changed(chart(quoted, NEW), chart(plain)).reason is Reason.PROMOTES_MORE_THAN_THE_PIN
    assert changed(chart("'text'"), chart("text")).reason is Reason.NOTHING_TO_GATE
