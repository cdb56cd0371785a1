"""From a file: recordings, real ones too, and evidence files; what does not pass is not altered."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gate.app.rehearsing import read_saved
from gate.errors import ConfigurationError, GateError, UsageError
from gate.evidence.recording import parse_recording
from gate.rehearsal.passing import Passing
from gate.rehearsal.rehearse import rehearse
from gate.rehearsal.results import Rehearsal
from tests.support import bundles, kept
from tests.support.bundles import Json, changed, recording
from tests.support.rehearsing import altering_only
from tests.support.sampling import sampled
from tests.support.situations import broken
from tests.support.states import recorded

CHOSEN = (
    "hand-edit-selfheal-on",
    "hook-succeeded",
    "multi-source",
    "no-op-commit",
)
"""A real recording of every kind that passes."""

REAL = [state for state in recorded() if state.name in CHOSEN]


def saved(folder: Path, raw: Any, config: str | None = None, name: str | None = None) -> Passing:
    file = folder / "saved.json"
    file.write_text(json.dumps(raw), encoding="utf-8")
    return read_saved(file, config, name)


def rehearsed(passing: Passing) -> Rehearsal:
    return rehearse(passing, "recorded", passing.asked.settings)


def refuses(passing: Passing) -> bool:
    """Whether evidence is found that passes, and one thing that is altered in it refused."""
    with altering_only("no-responses"):
        return rehearsed(passing).refuses


@cache
def real(name: str) -> Rehearsal:
    """The rehearsal of a real recording."""
    (state,) = [state for state in REAL if state.name == name]
    recording = parse_recording(state.raw)
    return rehearsed(Passing(recording.asked, recording.git, recording.moments))


@pytest.mark.parametrize("name", sampled(CHOSEN, ["no-op-commit"]))
def test_a_real_recording_refuses_everything(name: str) -> None:
    made = real(name)
    assert made.refuses, (made.unaltered, made.passing[:3])
    assert len(made.alterations) > 200
    assert made.not_tried == ()


def test_what_only_a_whole_operation_proves_does_not_apply_to_others() -> None:
    made = real("no-op-commit")
    skipped = {one.name for one in made.not_applicable}
    assert {"operation-dry-run", "hook-failed", "hook-not-ended", "resource-refused", "resource-not-applied"} <= skipped
    assert {"operation-failed", "operation-running", "operation-partial"} <= {one.name for one in made.alterations}


@pytest.mark.exhaustive
def test_an_evidence_file_is_as_good(tmp_path: Path) -> None:
    """It keeps what was seen of a body and not the body, so that another answer has to be made up."""
    raw = recording(replicas=2)
    by_recording = rehearsed(saved(tmp_path, raw))
    by_evidence = rehearsed(saved(tmp_path, kept.written(kept.evidence(raw))))
    assert by_evidence.refuses, (by_evidence.unaltered, by_evidence.passing[:3])
    names = [(one.name, one.subject, one.reason) for one in by_recording.alterations]
    assert [(one.name, one.subject, one.reason) for one in by_evidence.alterations] == names


def test_evidence_that_was_changed_is_refused(tmp_path: Path) -> None:
    raw = kept.written(kept.evidence())
    raw["objects"][0]["metadata"]["uid"] = "somebody else's"
    with pytest.raises(GateError, match="digest"):
        saved(tmp_path, raw)


def test_what_does_not_pass_is_shown_and_not_altered(tmp_path: Path) -> None:
    made = rehearsed(saved(tmp_path, broken()))
    assert not made.passed_unaltered
    assert made.unaltered.failed_layer == "readiness"
    assert made.unaltered.reason.value == "ProgressDeadlineExceeded"
    assert made.alterations == ()
    assert not made.refuses


def test_a_single_moment_does_not_pass(tmp_path: Path) -> None:
    made = rehearsed(saved(tmp_path, {**recording(), "polls": recording()["polls"][:1]}))
    assert not made.passed_unaltered
    assert made.unaltered.reason.value == "Settling"


def test_what_came_before_and_after_the_pass_is_left_out(tmp_path: Path) -> None:
    """A run from the first look to the pass, and one more look, at something else, after the verdict."""
    raw = recording(times=(20, 22, 25, 30))
    raw["polls"][0] = broken()["polls"][0]
    raw = changed(raw, lambda moment: moment.update(responses=[]), polls=[3])
    passing = saved(tmp_path, raw)
    made = rehearsed(passing)
    assert not made.passed_unaltered  # 22 and 25 are not five seconds apart, and nobody answered at 30
    raw = recording(times=(20, 21, 25, 30))
    raw = changed(raw, lambda moment: moment.update(responses=[]), polls=[0, 3])
    made = rehearsed(saved(tmp_path, raw))
    assert not made.passed_unaltered
    raw = recording(times=(20, 21, 26, 30))
    raw = changed(raw, lambda moment: moment.update(responses=[]), polls=[0, 3])
    assert refuses(saved(tmp_path, raw))


def test_the_configuration_that_is_given_is_the_one_that_is_tried(tmp_path: Path) -> None:
    """Evidence for one configuration says nothing good about another that asks for more."""
    file = tmp_path / "promotion-gate.yaml"
    config: Json = bundles.config()
    file.write_text(json.dumps(config), encoding="utf-8")
    assert refuses(saved(tmp_path, recording(), str(file)))
    config["environments"]["staging"]["workloads"] = [{"kind": "Deployment", "name": "missing"}]
    file.write_text(json.dumps(config), encoding="utf-8")
    made = rehearsed(saved(tmp_path, recording(), str(file)))
    assert not made.passed_unaltered
    assert made.unaltered.reason.value == "ExpectedWorkloadAbsent"


def test_a_recording_without_a_configuration_needs_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = {key: value for key, value in recording().items() if key not in ("config", "environment")}
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError, match="does not exist"):
        saved(tmp_path, raw)
    (tmp_path / "promotion-gate.yaml").write_text(json.dumps(bundles.config()), encoding="utf-8")
    assert refuses(saved(tmp_path, raw))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "holds no document"),
        ("--- {}\n--- {}\n", "2 documents"),
        ("{}", "intended"),
        ("\ufffe", "YAML"),
        ("[1]", "not a mapping"),
    ],
)
def test_a_file_that_cannot_be_used(text: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "saved.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read_saved(file, None, None)
    assert told in caught.value.diagnostics()


def test_a_file_that_is_not_there_or_of_another_environment(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read_saved(tmp_path / "gone.json", None, None)
    with pytest.raises(UsageError, match="environment staging, not of production"):
        saved(tmp_path, recording(), None, "production")
