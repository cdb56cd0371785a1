"""The sticky comment when GitHub fails: no second comment, no exception, nothing hidden."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.adapters.github import PublishOutcome
from gate.lab.github import Fault
from tests.support.github_client import client_bench
from tests.support.github_publishing import BOT, Comments


@pytest.mark.parametrize(
    "fault", [Fault("error", method="POST", after=True), Fault("close", method="POST", after=True)]
)
def test_an_answer_lost_after_creating_makes_no_second_comment(comments: Comments, fault: Fault) -> None:
    comments.at.lab.github.faults.add(fault)
    assert comments.publish("once").outcome is PublishOutcome.PUBLISHED
    assert comments.bodies == [f"{comments.marker().line}\nonce"]
    assert len(comments.at.lab.paths("POST")) == 1


def test_a_comment_that_was_not_created_is_created_by_the_next_try(comments: Comments) -> None:
    comments.at.lab.github.faults.add(Fault("error", method="POST", times=2))
    assert comments.publish("once").outcome is PublishOutcome.PUBLISHED
    assert len(comments.bodies) == 1
    methods = [e.method for e in comments.at.lab.github.requests if "comments" in e.path]
    assert methods == ["GET", "POST", "GET", "POST", "GET", "POST", "GET"]


def test_creating_is_given_up_without_an_exception(comments: Comments) -> None:
    comments.at.lab.github.faults.add(Fault("error", method="POST", times=None))
    result = comments.publish("never")
    assert (result.outcome, result.failed) == (PublishOutcome.UNREACHABLE, True)
    assert comments.bodies == []


def test_an_edit_is_repeated_and_a_rate_limited_create_too(comments: Comments) -> None:
    faults = comments.at.lab.github.faults
    faults.add(Fault("secondary-limit", method="POST", retry_after=5), Fault("error", method="PATCH", after=True))
    assert comments.publish("one").published
    assert comments.publish("two").published
    assert comments.bodies == [f"{comments.marker().line}\ntwo"]
    assert comments.at.clock.slept == [5, 0.5]


def test_a_comment_deleted_in_between_is_created_anew(comments: Comments) -> None:
    comments.publish("one")
    comments.at.lab.github.faults.add(Fault("error", method="PATCH", status=404))
    assert comments.publish("two").published
    assert comments.bodies == [f"{comments.marker().line}\ntwo"]


def test_a_read_only_token_and_a_wrong_number_are_results(tmp_path: Path) -> None:
    with client_bench(tmp_path, permissions={"contents": "read", "pull-requests": "read"}) as at:
        comments = Comments(at)
        assert comments.publish("x").outcome is PublishOutcome.READ_ONLY_TOKEN
        assert comments.publish("x", read_only=True).outcome is PublishOutcome.NOT_ATTEMPTED
        comments.pull = 99_999
        assert comments.publish("x").outcome is PublishOutcome.NOT_FOUND


def test_a_duplicate_that_cannot_be_removed_hides_nothing(comments: Comments) -> None:
    for run in (3, 4):
        comments.plant(f"{comments.marker(run=run).line}\nold", BOT)
    comments.at.lab.github.faults.add(Fault("error", method="DELETE", times=None))
    assert comments.publish("new").outcome is PublishOutcome.PUBLISHED
