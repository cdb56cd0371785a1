"""What a change would promote, by the manifests before and after it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from gate.config.load import parse_configuration
from gate.pin.promotion import Promotion, Side, Versions, decide_promotion, pin_files
from gate.reasons import Reason
from tests.support.bundles import NEW, NEWER, OLD, Json, config

HERE, NEXT = "staging.yaml", "production.yaml"


def manifest(pin: str = OLD, name: str = "shop", **spec: Any) -> str:
    source = {"repoURL": "https://git.example/shop.git", "path": "deploy", "targetRevision": pin}
    body = {"source": source, "destination": {"namespace": "shop", "server": "x"}, "project": "default", **spec}
    return yaml.safe_dump({"kind": "Application", "metadata": {"name": name}, "spec": body})


def listed(text: str) -> str:
    """Whatever has items is a list to Argo CD."""
    return yaml.safe_dump({"kind": "Things", "items": [yaml.safe_load(text)]})


def element_set(*rows: Json, **spec: Any) -> str:
    source = {"repoURL": "https://git.example/shop.git", "path": "{{path}}", "targetRevision": "{{revision}}"}
    template = {"metadata": {"name": "{{name}}"}, "spec": {"source": source}}
    body = {"generators": [{"list": {"elements": list(rows)}}], "template": template, **spec}
    return yaml.safe_dump({"kind": "ApplicationSet", "metadata": {"name": "shops"}, "spec": body})


def row(name: str, pin: str, path: str = "deploy") -> Json:
    return {"name": name, "revision": pin, "path": path}


def side(name: str, *targets: Json) -> Side:
    raw = config()
    raw["environments"] = {name: {**raw["environments"]["staging"], "applications": list(targets)}}
    return Side(name=name, settings=parse_configuration(raw, "x").environments[name])


def pinned(file: str, name: str = "shop", **more: Any) -> Json:
    return {"name": name, "pin": {"file": file}, **more}


STAGING = side("staging", pinned(HERE))
PRODUCTION = side("production", pinned(NEXT))


def same(text: str | None) -> Versions:
    return Versions(text, text, text)


def change(head: str | None, began: str | None = "", target: str | None = "", **more: Any) -> Versions:
    """A file that was ``manifest()`` unless it is said what it was."""
    before = manifest() if began == "" else began
    return Versions(head, before, before if target == "" else target, **more)


def decided(following: Versions, here: Versions | None = None) -> Promotion:
    files = {HERE: same(manifest(NEW)) if here is None else here, NEXT: following}
    return decide_promotion(STAGING, PRODUCTION, files)


def test_a_new_pin_is_what_is_promoted() -> None:
    found = decided(change(manifest(NEW)))
    assert (found.revision, found.reason) == (NEW, None)
    assert found.message == f"the change would promote {NEW} to production (Application shop in production.yaml)"
    assert pin_files(STAGING, PRODUCTION) == (HERE, NEXT)


def test_an_application_that_was_not_there_before_is_promoted_too() -> None:
    assert decided(change(manifest(NEW), None)).revision == NEW
    assert decided(change(manifest(NEW), "kind: ConfigMap\n")).revision == NEW


@pytest.mark.parametrize(
    "file",
    [
        same(manifest()),
        same("a: ["),
        same(manifest("main")),
        change(f"# a comment\n{manifest()}"),
        change(manifest(syncPolicy={"automated": {}})),
        change(manifest(info=[{"name": "url", "value": "x"}])),
        change(manifest(), target=manifest(NEW)),  # the branch is behind
    ],
)
def test_what_leaves_the_pin_is_nothing_to_gate(file: Versions) -> None:
    found = decided(file, change(manifest(NEWER)))
    assert (found.revision, found.reason) == (None, Reason.NOTHING_TO_GATE)


def test_what_was_promoted_meanwhile_is_judged_all_the_same() -> None:
    """It may be taken back there, and then it would be merged by a status from before."""
    assert decided(change(manifest(NEW), target=manifest(NEW))).revision == NEW
    more = change(manifest(NEW, project="x"), target=manifest(NEW, project="x"))
    assert decided(more).reason is Reason.PROMOTES_MORE_THAN_THE_PIN


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (change(None), Reason.PROMOTED_PIN_ABSENT),
        (same(None), Reason.PROMOTED_PIN_ABSENT),  # pin.file is misspelt, or nothing is there yet
        (change("a: [", "a: {"), Reason.PROMOTED_PIN_ABSENT),
        (change("a: [", "b: [", target="a: ["), Reason.PROMOTED_PIN_ABSENT),
        (change(""), Reason.PROMOTED_PIN_ABSENT),
        (change("a: ["), Reason.PROMOTED_PIN_ABSENT),
        (change(manifest(NEW, "other")), Reason.PROMOTED_PIN_ABSENT),
        (change(manifest("")), Reason.PROMOTED_PIN_ABSENT),
        (change(None, fault="it is a symbolic link"), Reason.PROMOTED_PIN_ABSENT),
        (change(manifest(), fault="it is a symbolic link"), Reason.PROMOTED_PIN_ABSENT),
        (change(manifest("main")), Reason.PIN_NOT_A_COMMIT),
        (change(manifest(NEW[:7])), Reason.PIN_NOT_A_COMMIT),
        (change(manifest(NEW.upper().replace("2", "A"))), Reason.PIN_NOT_A_COMMIT),
        (change(manifest(f" {NEW}")), Reason.PIN_NOT_A_COMMIT),
        (change(manifest(NEW, destination={"namespace": "other", "server": "x"})), Reason.PROMOTES_MORE_THAN_THE_PIN),
        (change(manifest(NEW, project="admin")), Reason.PROMOTES_MORE_THAN_THE_PIN),
        (change(manifest().replace("path: deploy", "path: other")), Reason.PROMOTES_MORE_THAN_THE_PIN),
        (change(manifest().replace("shop.git", "evil.git")), Reason.PROMOTES_MORE_THAN_THE_PIN),
        (change(f"{manifest()}---\n{manifest(NEW)}"), Reason.PROMOTES_MORE_THAN_THE_PIN),
        (change(f"{manifest()}---\n{listed(manifest(NEW))}"), Reason.PROMOTES_MORE_THAN_THE_PIN),
    ],
)
def test_what_is_no_promotion_that_could_be_judged(file: Versions, reason: Reason) -> None:
    found = decided(file)
    assert (found.revision, found.reason) == (None, reason), found.message


@pytest.mark.parametrize(
    "here", [change(manifest(NEW)), change(None), change("kind: ConfigMap\n"), change(manifest(project="other"))]
)
def test_a_change_may_not_replace_what_has_to_prove_it(here: Versions) -> None:
    assert decided(change(manifest(NEW)), here).reason is Reason.BOTH_PINS_CHANGED
    assert decided(same(manifest()), here).reason is Reason.NOTHING_TO_GATE


def test_parameters_of_a_source_are_more_than_its_pin() -> None:
    def kustomized(pin: str, image: str) -> str:
        return manifest(pin).replace("    path:", f"    kustomize: {{images: [{image}]}}\n    path:")

    before = kustomized(OLD, "web:1")
    assert decided(change(kustomized(NEW, "web:1"), before)).revision == NEW
    assert decided(change(kustomized(NEW, "web:2"), before)).reason is Reason.PROMOTES_MORE_THAN_THE_PIN
    assert decided(change(kustomized(OLD, "web:2"), before)).reason is Reason.PROMOTES_MORE_THAN_THE_PIN


def several(first: Versions, second: Versions) -> Promotion:
    following = side("production", pinned(NEXT), pinned("extra.yaml", "extra"))
    return decide_promotion(STAGING, following, {HERE: same(manifest(NEW)), NEXT: first, "extra.yaml": second})


def test_every_application_counts() -> None:
    both = several(change(manifest(NEW)), change(manifest(NEW, "extra"), manifest(OLD, "extra")))
    assert both.revision == NEW
    one = several(change(manifest(NEW)), same(manifest(OLD, "extra")))
    assert one.reason is Reason.PROMOTED_PINS_DIFFER
    late = several(change(manifest(NEW)), same(manifest(NEW, "extra")))
    assert late.revision == NEW
    moving = several(change(manifest(NEW)), same(manifest("main", "extra")))
    assert moving.reason is Reason.PROMOTED_PINS_DIFFER
    apart = several(change(manifest(NEW)), change(manifest(NEWER, "extra"), manifest(OLD, "extra")))
    assert apart.reason is Reason.PROMOTED_PINS_DIFFER


SHARED = "shops.yaml"
SETS = side("staging", pinned(SHARED, "shop-a")), side("production", pinned(SHARED, "shop-b"))


def in_a_set(head: str, before: str) -> Promotion:
    return decide_promotion(*SETS, {SHARED: Versions(head, before, before)})


def test_environments_may_share_the_file_of_an_application_set() -> None:
    before = element_set(row("shop-a", NEW), row("shop-b", OLD))
    assert in_a_set(element_set(row("shop-a", NEW), row("shop-b", NEW)), before).revision == NEW
    staging = in_a_set(element_set(row("shop-a", NEWER), row("shop-b", OLD)), before)
    assert staging.reason is Reason.NOTHING_TO_GATE
    both = in_a_set(element_set(row("shop-a", NEWER), row("shop-b", NEWER)), before)
    assert both.reason is Reason.BOTH_PINS_CHANGED
    path = in_a_set(element_set(row("shop-a", NEW), row("shop-b", NEW, "other")), before)
    assert path.reason is Reason.PROMOTES_MORE_THAN_THE_PIN
    gone = in_a_set(element_set(row("shop-a", NEW)), before)
    assert gone.reason is Reason.PROMOTED_PIN_ABSENT


def test_a_chart_beside_the_source_is_no_pin() -> None:
    def sources(pin: str, version: str) -> str:
        git = {"repoURL": "https://git.example/shop.git", "path": "deploy", "targetRevision": pin}
        chart = {"repoURL": "https://charts.example", "chart": "shop", "targetRevision": version}
        body = {"sources": [git, chart]}
        return yaml.safe_dump({"kind": "Application", "metadata": {"name": "shop"}, "spec": body})

    before = sources(OLD, "1.2.3")
    assert decided(change(sources(NEW, "1.2.3"), before)).revision == NEW
    assert decided(change(sources(NEW, "2.0.0"), before)).reason is Reason.PROMOTES_MORE_THAN_THE_PIN
