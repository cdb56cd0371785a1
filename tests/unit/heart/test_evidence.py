"""The evidence file: whole or refused, where it lies, and its published schema."""

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from gate.commands.replay import command as replay
from gate.commands.schema import command as schema_command
from gate.commands.schema import read_schema
from gate.errors import UsageError
from gate.evidence.record import is_evidence, parse_evidence
from gate.evidence.redecide import check_verdict
from gate.evidence.schema import FILE, evidence_schema, render_schema
from gate.evidence.store import write_evidence
from gate.outcomes import VerdictWord
from tests.support.bundles import NEW, Json, both, changed, recording
from tests.support.kept import evidence, signed_anew, written
from tests.support.mutations import copy_of, mutations, put, walk
from tests.support.sampling import sampled
from tests.support.states import cases

PARTS = 8
SCHEMA = jsonschema.Draft202012Validator(evidence_schema(), format_checker=jsonschema.FormatChecker())


def test_what_was_written_is_read_again() -> None:
    one = evidence()
    assert is_evidence(written(one))
    assert parse_evidence(written(one)) == one


def test_the_same_verdict_gives_the_same_file() -> None:
    assert evidence() == evidence()


def test_no_body_and_no_header_enters_it() -> None:
    text = json.dumps(written(evidence()))
    for secret in ('{\\"release\\"', "Content-Type", "application/json"):
        assert secret not in text


@pytest.mark.parametrize("part", sampled(range(PARTS), [0]))
def test_any_damage_is_found(part: int) -> None:
    raw = written(evidence())
    unchanged = []
    for path, value in list(walk(raw))[part::PARTS]:
        for how, new in mutations(value):
            made = copy_of(raw)
            put(made, path, new)
            try:
                parse_evidence(made)
            except UsageError:
                continue
            unchanged.append((path, how))
    assert unchanged == []


@pytest.mark.parametrize(
    "change",
    [
        lambda verdict: verdict.update({"layers": []}),
        lambda verdict: verdict["layers"].pop(),
        lambda verdict: verdict["layers"].reverse(),
        lambda verdict: verdict["layers"][2].update(outcome="failed"),
        lambda verdict: verdict.update(final=False),
        lambda verdict: verdict.update(verdict="perhaps"),
        lambda verdict: verdict.update(surprise=1),
        lambda verdict: verdict.update(verdict="cancelled", layers=[]),
    ],
)
def test_a_verdict_that_its_facts_do_not_give_is_refused_whatever_its_digest_says(change: Any) -> None:
    raw = written(evidence())
    change(raw["verdict"])
    with pytest.raises(UsageError):
        check_verdict(parse_evidence(signed_anew(raw)))


HALF = "\ud800"


def _strange_answer(moment: Json) -> None:
    for response in moment["responses"]:
        response["body"] = '{"release":"\\ud800"}'


def _strange_words(moment: Json) -> None:
    for app in both(moment):
        app["status"]["health"] = {"status": "Degraded", "message": HALF}
        app["status"]["conditions"] = [{"type": f"{HALF}Warning", "message": HALF}]


@pytest.mark.parametrize("change", [_strange_answer, _strange_words])
def test_text_that_no_file_can_hold_does_not_keep_evidence_from_being_written(change: Any, tmp_path: Path) -> None:
    one = evidence(changed(recording(), change))
    assert one.verdict.word is not VerdictWord.PASSED
    assert parse_evidence(json.loads(write_evidence(one, tmp_path).read_text(encoding="utf-8"))) == one


def test_another_schema_is_refused() -> None:
    raw = written(evidence())
    raw["schema"] = "promotion-gate/evidence/v1"
    with pytest.raises(UsageError):
        parse_evidence(signed_anew(raw))


@pytest.mark.parametrize("raw", [None, [], "text", {}, {"schema": 1, "verdict": {}}, {"schema": "x"}])
def test_other_documents_are_no_evidence(raw: Any) -> None:
    assert not is_evidence(raw)


def test_replay_shows_its_verdict_and_refuses_damage(tmp_path: Path) -> None:
    file = write_evidence(evidence(), tmp_path)
    result = CliRunner().invoke(replay, [str(file)], standalone_mode=False)
    assert (result.return_value, json.loads(result.output)["verdict"]) == (0, "passed")
    file.write_text(file.read_text(encoding="utf-8").replace("shop/web", "shop/wed"), encoding="utf-8")
    result = CliRunner().invoke(replay, [str(file)], standalone_mode=False)
    assert (result.return_value, json.loads(result.output)["verdict"]) == (64, "could-not-run")


def test_it_lies_by_environment_commit_and_run(tmp_path: Path) -> None:
    file = write_evidence(evidence(), tmp_path / "evidence")
    assert file == tmp_path / "evidence" / "staging" / NEW / "42-1.json"
    assert parse_evidence(json.loads(file.read_text(encoding="utf-8"))) == evidence()
    assert {one.name for one in file.parent.iterdir()} == {"42-1.json", "42-1.html", "42-1.predicate.json"}


def test_the_same_is_written_once_and_another_verdict_of_the_run_beside_it(tmp_path: Path) -> None:
    first = write_evidence(evidence(), tmp_path)
    assert write_evidence(evidence(), tmp_path) == first
    second = write_evidence(evidence(recording(times=(20,))), tmp_path)
    assert second.name == "42-1.2.json"
    said = [json.loads(file.read_text(encoding="utf-8"))["verdict"]["verdict"] for file in (first, second)]
    assert said == ["passed", "pending"]


def test_a_failed_write_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_evidence(evidence(), tmp_path)
    before = file.read_bytes()

    def full(*_arguments: object, **_keywords: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="no space"):
        write_evidence(evidence(recording(times=(20,))), tmp_path)
    assert file.read_bytes() == before


def test_root_gives_the_file_to_the_owner_of_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, tuple[int, int]] = {}
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "chown", lambda path, user, group: given.update({str(path): (user, group)}))
    file = write_evidence(evidence(), tmp_path / "evidence")
    owner = tmp_path.stat()
    made = [*file.parent.iterdir(), file.parent, file.parent.parent, tmp_path / "evidence"]
    assert given == {str(path): (owner.st_uid, owner.st_gid) for path in made}


def test_the_published_schema_is_made_from_the_model() -> None:
    assert read_schema("evidence") == render_schema(), (
        f"make it anew: .venv/bin/python -m gate.evidence.schema > gate/evidence/{FILE}"
    )
    jsonschema.Draft202012Validator.check_schema(evidence_schema())


def test_gate_schema_prints_it() -> None:
    result = CliRunner().invoke(schema_command, ["evidence"], standalone_mode=False)
    assert (result.return_value, json.loads(result.output)) == (0, evidence_schema())


@pytest.mark.exhaustive
def test_every_written_file_is_valid_by_the_schema() -> None:
    for state in cases():
        SCHEMA.validate(written(evidence(state.raw)))


@pytest.mark.parametrize(
    "key", ["schema", "recorded-at", "run", "asked", "verdict", "objects", "polls", "cut", "digest"]
)
def test_the_schema_wants_every_key(key: str) -> None:
    raw = written(evidence())
    del raw[key]
    assert not SCHEMA.is_valid(raw)
