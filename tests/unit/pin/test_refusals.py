"""What is not edited is refused with words that say why, and never half done."""

import re
from typing import Any

import pytest
import yaml

from gate.errors import ConfigurationError, UsageError
from gate.pin.edit import Wanted, edit_pins
from gate.pin.manifest import read_pin, read_places

OLD, NEW = "1" * 40, "abcdef0123" * 4
HEAD = "kind: Application\nmetadata: {name: shop}\n"


def application(source: dict[str, Any] | None = None, **spec: Any) -> str:
    given = {"repoURL": "x", "targetRevision": OLD, **(source or {})}
    document = {"kind": "Application", "metadata": {"name": "shop"}, "spec": {"source": given, **spec}}
    return yaml.safe_dump(document, sort_keys=False)


def application_set(
    revision: str = "{{revision}}",
    elements: list[dict[str, Any]] | None = None,
    name: str = "{{name}}",
    generators: list[dict[str, Any]] | None = None,
    **spec: Any,
) -> str:
    rows = [{"name": "shop", "revision": OLD}, {"name": "cart", "revision": OLD}] if elements is None else elements
    template = {"metadata": {"name": name}, "spec": {"source": {"repoURL": "x", "targetRevision": revision}}}
    given = [{"list": {"elements": rows}}] if generators is None else generators
    return yaml.safe_dump(
        {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "ApplicationSet",
            "metadata": {"name": "all"},
            "spec": {"generators": given, "template": template, **spec},
        }
    )


def rows(*elements: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"list": {"elements": list(elements), **more}}


def crossed(*generators: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"matrix": {"generators": list(generators)}}]


SHOP = {"name": "shop", "revision": OLD}


def twice(text: str) -> str:
    return f"{text}---\n{text}"


@pytest.mark.parametrize(
    ("text", "source", "says"),
    [
        (application({"chart": "web"}), None, "no Git source"),
        (application({"chart": "web"}), 0, "chart's version"),
        (application({"repoURL": ""}), None, "without repoURL"),
        (application({"targetRevision": None}), None, "has no spec.source.targetRevision"),
        (application({"targetRevision": "{{ .Values.revision }}"}), None, "Helm"),
        (application({"targetRevision": ["main"]}), None, "Helm|no plain"),
        (application(), 1, "no source 1"),
        (application(), "web", "no source 'web'"),
        (twice(application()), None, "more than once"),
        (HEAD + "spec: {source: {repoURL: x, targetRevision: {{ .Values.revision }}}}\n", None, "Helm"),
        ("{{- if .Values.on }}\n" + application() + "{{- end }}\n", None, "Helm"),
        (HEAD + f"spec: {{source: {{targetRevision: a, repoURL: x, targetRevision: {OLD}}}}}\n", None, "twice"),
        (HEAD + "spec: {source: {repoURL: x, targetRevision: !!int 1}}\n", None, "no plain text"),
        (HEAD + "spec: {source: {repoURL: x, targetRevision: !vault rev}}\n", None, "no plain text"),
        (HEAD + "spec:\n  source:\n    repoURL: x\n    targetRevision: |\n      main\n", None, "cannot be written"),
        ("kind: Kustomization\nresources: [shop.yaml]\n", None, "Kustomize"),
        ("- op: replace\n  path: /spec/source/targetRevision\n  value: main\n", None, "Kustomize"),
        (application().replace("Application", "Deployment"), None, "no Application named shop"),
        ("apiVersion: app.k8s.io/v1beta1\n" + application(), None, "no Application named shop"),
        ("apiVersion: [\n", None, "not YAML"),
        ("", None, "no Application named shop"),
        ("a: &a [*a]\n", None, "alias"),
    ],
)
def test_manifests_that_hold_no_pin_to_write(text: str, source: int | str | None, says: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        edit_pins(text, [Wanted("shop", source)], NEW, "apps/shop.yaml")
    assert re.search(says, refused.value.diagnostics())
    assert "apps/shop.yaml" in str(refused.value)
    assert refused.value.change != ""


def sources(*urls: str) -> str:
    return application(sources=[{"repoURL": url, "targetRevision": OLD} for url in urls])


def test_git_sources_of_several_repositories_need_a_choice() -> None:
    text = sources("https://git.example/a", "https://git.example/b.git")
    with pytest.raises(ConfigurationError, match="several repositories"):
        edit_pins(text, [Wanted("shop")], NEW, "f")
    assert read_pin(edit_pins(text, [Wanted("shop", 1)], NEW, "f"), "shop", 1, "f") == NEW
    same = sources("https://git.example/a", "https://git.example/A.git")
    assert edit_pins(same, [Wanted("shop")], NEW, "f").count(NEW) == 2


def test_sources_of_one_name_are_not_guessed() -> None:
    text = sources("a", "a").replace("- repoURL: a", "- name: web\n    repoURL: a")
    with pytest.raises(ConfigurationError, match="several sources called 'web'"):
        edit_pins(text, [Wanted("shop", "web")], NEW, "f")


SHARED = [
    f"{HEAD}x: &r {OLD}\nspec: {{source: {{repoURL: x, targetRevision: *r}}}}\n",
    f"{HEAD}spec: {{source: {{repoURL: x, targetRevision: &r {OLD}}}}}\nx: *r\n",
    f"{HEAD}spec: {{source: {{repoURL: x, targetRevision: &r {OLD}}}}}\nx:\n  *r : key\n",
    f"{HEAD}x: &s {{repoURL: x, targetRevision: {OLD}}}\nspec: {{source: *s}}\n",
    f"{HEAD}x: &s {{repoURL: x, targetRevision: {OLD}}}\nspec: {{source: {{<<: *s, path: y}}}}\n",
    f"{HEAD}spec: &s {{source: {{repoURL: x, targetRevision: {OLD}}}}}\nx: [*s]\n",
]


@pytest.mark.parametrize("text", SHARED)
def test_an_anchor_never_takes_others_along(text: str) -> None:
    assert read_pin(text, "shop", None, "f") == OLD
    with pytest.raises(ConfigurationError, match="anchor"):
        edit_pins(text, [Wanted("shop")], NEW, "f")


def test_one_of_two_sources_that_share_an_anchor_is_not_pinned_alone() -> None:
    text = HEAD + f"spec: {{sources: [{{repoURL: x, targetRevision: &r {OLD}}}, {{repoURL: x, targetRevision: *r}}]}}\n"
    for source in (0, 1):
        with pytest.raises(ConfigurationError, match="anchor"):
            edit_pins(text, [Wanted("shop", source)], NEW, "f")
    assert edit_pins(text, [Wanted("shop")], NEW, "f") == text.replace(OLD, NEW)


def test_a_merge_key_gives_way_to_an_explicit_key() -> None:
    text = f"{HEAD}x: &s {{repoURL: x, targetRevision: {OLD}}}\nspec: {{source: {{<<: *s, targetRevision: main}}}}\n"
    assert edit_pins(text, [Wanted("shop")], NEW, "f") == text.replace("main", NEW)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (application_set(OLD), "pins cart as well"),
        (application_set("env/{{revision}}"), "no single key"),
        (application_set("{{other}}"), "no single key"),
        (application_set(generators=[{"git": {"repoURL": "x"}}]), "no single key"),
        (application_set(elements=[{"name": "shop"}]), "no single key"),
        (application_set("{{.revision}}"), "no single key"),
        (application_set(templatePatch="spec: {source: {targetRevision: x}}"), "templatePatch"),
        (application_set(elements=[SHOP, {**SHOP, "revision": "x"}]), "one element"),
        (
            application_set(name="{{name}}{{path}}", elements=[{**SHOP, "name": "s"}, {**SHOP, "name": "sh"}]),
            "one elem",
        ),
        (application_set(name="other"), "no Application named shop"),
        (application_set(generators=[rows(SHOP, template={"metadata": {"name": "y"}})]), "template of its own"),
        (application_set(generators=crossed(rows(SHOP), rows(SHOP))), "no single key"),
        (application_set(generators=crossed(*[rows(*[{"a": 1}] * 40)] * 2)), "more than 1000"),
        (application_set(elements=[]), "no Application named shop"),
    ],
)
def test_application_sets_that_cannot_be_told(text: str, says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        edit_pins(text, [Wanted("shop")], NEW, "f")


def test_a_pin_for_several_environments_moves_only_with_all_of_them() -> None:
    text = application_set(OLD)
    both = edit_pins(text, [Wanted("shop"), Wanted("cart")], NEW, "f")
    assert both == text.replace(f"targetRevision: '{OLD}'", f"targetRevision: '{NEW}'")


def repositories(text: str, source: int | None = None) -> set[str | None]:
    return {place.repository for place in read_places(text, "shop", source, "f")}


def test_the_repository_of_the_pin() -> None:
    assert repositories(application()) == {"x"}
    assert repositories(sources("a", "b")) == {"a", "b"}
    assert repositories(sources("a", "b"), 1) == {"b"}
    filled = application_set(elements=[{"name": "shop", "revision": OLD, "url": "y"}])
    assert repositories(filled.replace("repoURL: x", "repoURL: '{{url}}'")) == {"y"}
    assert repositories(filled.replace("repoURL: x", "repoURL: '{{u}}'")) == {None}


@pytest.mark.parametrize(
    "revision", ["main", NEW[:7], NEW.upper(), f"{NEW}\n", f" {NEW}", "", f"{NEW}\ninjected: true"]
)
def test_the_new_value_is_always_a_full_id(revision: str) -> None:
    with pytest.raises(UsageError):
        edit_pins(application(), [Wanted("shop")], revision, "f")


SPEC = "spec: {source: {repoURL: x, targetRevision: main}}\n"


def merged(number: int) -> str:
    """A mapping that merges the one before twice: unfolded, the sixtieth would fill the world."""
    twice_before = f"*a{number - 1}, *a{number - 1}" if number else ""
    return f"a{number}: &a{number} {{<<: [{twice_before}]}}\n"


HOSTILE = [
    "[" * 100_000,
    "- " * 50_000,
    "a: " * 50_000,
    "a: &a [x, x]\n" + "".join(f"b{i}: &b{i} [{', '.join([f'*b{i - 1}' if i else '*a'] * 9)}]\n" for i in range(60)),
    HEAD + "".join(merged(number) for number in range(60)) + "spec: *a59\n",
    f"{HEAD}x: &r {OLD}\n" + "".join(f"k{i}: *r\n" for i in range(2000)) + SPEC.replace("main", "*r"),
    "\x00",
    "\ud800",
    "%YAML 9.9\n---\na",
    "? " * 1000,
    "'" + "\\x" * 1000,
    "x" * 1_100_000,
    "x" * 200_000,
    HEAD + "spec: {source: {repoURL: x, targetRevision: " + "&a " * 100 + "x}}",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError):
        edit_pins(text, [Wanted("shop")], NEW, "f")
    with pytest.raises(ConfigurationError):
        read_pin(text.replace(OLD, ""), "shop", None, "f")
