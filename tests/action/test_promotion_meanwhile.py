"""What becomes of a promotion while it is judged: its head moves, it is led elsewhere, others have the last word."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gate.lab.github.merging import MergeRefused
from tests.support import situations
from tests.support.action import Stage, Started, stage
from tests.support.approving import checked
from tests.support.bumping import tip
from tests.support.bundles import Json, recording
from tests.support.environments import manifest
from tests.support.promoting import GATE, PRODUCTION, about, layout, propose, settle
from tests.support.runs import Ended

pytestmark = pytest.mark.exhaustive


@contextmanager
def undecided(folder: Path, mode: str, end: Json | None = None) -> Iterator[Stage]:
    """A promotion that is right; staging runs it (0), is on its way there (1), and gets somewhere (2)."""
    last = recording() if end is None else end
    with stage(folder, situations.moving(recording(), situations.not_pinned(), last), config=layout()) as on:
        if mode == "approve":
            checked(on)
        else:
            settle(on)
            propose(on, {PRODUCTION: manifest(on.commit)})
        on.cluster.show(1)
        on.inputs |= {"timeout": "30s"}
        yield on


def begin(on: Stage, mode: str, run: int = 4712) -> Started:
    """A run of this mode about the pull request, which waits for staging to get there."""
    on.inputs["mode"], on.more["GITHUB_RUN_ID"] = mode, str(run)
    if mode == "approve":
        on.inputs["evidence"] = "evidence"
    if mode == "recheck":
        on.event, on.payload = "schedule", on.lab.github.events().schedule()
    if mode in ("recheck", "check"):
        on.more["GITHUB_SHA"] = tip(on)
    before = on.cluster.applications_read
    started = on.start()
    started.until(lambda: on.cluster.applications_read > before)
    return started


def go_on(on: Stage, started: Started) -> Ended:
    """Staging gets there; the run as it ended."""
    on.cluster.show(2)
    return started.end()


def states(on: Stage, commit: str) -> list[str]:
    return [said for said, context in on.statuses(commit) if context == GATE]


def refuses_to_merge(on: Stage) -> None:
    with pytest.raises(MergeRefused, match=GATE):
        on.lab.github.merge_pull(on.pull)


@pytest.mark.parametrize("mode", ["check", "approve", "recheck"])
def test_a_head_that_moves_takes_no_verdict_along(mode: str, tmp_path: Path) -> None:
    """It goes to the commit that was judged; the comment is left to whoever judges the new head."""
    with undecided(tmp_path, mode) as on:
        running = begin(on, mode)
        judged, said = on.promotion, len(on.comments())
        on.lab.repository.commit("promote/next", {PRODUCTION: manifest("e" * 40)}, "Something else")
        ended = go_on(on, running)
        assert ended.code == 0, ended.log
        moved = on.lab.github.pull(on.pull).head_sha
        assert (states(on, judged)[-1], states(on, moved)) == ("success", [])
        assert f"is at {moved} by now" in ended.log
        assert len(on.comments()) == said
        refuses_to_merge(on)


def test_an_attempt_at_an_old_head_leaves_the_new_one_alone(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        number = propose(on, {PRODUCTION: manifest(on.commit)})
        payload, first = on.payload, on.promotion
        assert on.run().code == 0
        pin = {PRODUCTION: manifest("main")}
        on.lab.repository.commit("promote/next", dict(pin), "Pushed by force", parents=[tip(on)])
        about(on, number)
        on.more["GITHUB_RUN_ID"] = "4712"
        assert on.run().code == 2
        [comment] = on.comments()
        assert "PinNotACommit" in comment
        on.payload, on.more = payload, {"GITHUB_RUN_ATTEMPT": "2"}
        assert on.run().code == 0
        assert states(on, first) == ["pending", "success"] * 2
        assert states(on, on.promotion) == ["pending", "error"]
        assert on.comments() == [comment]
        refuses_to_merge(on)


def test_an_older_green_head_is_judged_again_when_it_is_back(tmp_path: Path) -> None:
    with stage(tmp_path, situations.moving(recording(), situations.broken()), config=layout()) as on:
        settle(on)
        number = propose(on, {PRODUCTION: manifest(on.commit)})
        green = on.promotion
        assert on.run().code == 0
        on.lab.repository.commit("promote/next", {"README.md": "# More\n"}, "More")
        on.cluster.show(1)
        on.lab.repository.git.run("update-ref", "refs/heads/promote/next", green)
        about(on, number)
        assert on.run().code == 1
        assert states(on, green) == ["pending", "success", "pending", "failure"]
        refuses_to_merge(on)


@pytest.mark.parametrize(("theirs", "ours"), [("failure", "success"), ("success", "failure")])
def test_a_recheck_writes_no_success_over_a_newer_word(theirs: str, ours: str, tmp_path: Path) -> None:
    with undecided(tmp_path, "recheck", recording() if ours == "success" else situations.broken()) as on:
        running = begin(on, "recheck")
        on.lab.github.plant_status(on.promotion, theirs, GATE, description="said by the pull request's own run")
        ended = go_on(on, running)
        assert ended.code == (0 if ours == "success" else 1), ended.log
        assert states(on, on.promotion)[-1] == "failure"
        assert ("another run has written it" in ended.log) == (ours == "success")


def test_a_base_that_is_changed_meanwhile_changes_nothing(tmp_path: Path) -> None:
    with stage(
        tmp_path,
        situations.moving(situations.not_pinned(), situations.not_pinned(), situations.broken()),
        config=layout(),
    ) as on:
        start = settle(on)
        on.lab.repository.commit("other", {PRODUCTION: manifest(on.commit)}, "Other", parents=[start])
        number = propose(on, {PRODUCTION: manifest(on.commit), "README.md": "# More\n"})
        running = begin(on, "check")
        for base in ("other", "main"):
            assert on.lab.api.patch(f"{on.lab.url}/pulls/{number}", json={"base": base}).status_code == 200
            assert on.lab.github.pull(number).base == base
        ended = go_on(on, running)
        assert ended.code == 1, ended.log
        assert states(on, on.promotion) == ["pending", "failure"]
        refuses_to_merge(on)


@pytest.mark.parametrize("judged", ["main", "other"])
def test_two_pull_requests_with_one_head(judged: str, tmp_path: Path) -> None:
    """Into one branch it promotes, into the other it does not; the one status is about what it promotes."""
    with stage(tmp_path, situations.broken(), config=layout()) as on:
        start = settle(on)
        on.lab.repository.commit("other", {PRODUCTION: manifest(on.commit)}, "Other", parents=[start])
        pulls = {"main": propose(on, {PRODUCTION: manifest(on.commit), "README.md": "# More\n"})}
        pulls["other"] = on.lab.github.open_pull("promote/next", "other").number
        about(on, pulls[judged])
        assert on.run().code == 1
        assert states(on, on.promotion) == ["pending", "failure"]
        on.pull = pulls["main"]
        refuses_to_merge(on)


def closed(on: Stage) -> None:
    on.lab.api.patch(f"{on.lab.url}/pulls/{on.pull}", json={"state": "closed"}).raise_for_status()


def reopened(on: Stage) -> None:
    closed(on)
    on.lab.api.patch(f"{on.lab.url}/pulls/{on.pull}", json={"state": "open"}).raise_for_status()


def draft(on: Stage) -> None:
    closed(on)
    on.pull = on.lab.github.open_pull("promote/next", draft=True).number


def merged(on: Stage) -> None:
    on.lab.github.plant_status(on.promotion, "success", GATE)
    on.lab.github.merge_pull(on.pull)


def from_a_fork(on: Stage) -> None:
    closed(on)
    on.pull = on.lab.github.open_pull("somebody:promote/next").number


KINDS = [
    (closed, "failure", "PullRequestNotOpen", None),
    (reopened, "failure", None, "failure"),
    (draft, "failure", None, "failure"),
    (merged, "success", "NothingToGate", None),
    (from_a_fork, None, None, "failure"),
]


@pytest.mark.parametrize(("kind", "check", "approve", "recheck"), KINDS, ids=[kind[0].__name__ for kind in KINDS])
def test_every_kind_of_pull_request(
    kind: Callable[[Stage], None], check: str | None, approve: str | None, recheck: str | None, tmp_path: Path
) -> None:
    """Staging is broken: what is open is never green, by whatever mode."""
    with stage(tmp_path, situations.broken(), config=layout()) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit)})
        kind(on)
        head = on.promotion
        about(on, on.pull)
        before = len(states(on, head))
        ended = on.run(mode="approve", evidence="evidence")
        assert ended.outputs["reason"] == (approve or "StoredEvidenceMissing"), ended.log
        del on.inputs["evidence"]
        on.run(mode="check")
        written = states(on, head)[before:]
        assert ("success" in written) == (kind is merged)
        assert (written[-1] if written else None) == check
        before = len(states(on, head))
        on.event, on.payload = "schedule", on.lab.github.events().schedule()
        on.more["GITHUB_SHA"] = tip(on)
        ended = on.run(mode="recheck")
        assert (f"Pull request #{on.pull} at {head}" in ended.log) == (recheck is not None)
        assert states(on, head)[before:] == (["failure"] if kind is from_a_fork else [])
