"""What a bump decides by the files of a commit: who is pinned, what may be, and nothing by half."""

import asyncio
from collections.abc import Mapping

import pytest

from gate.app.pinning import Pinning, choose_targets, read_addresses
from gate.config.load import parse_configuration
from gate.config.model import ApplicationTarget, Environment
from gate.errors import ConfigurationError, ExitCode, Superseded, UsageError
from tests.support.bundles import config
from tests.support.environments import manifest

OLD, NEW, NEWER = "a" * 40, "b" * 40, "c" * 40
SHOP, CART = "apps/shop.yaml", "apps/cart.yaml"


def environment(*applications: dict[str, object]) -> Environment:
    raw = config()
    raw["environments"]["staging"]["applications"] = list(applications)
    return parse_configuration(raw, "config").environments["staging"]


BOTH = environment({"name": "shop", "pin": {"file": SHOP}}, {"name": "cart", "pin": {"file": CART}})


class Tree:
    """The files of one commit."""

    commit = "d" * 40

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = files

    async def read(self, path: str) -> str | None:
        return self.files.get(path)


def cart(pin: str) -> str:
    return manifest(pin).replace("name: shop", "name: cart")


async def relate(base: str, head: str) -> str:
    """Commits in the order of their letters."""
    return "ahead" if base < head else "behind"


def edited(files: Mapping[str, str], *targets: ApplicationTarget, allow_older: bool = False) -> Mapping[str, str]:
    chosen = targets or BOTH.applications
    pinning = Pinning(chosen, NEW, relate, allow_older=allow_older)
    return asyncio.run(pinning.edit(Tree(files)))


def test_every_application_is_pinned() -> None:
    files = {SHOP: manifest(OLD), CART: cart(OLD)}
    assert edited(files) == {SHOP: manifest(NEW), CART: cart(NEW)}


def test_several_applications_in_one_file() -> None:
    one = environment({"name": "shop", "pin": {"file": SHOP}}, {"name": "cart", "pin": {"file": SHOP}})
    files = {SHOP: f"{manifest(OLD)}---\n{cart('main')}"}
    assert edited(files, *one.applications) == {SHOP: f"{manifest(NEW)}---\n{cart(NEW)}"}


def test_one_that_cannot_be_pinned_stops_all_of_them() -> None:
    with pytest.raises(ConfigurationError, match="holds no Application named cart"):
        edited({SHOP: manifest(OLD), CART: "kind: Other\n"})
    with pytest.raises(ConfigurationError, match=r"apps/cart\.yaml at d+ is not there"):
        edited({SHOP: manifest(OLD)})


def test_a_newer_pin_of_any_of_them_is_not_undone() -> None:
    files = {SHOP: manifest(OLD), CART: cart(NEWER)}
    with pytest.raises(Superseded, match=f"cart is pinned to {NEWER}") as refused:
        edited(files)
    assert refused.value.exit_code is ExitCode.SUPERSEDED
    assert edited(files, allow_older=True) == {SHOP: manifest(NEW), CART: cart(NEW)}


@pytest.mark.parametrize("pin", ["main", "v1.0.0", OLD, NEW, OLD[:7]])
def test_what_is_not_newer_is_replaced(pin: str) -> None:
    assert edited({SHOP: manifest(pin), CART: cart(NEW)}) == {SHOP: manifest(NEW), CART: cart(NEW)}


def test_one_alone_needs_the_rest_at_the_same_commit() -> None:
    shop, rest = BOTH.applications
    pinning = Pinning((shop,), NEW, relate, rest=(rest,))
    with pytest.raises(UsageError, match="Application cart is pinned to a"):
        asyncio.run(pinning.edit(Tree({SHOP: manifest(OLD), CART: cart(OLD)})))
    assert set(asyncio.run(pinning.edit(Tree({SHOP: manifest(OLD), CART: cart(NEW)})))) == {SHOP}


def test_who_is_pinned() -> None:
    assert choose_targets(BOTH, "staging", None) == BOTH.applications
    assert [one.name for one in choose_targets(BOTH, "staging", "cart")] == ["cart"]
    with pytest.raises(UsageError, match="no Application named till") as refused:
        choose_targets(BOTH, "staging", "till")
    assert "cart, shop" in refused.value.change


def test_an_application_without_a_pin_stops_a_bump_of_the_whole_environment() -> None:
    bare = environment({"name": "shop", "pin": {"file": SHOP}}, {"name": "cart"})
    chosen = environment({"selector": {"match-labels": {"a": "b"}}, "minimum": 1})
    for one in (bare, chosen):
        with pytest.raises(ConfigurationError, match="does not say where the pin"):
            choose_targets(one, "staging", None)
    assert [one.name for one in choose_targets(bare, "staging", "shop")] == ["shop"]


def test_the_repositories_of_what_is_pinned() -> None:
    other = cart(OLD).replace("github.example", "git.example")
    found = asyncio.run(read_addresses(BOTH.applications, Tree({SHOP: manifest(OLD), CART: other})))
    assert len(found) == 2
    chart = cart(OLD).replace("path: apps/shop", "chart: shop")
    with pytest.raises(ConfigurationError, match="no Git source"):
        asyncio.run(read_addresses(BOTH.applications, Tree({SHOP: manifest(OLD), CART: chart})))
