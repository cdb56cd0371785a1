"""Every way in which a run ends, as the runner, GitHub and a person see it."""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.support import events, situations
from tests.support.action import PROGRAM, Stage, stage
from tests.support.bundles import Json, recording
from tests.support.environments import PIN, SERVER, manifest
from tests.support.github import NAME
from tests.support.kept import read_whole
from tests.support.markdown import assert_closed, inline, parse
from tests.support.runs import Ended

CONTEXT = "gate/staging"


def check_outputs(ended: Ended, verdict: str, reason: str, layer: str) -> None:
    """The outputs say one thing, and the whole result says the same."""
    assert set(ended.outputs) == {"verdict", "reason", "failed-layer", "evidence", "result"}
    said = (ended.outputs["verdict"], ended.outputs["reason"], ended.outputs["failed-layer"])
    assert said == (verdict, reason, layer)
    result = ended.result
    assert (result["verdict"], result["reason"], result["failed-layer"]) == said


def check_evidence(on: Stage, ended: Ended) -> None:
    """One evidence file, whole, whose path is told and whose owner is the workspace's."""
    [path] = on.evidence()
    assert on.workspace / ended.outputs["evidence"] == path
    assert path.relative_to(on.workspace).parts == ("evidence", "staging", on.commit, "4711-1.json")
    kept, page = read_whole(path), f"{SERVER}/{NAME}/actions/runs/4711/attempts/1"
    assert (kept.verdict.word.value, kept.run.url) == (ended.outputs["verdict"], page)
    assert path.stat().st_uid == on.workspace.stat().st_uid


def check_requests(on: Stage) -> Counter[str]:
    """At most eight requests beside those for the statuses."""
    asked = on.asked_github()
    assert sum(asked.values()) - asked["POST /statuses/{sha}"] <= 8, asked
    return asked


def check_annotations(ended: Ended, level: str) -> None:
    """One annotation about the verdict first, and never more than are shown."""
    assert 1 <= len(ended.annotations) <= 10
    assert ended.annotations[0].name == level
    assert {one.name for one in ended.commands} <= {"add-mask", level, "error"}


@pytest.mark.parametrize(
    ("state", "code", "said", "status"),
    [
        (recording(), 0, ("passed", "AllLayersAgree", ""), "success"),
        (situations.broken(), 1, ("failed", "ProgressDeadlineExceeded", "readiness"), "failure"),
        (situations.on_a_branch(), 2, ("held", "PinNotACommit", "intent"), "error"),
        pytest.param(
            situations.superseded(),
            3,
            ("superseded", "NewerCommitPinned", "intent"),
            "error",
            marks=pytest.mark.exhaustive,
        ),
    ],
    ids=["passed", "failed", "held", "superseded"],
)
def test_a_verdict_that_is_final(
    state: Json, code: int, said: tuple[str, str, str], status: str, tmp_path: Path
) -> None:
    word, reason, layer = said
    with stage(tmp_path, state) as on:
        ended = on.start(program=PROGRAM).end()
        assert ended.code == code, ended.log
        check_outputs(ended, word, reason, layer)
        assert on.statuses() == [("pending", CONTEXT), (status, CONTEXT)]
        assert reason in on.descriptions()[-1]
        assert all(len(text) <= 140 for text in on.descriptions())
        check_evidence(on, ended)
        check_requests(on)
        check_annotations(ended, "notice" if code == 0 else "error")
        assert word in ended.summary.splitlines()[0]
        assert on.comments() == []  # no pull request belongs to this push
        assert "No pull request to comment on" in ended.log
        assert all(asked.method == "GET" for asked in on.cluster.asked)


@pytest.mark.parametrize(
    ("state", "code", "word", "layer", "status"),
    [
        (situations.starting(), 1, "failed", "readiness", "failure"),
        pytest.param(situations.not_pinned(), 2, "held", "intent", "error", marks=pytest.mark.exhaustive),
    ],
    ids=["bad evidence was seen", "nothing bad was seen"],
)
def test_a_verdict_when_time_is_up(state: Json, code: int, word: str, layer: str, status: str, tmp_path: Path) -> None:
    with stage(tmp_path, state) as on:
        ended = on.run(timeout="2s")
        assert ended.code == code, ended.log
        assert (ended.outputs["verdict"], ended.outputs["failed-layer"]) == (word, layer)
        assert ended.result["timed-out"] is True
        assert on.statuses()[0] == ("pending", CONTEXT)
        assert on.statuses()[-1] == (status, CONTEXT)
        assert "timed out" in on.descriptions()[-1]
        check_evidence(on, ended)
        check_requests(on)


def test_a_release_that_becomes_ready_while_the_gate_waits(tmp_path: Path) -> None:
    """Watches tell of each step; nothing is said of a state that did not change."""
    states = situations.moving(situations.not_pinned(), situations.starting(), recording())
    with stage(tmp_path, states) as on:
        started = on.start()
        started.until(lambda: on.cluster.applications_read >= 2)
        on.cluster.show(1)
        started.until(lambda: any("/events" in asked.target for asked in on.cluster.asked))
        on.cluster.show(2)
        ended = started.end()
        assert ended.code == 0, ended.log
        assert [state for state, _ in on.statuses()] == ["pending", "success"]
        lines = [line for line in ended.stderr.splitlines() if line.startswith("  intent")]
        assert [line.split()[1:3] for line in lines] == [
            ["pending", "NotPinned"],
            ["passed", "PinnedToIntended"],
            ["passed", "PinnedToIntended"],  # in the report at the end
        ]


def test_a_pull_request_is_judged_by_the_pin_in_its_head(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        on.on_pull_request()
        ended = on.run(environment="production")
        assert ended.code == 0, ended.log
        assert ended.result["intended"] == on.commit
        assert on.statuses(on.promotion) == [("pending", "gate/production"), ("success", "gate/production")]
        assert on.statuses("f" * 40) == []  # GITHUB_SHA, the test merge
        assert on.statuses(on.commit) == []
        [comment] = on.comments()
        assert comment.splitlines()[0].startswith("<!-- promotion-gate:production:commit=")
        assert "passed" in comment.splitlines()[1]
        assert on.commit[:7] in comment
        asked = check_requests(on)
        assert asked["POST /issues/{issue_number}/comments"] == 1
        # Read where a pull request cannot change it.
        contents = [one for one in on.lab.github.requests if one.template and "contents" in one.template]
        refs = {one.path.rpartition("/contents/")[2]: one.query["ref"] for one in contents}
        assert refs == {"promotion-gate.yaml": "refs/heads/main", "apps/shop.yaml": on.promotion}


def test_the_second_run_changes_the_comment_of_the_first(tmp_path: Path) -> None:
    states = situations.moving(situations.broken(), recording())
    with stage(tmp_path, states) as on:
        on.on_pull_request()
        assert on.run(environment="production").code == 1
        [first] = on.comments()
        on.cluster.show(1)
        on.more["GITHUB_RUN_ATTEMPT"] = "2"
        assert on.run().code == 0
        [second] = on.comments()
        assert "ProgressDeadlineExceeded" in first
        assert "ProgressDeadlineExceeded" not in second
        assert [state for state, _ in on.statuses(on.promotion)] == ["pending", "failure", "pending", "success"]
        targets = {one["target_url"] for one in on.lab.github.statuses(on.promotion)}
        base = "https://github.example/acme/environments/actions/runs/4711/attempts"
        assert targets == {f"{base}/1", f"{base}/2"}


def test_a_merge_group_has_its_status_on_its_own_head(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        queue = f"gh-readonly-queue/main/pr-{on.pull}-{'c' * 40}"
        head = on.lab.repository.commit(queue, {PIN: manifest(on.commit)}, "Merge", parents=[on.commit])
        on.event, on.payload = "merge_group", events.merge_group(head, on.pull)
        ended = on.run(environment="production")
        assert ended.code == 0, ended.log
        assert [state for state, _ in on.statuses(head)] == ["pending", "success"]
        assert len(on.comments()) == 1
        check_requests(on)


@pytest.mark.exhaustive
def test_a_run_that_a_person_started_is_about_the_tip(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        on.event, on.payload = "workflow_dispatch", events.workflow_dispatch()
        ended = on.run(revision=on.commit[:9])
        assert ended.code == 0, ended.log
        assert ended.result["intended"] == on.commit
        assert [state for state, _ in on.statuses()] == ["pending", "success"]
        check_requests(on)


def test_a_push_that_merged_a_pull_request_is_told_there(tmp_path: Path) -> None:
    """The number stands in the message, so that GitHub's index, which is behind, is not needed."""
    with stage(tmp_path, index_lag=9) as on:
        merged = on.lab.github.merge_pull(on.pull, method="squash")
        sha = merged.merge_commit_sha
        assert sha is not None
        on.commit, on.payload = sha, events.push(sha, message=f"Promote (#{on.pull})")
        ended = on.run(environment="production")
        assert ended.code == 0, ended.log
        assert len(on.comments()) == 1
        asked = check_requests(on)
        assert asked["GET /commits/{commit_sha}/pulls"] == 0
        assert [state for state, _ in on.statuses(sha)] == ["pending", "success"]


def test_text_from_the_cluster_is_text_and_nothing_else(tmp_path: Path) -> None:
    with stage(tmp_path, situations.broken(situations.HOSTILE)) as on:
        on.on_pull_request()
        ended = on.run(environment="production")
        assert ended.code == 1, ended.log
        assert (ended.outputs["verdict"], ended.outputs["failed-layer"]) == ("failed", "readiness")
        assert {one.name for one in ended.commands} <= {"add-mask", "error"}
        assert "forged" not in {one.properties.get("title") for one in ended.commands}
        [comment] = on.comments()
        for text in (comment, ended.summary):
            assert_closed(text)
            assert "@everyone" not in text
            assert text.count("<!-- promotion-gate") <= 1
            live = [token for token in inline(parse(text)) if token.type == "link_open"]
            assert all(str(token.attrs["href"]).startswith("https://github.") for token in live)
            assert "Gate passed" not in {token.content for token in parse(text) if token.level == 1}
        for text in (comment, ended.summary, ended.log, *on.descriptions(on.promotion)):
            assert "\x1b" not in text
            assert "\u202e" not in text


@pytest.mark.exhaustive
def test_what_another_release_answers_is_hostile_too(tmp_path: Path) -> None:
    made = recording()
    for moment in made["polls"]:
        for response in moment["responses"]:
            response["body"] = json.dumps({"release": situations.HOSTILE})
    with stage(tmp_path, made) as on:
        on.on_pull_request()
        ended = on.run(environment="production", timeout="3s")
        assert ended.code == 1, ended.log
        assert ended.outputs["failed-layer"] == "request"
        assert {one.name for one in ended.commands} <= {"add-mask", "error"}
        assert "@everyone" not in on.comments()[0]
