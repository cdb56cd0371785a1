"""The sticky comment of several runs: the newer commit stands, whatever the order."""

from __future__ import annotations

import asyncio
import threading

import pytest

from gate.adapters.github import Marker, PublishOutcome, PublishResult
from tests.support.github import MISSING
from tests.support.github_publishing import BOT, Comments


def test_a_run_for_an_older_commit_never_overwrites_a_newer_one(comments: Comments) -> None:
    lab = comments.at.lab
    newer = comments.marker(lab.promotion, run=8, later=1)
    comments.publish("newer commit", newer)
    # It ends later, it began later (somebody ran it again), and its commit is older all the same.
    late = comments.publish("older commit", comments.marker(lab.second, run=7, attempt=2, later=30))
    assert (late.outcome, late.published, late.failed) == (PublishOutcome.NEWER_STANDS, True, False)
    assert comments.bodies == [f"{newer.line}\nnewer commit"]


def test_a_run_for_a_newer_commit_overwrites_an_older_one(comments: Comments) -> None:
    lab = comments.at.lab
    comments.publish("older commit", comments.marker(lab.second, run=9, later=30))
    newer = comments.marker(lab.promotion, run=8)
    assert comments.publish("newer commit", newer).outcome is PublishOutcome.PUBLISHED
    assert comments.bodies == [f"{newer.line}\nnewer commit"]


@pytest.mark.parametrize("commit", ["diverged", "unknown", "same"])
def test_where_history_says_nothing_the_later_run_stands(comments: Comments, commit: str) -> None:
    lab = comments.at.lab
    side = lab.repository.commit("side", {"s": "1"}, "Side", parents=[lab.first])
    other = {"diverged": side, "unknown": MISSING, "same": lab.second}[commit]
    later = comments.marker(other, run=8, later=5)
    comments.plant(f"{later.line}\nlater", BOT)
    assert comments.publish("earlier", comments.marker()).outcome is PublishOutcome.NEWER_STANDS
    latest = comments.marker(run=6, attempt=2, later=6)
    assert comments.publish("latest", latest).outcome is PublishOutcome.PUBLISHED
    assert comments.bodies == [f"{latest.line}\nlatest"]


def together(comments: Comments, markers: list[Marker]) -> list[PublishResult]:
    """Publish from one thread for each marker, all beginning at once."""
    start, results = threading.Barrier(len(markers)), dict[int, PublishResult]()

    def run(index: int, marker: Marker) -> None:
        client = comments.at.another()
        start.wait()
        results[index] = asyncio.run(comments.publisher(marker, client).publish(f"run {marker.run}"))
        client.close()

    threads = [threading.Thread(target=run, args=(index, marker)) for index, marker in enumerate(markers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [results[index] for index in sorted(results)]


@pytest.mark.parametrize("newer_first", [True, False])
def test_two_runs_that_both_create_leave_one_comment_of_the_newer_commit(comments: Comments, newer_first: bool) -> None:
    lab = comments.at.lab
    older, newer = comments.marker(lab.second, run=7), comments.marker(lab.promotion, run=8, later=1)
    # Both have seen that there is none before either creates one.
    barrier = threading.Barrier(2)
    order = [newer, older] if newer_first else [older, newer]
    sequence = threading.Event()
    results = {}

    def run(marker: Marker) -> None:
        client = comments.at.another()
        publisher = comments.publisher(marker, client)
        create = publisher._create  # noqa: SLF001 - the race is made certain here

        async def create_in_order(text: str, deadline: float) -> object:
            barrier.wait()
            if marker is order[1]:
                sequence.wait()
            created = await create(text, deadline)
            sequence.set()
            return created

        publisher._create = create_in_order  # type: ignore[assignment,method-assign]  # noqa: SLF001 - as above
        results[marker.run] = asyncio.run(publisher.publish(f"run {marker.run}"))
        client.close()

    threads = [threading.Thread(target=run, args=(marker,)) for marker in order]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(comments.at.lab.paths("POST")) == 2
    assert comments.bodies == [f"{newer.line}\nrun 8"]
    assert results[8].published
    assert results[7].published


def test_many_runs_at_once_leave_one_comment(comments: Comments) -> None:
    markers = [comments.marker(run=run, later=run) for run in range(1, 6)]
    results = together(comments, markers)
    assert all(result.published for result in results)
    # Whatever the order was, one more run settles it for good.
    last = comments.marker(run=9, later=9)
    comments.publish("last", last)
    assert comments.bodies == [f"{last.line}\nlast"]
