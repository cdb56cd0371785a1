"""``gate evidence``: what it says of files that hold, that are refused, and that are none."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gate.commands.evidence import command
from gate.evidence.page import page_of
from gate.evidence.record import EvidenceFile
from gate.evidence.store import write_evidence
from tests.support.bundles import recording
from tests.support.kept import evidence, signed_anew, written


def gate_evidence(*arguments: str) -> Result:
    result = CliRunner().invoke(command, list(arguments), standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result


@pytest.fixture
def good(tmp_path: Path) -> str:
    return str(write_evidence(evidence(), tmp_path / "good"))


@pytest.fixture
def damaged(tmp_path: Path, good: str) -> str:
    file = tmp_path / "damaged.json"
    file.write_text(Path(good).read_text(encoding="utf-8").replace("shop/web", "shop/wed"), encoding="utf-8")
    return str(file)


@pytest.fixture
def forged(tmp_path: Path) -> str:
    raw = written(evidence(recording(times=(20,))))
    raw["verdict"] = written(evidence())["verdict"]
    file = tmp_path / "forged.json"
    file.write_text(json.dumps(signed_anew(raw)), encoding="utf-8")
    return str(file)


def test_a_file_that_holds(good: str) -> None:
    ran = gate_evidence("verify", good)
    assert ran.return_value == 0
    assert f"{good}: verified: staging passed (AllLayersAgree)" in ran.output
    assert "decided again from 2 recorded looks" in ran.output
    assert "A digest shows damage, not forgery" in ran.output
    assert "gh attestation verify" in ran.output


def test_a_predicate_beside_it_is_passed_over_and_verifies_nothing(good: str, damaged: str) -> None:
    predicate = good.removesuffix(".json") + ".predicate.json"
    assert Path(predicate).exists()
    ran = gate_evidence("verify", good, predicate)
    assert ran.return_value == 0
    assert f"{predicate}: passed over: it is made from the evidence file beside it" in ran.output
    assert gate_evidence("verify", damaged, predicate).return_value == 1
    assert gate_evidence("verify", predicate).return_value == 64


def test_damage_and_forgery_are_told_apart(damaged: str, forged: str) -> None:
    ran = gate_evidence("verify", damaged, forged)
    assert ran.return_value == 1
    assert f"{damaged}: refused: The evidence file's digest does not fit its content." in ran.output
    assert f"{forged}: refused: The evidence file's verdict." in ran.output
    assert "does not follow from its recorded facts" in ran.output
    assert "gh attestation" not in ran.output, "nothing was verified"


def test_what_is_no_evidence_cannot_be_read(tmp_path: Path, good: str, damaged: str) -> None:
    texts = {"none.json": json.dumps(recording()), "text.json": "{", "two.json": "{}\n---\n{}\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    for name in (*texts, "bytes.json", "missing.json"):
        file = str(tmp_path / name)
        ran = gate_evidence("verify", good, file)
        assert ran.return_value == 64, name
        assert f"{file}: not read: " in ran.output
    assert gate_evidence("verify", str(tmp_path / "none.json"), damaged).return_value == 1


def test_a_file_that_is_not_there_is_told_with_where_to_look(tmp_path: Path) -> None:
    ran = gate_evidence("verify", str(tmp_path / "gone.json"), "")
    assert ran.return_value == 64
    assert f"There is no file {tmp_path / 'gone.json'}." in ran.output
    assert "gate history --folder evidence" in ran.output
    assert gate_evidence("verify", str(tmp_path)).output.startswith(f"{tmp_path}: not read: {tmp_path} cannot be read")


def test_one_key_of_very_many_stands_twice(tmp_path: Path) -> None:
    """Found in one go over them."""
    file = tmp_path / "many.json"
    keys = ", ".join(f'"{number}": 0' for number in range(100_000))
    file.write_text(f'{{{keys}, "7": 1}}')
    assert "the key '7' stands twice" in gate_evidence("verify", str(file)).output


def test_show_prints_the_verdict_as_check_does(good: str) -> None:
    ran = gate_evidence("show", good)
    assert ran.return_value == 0
    assert "staging passed: all four layers agree about this commit" in ran.output
    assert "ReplicasReady" in ran.output


def test_page_prints_the_page_that_was_written(good: str) -> None:
    ran = gate_evidence("page", good)
    assert ran.return_value == 0
    assert ran.output == Path(good).with_suffix(".html").read_text(encoding="utf-8")


@pytest.mark.parametrize("what", ["show", "page"])
def test_nothing_is_shown_of_a_refused_file(what: str, damaged: str) -> None:
    ran = gate_evidence(what, damaged)
    assert (ran.return_value, ran.stdout) == (1, "")
    assert "refused: The evidence file's digest does not fit" in ran.stderr


def test_the_page_beside_the_file_is_that_of_the_file(good: str) -> None:
    raw = Path(good).read_text(encoding="utf-8")
    assert Path(good).with_suffix(".html").read_text(encoding="utf-8") == page_of(EvidenceFile.model_validate_json(raw))
