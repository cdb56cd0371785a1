"""Which commit is meant, and where its pin stands in a manifest."""

import asyncio
from typing import Any

import pytest
import yaml

from gate.app.intended import resolve_intended
from gate.config.load import parse_configuration
from gate.config.model import Environment
from gate.errors import ConfigurationError, UsageError
from gate.pin.manifest import read_pin
from tests.support.bundles import APART, NEW, NEWER, OLD, config
from tests.support.raw_application import sources


def manifest(name: str = "shop", pin: str = NEW, **changes: Any) -> str:
    spec = {**sources(pin), **changes}
    document = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": name}, "spec": spec}
    return yaml.safe_dump(document)


def several(*pins: str) -> list[dict[str, Any]]:
    chart = {"repoURL": "https://charts.example", "chart": "shop", "targetRevision": "1.2.3"}
    return [*({"repoURL": "x", "targetRevision": pin, "name": f"n{i}"} for i, pin in enumerate(pins)), chart]


@pytest.mark.parametrize(
    ("text", "source", "expected"),
    [
        (manifest(), None, NEW),
        (manifest("other", OLD) + "---\n" + manifest(), None, NEW),
        (manifest(sources=several(NEW, NEW)), None, NEW),
        (manifest(sources=several(OLD, NEW)), 1, NEW),
        (manifest(sources=several(OLD, NEW)), "n1", NEW),
        (manifest(sources=several(OLD, NEW)), 2, "1.2.3"),
        (manifest(pin="main"), None, "main"),
        (manifest().replace(f"'{NEW}'", NEW), None, NEW),  # forty digits without quotes
        ("kind: List\n---\n---\n" + manifest(), None, NEW),
    ],
)
def test_the_pin_is_found(text: str, source: int | str | None, expected: str) -> None:
    assert read_pin(text, "shop", source, "apps/shop.yaml") == expected


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("", None),
        ("a: [", None),
        ("- 1\n", None),
        ("kind: Application\n", None),
        ("kind: Application\nmetadata: [shop]\n", None),
        ("kind: Application\nmetadata: {name: shop}\n", None),
        ("kind: Application\nmetadata: {name: shop}\nspec: text\n", None),
        (manifest("other"), None),
        (manifest().replace("Application", "ApplicationSet"), None),
        (manifest(source={}), None),
        (manifest(source=None), None),
        (manifest(source={"targetRevision": None}), None),
        (manifest(source={"targetRevision": ""}), None),
        (manifest(sources=several(OLD, NEW)), None),
        (manifest(sources=several(OLD, NEW)), 5),
        (manifest(sources=several(OLD, NEW)), -1),
        (manifest(sources=several(OLD, NEW)), "n7"),
        (manifest() + "---\n" + manifest(pin=OLD), None),
        ("[" * 3000, None),
    ],
)
def test_a_pin_that_is_not_there_is_said(text: str, source: int | str | None) -> None:
    with pytest.raises(ConfigurationError, match=r"apps/shop\.yaml"):
        read_pin(text, "shop", source, "apps/shop.yaml")


class Repository:
    """Names and files of one repository; ``asked`` what was looked up."""

    def __init__(self, files: dict[str, str] | None = None, names: dict[str, str] | None = None) -> None:
        self.files = {} if files is None else files
        self.names = {} if names is None else names
        self.asked: list[str] = []

    async def resolve(self, name: str) -> str:
        self.asked.append(name)
        if name not in self.names:
            raise UsageError(f"{name} is not one commit")
        return self.names[name]

    async def read_text(self, path: str, commit: str) -> str | None:
        self.asked.append(f"{path} at {commit}")
        return self.files.get(path)


def environment(*pins: tuple[str, str | None]) -> Environment:
    raw = config()
    raw["environments"]["staging"]["applications"] = [
        {"name": name, **({} if file is None else {"pin": {"file": file}})} for name, file in pins
    ]
    return parse_configuration(raw, "config").environments["staging"]


def resolved(
    given: str | None, settings: Environment, reported: str | None, where: Repository | None, source: Repository | None
) -> str:
    return asyncio.run(resolve_intended(given, settings, reported, where, source))


PINNED = environment(("shop", "apps/shop.yaml"))
BARE = environment(("shop", None))


def test_a_given_revision_comes_first() -> None:
    files = Repository({"apps/shop.yaml": manifest()})
    assert resolved(NEWER, PINNED, OLD, files, None) == NEWER
    assert files.asked == []


def test_then_what_the_reported_commit_pins() -> None:
    files = Repository({"apps/shop.yaml": manifest()})
    assert resolved(None, PINNED, OLD, files, None) == NEW
    assert files.asked == [f"apps/shop.yaml at {OLD}"]


def test_then_the_reported_commit_itself() -> None:
    assert resolved(None, BARE, OLD, Repository(), None) == OLD


def test_short_names_are_resolved_once_in_the_source() -> None:
    source = Repository(names={"v2.0.0": NEW, "2222222": NEW})
    assert resolved("v2.0.0", PINNED, OLD, None, source) == NEW
    assert resolved("2222222", PINNED, OLD, None, source) == NEW
    files = Repository({"apps/shop.yaml": manifest(pin="v2.0.0")})
    assert resolved(None, PINNED, OLD, files, source) == NEW
    assert source.asked == ["v2.0.0", "2222222", "v2.0.0"]


@pytest.mark.parametrize("name", ["2222222", NEW.upper().replace("2", "A"), f"{NEW} ", f"{NEW}\n", "main", ""])
def test_what_is_no_full_id_is_never_taken_as_one(name: str) -> None:
    with pytest.raises(UsageError):
        resolved(name, BARE, OLD, None, None)
    with pytest.raises(UsageError):
        resolved(name, BARE, OLD, None, Repository())


def test_no_commit_at_all_is_refused() -> None:
    with pytest.raises(UsageError, match="No commit"):
        resolved(None, BARE, None, None, None)


def test_a_pin_file_that_is_not_there_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="is not there"):
        resolved(None, PINNED, OLD, Repository(), None)


def test_applications_at_one_commit_are_one_release_and_at_several_are_refused() -> None:
    both = environment(("shop", "apps/shop.yaml"), ("cart", "apps/cart.yaml"))
    files = {"apps/shop.yaml": manifest(), "apps/cart.yaml": manifest("cart")}
    assert resolved(None, both, OLD, Repository(files), None) == NEW
    files["apps/cart.yaml"] = manifest("cart", APART)
    with pytest.raises(ConfigurationError, match="different commits"):
        resolved(None, both, OLD, Repository(files), None)
