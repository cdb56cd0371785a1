"""An approval as the runner runs it is held for a difference, says which, and does not look at the cluster for it."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from gate.lab.github.merging import MergeRefused
from tests.support.action import Stage, stage
from tests.support.approving import approve, checked
from tests.support.bundles import Json
from tests.support.environments import manifest
from tests.support.promoting import GATE, PRODUCTION, STAGING, about, layout, propose, state
from tests.support.tampering import change, copy_of, move

pytestmark = pytest.mark.exhaustive


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Stage, Path]]:
    """One stage for all of this file: staging was checked half an hour ago, and passed."""
    raw = layout(approval={"max-age": "2h", "soak": "20m"})
    with stage(tmp_path_factory.mktemp("approve"), config=raw) as on:
        file = checked(on)
        move(file, timedelta(minutes=-30))
        yield on, file


@pytest.fixture
def on(ready: tuple[Stage, Path]) -> Stage:
    """The stage, with a pull request of its own."""
    made, _ = ready
    propose(made, {PRODUCTION: manifest(made.commit)}, f"promote/{len(made.lab.github.requests)}")
    return made


@pytest.fixture
def file(ready: tuple[Stage, Path], tmp_path: Path) -> Path:
    """A copy of its evidence."""
    return copy_of(ready[1], tmp_path / "given")


def held(on: Stage, evidence: Path, reason: str, *, commented: bool = True) -> str:
    """The approval is held for this reason; what it says."""
    before = len(on.cluster.asked)
    ended = approve(on, evidence)
    assert (ended.code, ended.outputs["verdict"], ended.outputs["reason"]) == (2, "held", reason), ended.log
    assert (ended.outputs["failed-layer"], ended.outputs["evidence"]) == ("", "")
    assert ended.result["layers"] == []
    assert len(on.cluster.asked) == before, "the cluster was asked"
    assert state(on) == "error"
    assert on.descriptions(on.promotion)[-1].startswith(f"held: {reason} - ")
    assert [reason in one for one in on.comments()] == [True] * commented
    message = ended.result["message"]
    assert isinstance(message, str)
    return message


def test_as_it_is_the_evidence_will_do(on: Stage, file: Path) -> None:
    ended = approve(on, file)
    assert ended.code == 0, ended.log
    assert state(on) == "success"


def test_tampered_evidence_opens_nothing_although_its_digest_fits(on: Stage, file: Path) -> None:
    def another_answer(raw: Json) -> None:
        raw["polls"][-1]["responses"][0]["status"] = 500

    change(file, another_answer)
    held(on, file, "EvidenceNotVerified")
    with pytest.raises(MergeRefused, match=GATE):
        on.lab.github.merge_pull(on.pull)


def test_the_evidence_is_of_another_commit(on: Stage, file: Path) -> None:
    """The pull request pins what was not checked; the message names both commits."""
    other = on.lab.repository.commit("hotfix", {"release": "1.0.1\n"}, "Hotfix", parents=[on.old])
    propose(on, {PRODUCTION: manifest(other)}, "promote/other")
    assert f"at {on.commit}; expected {other}" in held(on, file.parent, "EvidenceOfAnotherCommit")


def test_every_difference_is_said_and_what_would_be_promoted(on: Stage, file: Path) -> None:
    move(file, timedelta(hours=-2))
    change(file, lambda raw: raw["run"].update({"repository": "somebody/else"}))
    message = held(on, file, "EvidenceTooOld")
    assert "was one of somebody/else" in message
    assert f"would promote {on.commit} to production" in message


@pytest.mark.parametrize("minutes", [15, 45], ids=["SoakNotOver", "EvidenceFromTheFuture"])
def test_the_evidence_is_too_young(on: Stage, file: Path, minutes: int) -> None:
    move(file, timedelta(minutes=minutes))
    reason = "SoakNotOver" if minutes < 30 else "EvidenceFromTheFuture"
    message = held(on, file, reason)
    assert ("has to have passed for 20m" in message) == (reason == "SoakNotOver")


@pytest.mark.parametrize(
    "facts",
    [{"url": "https://github.example/acme/environments/actions/runs/1/attempts/1"}, {"reported-commit": "e" * 40}],
    ids=["another run", "no commit of ours"],
)
def test_the_run_behind_the_evidence_has_published_nothing(on: Stage, file: Path, facts: dict[str, str]) -> None:
    change(file, lambda raw: raw["run"].update(facts))
    held(on, file, "EvidenceNotPublished")


def test_two_files_of_the_run_disagree(on: Stage, file: Path) -> None:
    move(copy_of(file, file.parent / "other"), timedelta(seconds=-1))
    held(on, file.parent, "EvidenceDisagrees")


def test_the_pull_request_was_closed(on: Stage, file: Path) -> None:
    on.lab.repo().get_pull(on.pull).edit(state="closed")
    assert "is closed" in held(on, file, "PullRequestNotOpen")


def test_the_pull_request_has_moved_on(on: Stage, file: Path) -> None:
    """The status goes on the head that the run is about; the new one has another run, and the comment."""
    branch = on.payload["pull_request"]["head"]["ref"]
    newer = on.lab.repository.commit(branch, {"README.md": "# More\n"}, "More")
    assert f"is {newer}; this run is about {on.promotion}" in held(on, file, "PullRequestMoved", commented=False)
    about(on, on.pull)
    assert approve(on, file).code == 0


def test_a_change_that_no_verdict_could_be_given_on_is_held_as_by_a_check(on: Stage, file: Path) -> None:
    propose(on, {PRODUCTION: manifest(on.commit), STAGING: manifest(on.old)}, "promote/both")
    ended = approve(on, file)
    assert (ended.code, ended.outputs["reason"]) == (2, "BothPinsChanged"), ended.log


def test_what_promotes_nothing_needs_no_evidence(on: Stage, tmp_path: Path) -> None:
    propose(on, {"README.md": "# Other\n"}, "docs")
    ended = approve(on, tmp_path / "gone")
    assert (ended.code, ended.outputs["reason"]) == (0, "NothingToGate"), ended.log
