"""Whoever writes the pin of an Application is named, where the Application does: at the deadline, and when it moves."""

import pytest

from tests.support.bundles import judge
from tests.support.states import cases

CASES = {one.name: one.raw for one in cases()}
NAMED = "its spec is written by "


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("011-not-applied-by-an-application-set", f"{NAMED}ApplicationSet shop-set"),
        ("011-not-applied-by-the-parent", f"{NAMED}the parent Application root"),
        ("011-not-applied-by-the-parent-by-label", f"{NAMED}the parent Application root (by its label"),
        ("pinned-elsewhere-to-the-end", "nothing that it names writes its spec"),
        ("011-pin-written-back", "is written back by ApplicationSet shop-set"),
    ],
)
def test_the_message_names_it(name: str, says: str) -> None:
    assert says in judge(CASES[name]).message


def test_an_application_that_is_its_own_instance_has_no_parent() -> None:
    raw = CASES["011-not-applied-by-the-parent-by-label"]
    for one in raw["polls"]:
        for key in ("application", "application-again"):
            if key in one:
                one[key]["metadata"]["labels"] = {"app.kubernetes.io/instance": one[key]["metadata"]["name"]}
    assert "nothing that it names" in judge(raw).message
