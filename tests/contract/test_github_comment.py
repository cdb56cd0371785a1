"""The sticky comment: which one is ours, what it holds, and how long it may be."""

from __future__ import annotations

import pytest

from gate.adapters.github import PublishOutcome
from gate.lab.github import Identity
from tests.support.github_publishing import BOT, Comments


def test_the_first_comment_is_created_and_later_ones_update_it(comments: Comments) -> None:
    first = comments.publish("**staging is pending**")
    second = comments.publish("**staging passed**")
    third = comments.publish("**staging passed**")
    assert [first.outcome, second.outcome, third.outcome] == ["published", "published", "unchanged"]
    assert comments.bodies == [f"{comments.marker().line}\n**staging passed**"]
    assert comments.marker().line.startswith(
        f"<!-- promotion-gate:staging:commit={comments.at.lab.second}:run=7:attempt=1:at="
    )
    assert [e.method for e in comments.at.lab.github.requests if "comments" in e.path] == [
        "GET", "POST", "GET", "GET", "PATCH", "GET",
    ]  # fmt: skip
    assert first.url is not None
    assert first.url == second.url


def test_every_environment_has_a_comment_of_its_own(comments: Comments) -> None:
    production = comments.marker().model_copy(update={"environment": "production"})
    comments.publish("staging")
    comments.publish("production", production)
    assert [body.partition("\n")[2] for body in comments.bodies] == ["staging", "production"]


@pytest.mark.exhaustive
def test_ours_is_found_behind_a_hundred_others(comments: Comments) -> None:
    for number in range(105):
        comments.plant(f"Comment {number}")
    comments.publish("one")
    for number in range(105):
        comments.plant(f"Reply {number}")
    assert comments.publish("two").outcome is PublishOutcome.PUBLISHED
    assert len(comments.bodies) == 211
    assert [body.partition("\n")[2] for body in comments.ours] == ["two"]
    pages = [e.query["page"] for e in comments.at.lab.github.requests if e.method == "GET" and "comments" in e.path]
    assert pages[-3:] == ["1", "2", "3"]


def test_a_marker_planted_by_somebody_else_is_left_alone(comments: Comments) -> None:
    newest = comments.marker(run=99, later=999)
    planted = [
        comments.plant(f"{newest.line}\nThe gate passed"),
        comments.plant(f"{newest.line}\nThe gate passed", Identity("github-actions", 5, "User")),
        comments.plant(f"{newest.line}\nThe gate passed", Identity("other-app[bot]", 6, "Bot")),
        comments.plant(f"{newest.line}\nThe gate passed", Identity("github-actions[bot]", 7, "User")),
        comments.plant(f"I agree\n{newest.line}", BOT),
    ]
    assert comments.publish("failed").outcome is PublishOutcome.PUBLISHED
    found = comments.at.lab.github.comments(comments.pull)
    assert [comment["id"] for comment in found][: len(planted)] == planted
    assert found[-1]["body"] == f"{comments.marker().line}\nfailed"
    assert len(found) == len(planted) + 1


def test_another_account_can_be_the_author(comments: Comments) -> None:
    own = comments.plant(f"{comments.marker().line}\nold", Identity("Release-Robot[bot]", 8, "Bot"))
    comments.publish("new", author="release-robot[bot]")
    assert comments.bodies == [f"{comments.marker().line}\nnew"]
    assert comments.at.lab.github.comments(comments.pull)[0]["id"] == own


@pytest.mark.parametrize("line", ["<!-- promotion-gate:staging: -->", "<!-- promotion-gate:staging:commit=x:run=y -->"])
def test_a_marker_that_cannot_be_read_is_ours_and_old(comments: Comments, line: str) -> None:
    comments.plant(f"{line}\nwhat an older version wrote", BOT)
    comments.publish("new")
    assert comments.bodies == [f"{comments.marker().line}\nnew"]


def test_duplicates_of_ours_are_removed_and_the_lowest_id_stays(comments: Comments) -> None:
    ids = [comments.plant(f"{comments.marker(run=run).line}\nrun {run}", BOT) for run in (3, 4, 5)]
    comments.publish("new")
    found = comments.at.lab.github.comments(comments.pull)
    assert [(comment["id"], comment["body"]) for comment in found] == [(ids[0], f"{comments.marker().line}\nnew")]


@pytest.mark.parametrize("existing", [False, True])
@pytest.mark.parametrize("char", ["x", "é", "🚀"])
def test_long_bodies_are_cut_on_creating_and_on_updating(comments: Comments, char: str, existing: bool) -> None:
    if existing:
        comments.publish("short")
    table = "| layer | outcome |\n| --- | --- |\n| readiness | failed |\n"
    lines = "".join(f"{char * 100} {number}\n" for number in range(1200))
    body = f"**failed**\n\n{table}\n<details>\n<summary>Evidence</summary>\n\n```text\n{lines}```\n\n</details>\n"
    assert comments.publish(body).outcome is PublishOutcome.PUBLISHED
    (stored,) = comments.bodies
    assert len(stored.encode("utf-16-le")) // 2 <= 60_000
    assert stored.startswith(f"{comments.marker().line}\n**failed**\n\n{table}")
    assert stored.endswith(
        "\n```\n\n</details>\n\n*Cut here, because GitHub takes no longer comment. The job summary has all of it.*\n"
    )
    assert stored.count("```") == 2
