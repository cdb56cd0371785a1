"""The in-toto predicate: what GitHub signs beside the evidence file's digest."""

import re

import pytest

from gate.evidence.predicate import EXTENSION, predicate_of
from gate.outcomes import VerdictWord
from tests.support.bundles import NEW, recording
from tests.support.kept import evidence, made_of
from tests.support.raw_application import TREES
from tests.support.states import every_state

LAYERS = ["intent", "sync", "readiness", "request"]


def test_a_pass_is_passed_with_commit_tree_and_images() -> None:
    one = evidence()
    made = predicate_of(one)
    assert (made["result"], made["passedTests"], made["failedTests"]) == ("PASSED", LAYERS, [])
    assert made["url"] == one.run.url
    assert made["configuration"] == [
        {"name": "settings of staging", "digest": {"sha256": one.asked.settings_digest.removeprefix("sha256:")}}
    ]
    more = made[EXTENSION]
    assert more["commit"]["digest"] == {"gitCommit": NEW, "gitTree": TREES[NEW]}
    assert more["evidence"] == {"schema": "promotion-gate/evidence/v2", "digest": one.digest}
    assert [image["name"] for image in more["images"]] == ["web"]
    assert all(re.fullmatch(r"[0-9a-f]{64}", image["digest"]["sha256"]) for image in more["images"])


@pytest.mark.exhaustive
def test_nothing_but_a_passed_verdict_is_passed() -> None:
    for state in every_state():
        one = made_of(state.raw).evidence
        made = predicate_of(one)
        assert (made["result"] == "PASSED") is (one.verdict.word is VerdictWord.PASSED), state.name
        assert (made["result"] == "PASSED") is (made["failedTests"] == []), state.name
        assert sorted(made["passedTests"] + made["failedTests"]) == sorted(LAYERS), state.name


def test_outside_of_a_workflow_there_is_no_page_to_name() -> None:
    one = evidence(recording())
    bare = one.model_copy(update={"run": one.run.model_copy(update={"url": None})})
    assert "url" not in predicate_of(bare)
