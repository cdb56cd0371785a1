"""`gate lab` as people start it: a process, its two streams, its exit code, and nothing left behind."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gate.lab.loopback import bind
from gate.lab.scenarios import SCENARIOS
from gate.lab.scenarios.act import Act, Scenario
from gate.lab.scenarios.approval import APPROVAL
from gate.lab.scenarios.story import STORY
from tests.support.lab_process import FAST, LIMIT, QUICK, ports_in_a_row, start
from tests.support.sampling import sampled


def test_for_programs_there_is_one_object_a_line_and_nothing_else(tmp_path: Path) -> None:
    lab = start(tmp_path, "--scenario", QUICK, "--scenario", "no-op", "--format", "json", *FAST)
    code, lines, log = lab.end()
    assert code == 0, log
    told = [json.loads(line) for line in lines]
    assert [list(one) for one in told] == [
        ["scenario", "act", "commit", "verdict", "reason", "failed-layer", "layers"]
    ] * 2
    assert [(one["scenario"], one["verdict"], one["reason"], one["failed-layer"]) for one in told] == [
        (QUICK, "held", "PinNotACommit", "intent"),
        ("no-op", "passed", "NoOp", ""),
    ]
    assert [layer["layer"] for layer in told[0]["layers"]] == ["intent", "sync", "readiness", "request"]
    for one in told:
        [evidence] = (tmp_path / "evidence" / "staging" / one["commit"]).glob("*[0-9].json")
        assert json.loads(evidence.read_text())["verdict"]["reason"] == one["reason"]
    assert lab.left == []


def test_for_people_the_comment_the_status_and_the_evidence_are_shown(tmp_path: Path) -> None:
    lab = start(tmp_path, "--scenario", QUICK, "--evidence", "kept", *FAST)
    code, lines, log = lab.end()
    text = "\n".join(lines)
    assert (code, log) == (0, "")
    assert "no advice" in text
    assert "not Argo CD" in text
    assert "settle 2s" in text
    assert "  $ kubectl patch application orders" in text
    assert "commit status on" in text
    assert "  | ### ✋ staging is held at intent" in text
    assert "<!--" not in text
    assert "evidence: kept/staging/" in text
    assert "1 verdict, all as expected" in text
    assert "\x1b" not in text


@pytest.mark.exhaustive
def test_a_verdict_that_is_not_the_expected_one_is_exit_code_1(tmp_path: Path) -> None:
    """The expectation is changed, since the gate does not err on demand."""
    wrong = (
        "import dataclasses, sys\n"
        "from gate.lab import scenarios\n"
        f"one = scenarios.SCENARIOS[{QUICK!r}]\n"
        "expected = dataclasses.replace(one.acts[0].expected, reason='NotPinned')\n"
        "acts = (dataclasses.replace(one.acts[0], expected=expected),)\n"
        f"scenarios.SCENARIOS[{QUICK!r}] = dataclasses.replace(one, acts=acts)\n"
        "from gate.__main__ import main\n"
        f"sys.exit(main(['lab', '--scenario', {QUICK!r}]))\n"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-c", wrong], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=LIMIT
    )
    assert run.returncode == 1, run.stdout + run.stderr
    assert "NOT AS EXPECTED: reason is 'PinNotACommit', expected 'NotPinned'" in run.stdout


@pytest.mark.parametrize("form", sampled(["text", "json"], ["text"]))
def test_the_list_names_every_scenario(form: str, tmp_path: Path) -> None:
    code, lines, _ = start(tmp_path, "--list", "--format", form).end()
    assert code == 0
    found = [json.loads(line)["scenario"] if form == "json" else line.split()[0] for line in lines]
    assert [name for name in found if name != "->"] == list(SCENARIOS)


BAD = {
    "an unknown scenario": (("--scenario", "no-endpoint"), "Did you mean no-endpoints?"),
    "a speed of zero": (("--speed", "0"), "0 is not a factor"),
    "a speed at which the gate would not wait long enough": (("--speed", "0.4"), "0.4 is not a factor from 0.5 to 20"),
    "a speed that is no number": (("--speed", "nan"), "nan is not a factor"),
    "two scenarios to serve": (("--serve", "--scenario", "no-op", "--scenario", "paused"), "at most one --scenario"),
    "evidence below a file": (("--evidence", "/dev/null/evidence"), "No evidence can be written below"),
    "an argument": (("story",), "unexpected extra argument"),
}


@pytest.mark.parametrize("case", sampled(BAD, ["an unknown scenario", "evidence below a file"]))
def test_bad_input(case: str, tmp_path: Path) -> None:
    arguments, said = BAD[case]
    lab = start(tmp_path, *arguments)
    code, lines, log = lab.end()
    assert (code, lines) == (64, []), log
    assert said in log
    assert lab.left == []


@pytest.mark.parametrize("offset", sampled([0, 1, 2], [1]))
def test_a_port_that_is_taken_is_named(offset: int, tmp_path: Path) -> None:
    port = ports_in_a_row(5) + 2  # it is the first, second or third that the laboratory asks for
    with bind(port):
        lab = start(tmp_path, "--scenario", QUICK, "--format", "json", "--port", str(port - offset))
        code, lines, log = lab.end()
    assert (code, lines) == (64, []), log
    assert f"Port {port} of 127.0.0.1 cannot be listened on: address already in use" in log
    assert lab.left == []


def test_without_git_it_says_so(tmp_path: Path) -> None:
    code, _, log = start(tmp_path, environment={"PATH": str(tmp_path)}).end()
    assert code == 64
    assert "git is missing" in log


def test_the_story_is_the_same_at_the_highest_speed(tmp_path: Path) -> None:
    """And what it ends with is about its acts: the report, and the approval by the evidence of the last check."""
    code, lines, log = start(tmp_path, "--format", "json", "--speed", "20").end()
    assert code == 0, log
    told = {one["act"]: one for one in map(json.loads, lines)}
    assert list(told) == [one.name for one in STORY.asked]
    assert "8 verdicts and 1 report, all as expected." in log
    folder = tmp_path / "evidence" / "staging"
    [file] = folder.glob("*.json")
    report = json.loads(file.read_text())
    assert (report["outcome"], report["kind"]) == ("recovered", "git-revert")
    acts = {"good": "normal", "bad": "broken", "recovered": "recovered"}
    assert {role: report[role]["commit"] for role in acts} == {role: told[act]["commit"] for role, act in acts.items()}
    assert {one.suffix for one in folder.glob("recovery-*")} == {".html", ".json", ".md"}
    last = folder / told["recovered-rolling"]["commit"]
    checked, approved, refused = (
        json.loads((last / f"{run}.json").read_text()) for run in ("6-1", "7-1-approval", "8-1-approval")
    )
    assert approved["run"]["approves"] == refused["run"]["approves"] == checked["digest"]
    assert [one["verdict"]["intended"] for one in (checked, approved, refused)] == [last.name] * 3
    assert [layer["outcome"] for layer in told["not-approved"]["layers"]] == ["passed", "passed", "held", "pending"]
    assert "the head of the promotion pull request: error, readiness: ScaledToZero" in log


def test_evidence_that_cannot_be_written_is_no_success(tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "staging").write_text("no folder")
    code, lines, _ = start(tmp_path, "--scenario", QUICK, *FAST).end()
    text = "\n".join(lines)
    assert code == 1, text
    assert "The evidence file could not be written: Not a directory" in text
    assert "NOT AS EXPECTED: no evidence was written" in text
    assert lines[-1] == "1 verdict, 1 not as expected."


def test_files_of_its_own_that_cannot_be_written_are_no_fault_of_the_gate(tmp_path: Path) -> None:
    git = tmp_path / "bin" / "git"
    git.parent.mkdir()
    git.write_text("#!/bin/sh\necho 'fatal: No space left on device' >&2\nexit 128\n")
    git.chmod(0o755)
    lab = start(tmp_path, "--format", "json", environment={"PATH": f"{git.parent}:{os.environ['PATH']}"})
    code, lines, log = lab.end()
    assert (code, lines) == (64, []), log
    assert "The laboratory's files could not be written: `git init" in log
    assert "No space left on device" in log
    assert "TMPDIR" in log
    assert lab.left == []


@pytest.mark.exhaustive
def test_a_proxy_of_the_machine_is_not_asked(tmp_path: Path) -> None:
    nowhere = dict.fromkeys(("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9")
    code, _, log = start(tmp_path, "--scenario", "no-op", "--format", "json", *FAST, environment=nowhere).end()
    assert code == 0, log


def _stopped(folder: Path, scenario: Scenario, number: int, with_signal: int) -> None:
    """Play it, send the signal while the gate judges this act, and see how it ends."""
    lab = start(folder, "--scenario", scenario.name, "--format", "json", *FAST)
    lab.hear(f"Act {number} of {len(scenario.acts)}" if number else f"Scenario {scenario.name}")
    before = scenario.acts[: max(number - 1, 0)]
    if number and isinstance(scenario.acts[number - 1], Act):
        lab.hear("UTC pending")
    code, lines, log = lab.end(with_signal)
    assert code == 128 + with_signal, log
    told = [json.loads(line)["act"] for line in lines]
    assert told == [one.name for one in scenario.asked[: len(told)]], log
    assert len(told) >= sum(isinstance(one, Act) for one in before), log
    assert f"cancelled by signal {with_signal}" in log
    assert ("stays, below this folder: evidence" in log) is (told != [])
    assert "Traceback" not in log
    assert lab.left == []
    with pytest.raises(ProcessLookupError):
        os.killpg(lab.process.pid, 0)


EARLY = [(STORY, 0), (STORY, 1), (STORY, 2), (APPROVAL, 2)]
LATE = [(STORY, number) for number in range(3, len(STORY.acts))]
"""Without the last act, which is over as soon as it is seen."""


@pytest.mark.timeout(150)
@pytest.mark.parametrize("acts", sampled([EARLY, LATE], []), ids=["early", "late"])
def test_a_signal_in_any_act_is_a_clean_end(acts: list[tuple[Scenario, int]], tmp_path: Path) -> None:
    """Side by side: the last of them plays the story nearly to its end."""
    with ThreadPoolExecutor(len(acts)) as pool:
        stopped = [
            pool.submit(_stopped, tmp_path / f"{index}", *one, (signal.SIGINT, signal.SIGTERM)[index % 2])
            for index, one in enumerate(acts)
        ]
    for one in stopped:
        one.result()


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT], ids=str)
def test_what_is_served_ends_with_a_signal(number: int, tmp_path: Path) -> None:
    """SIGQUIT like SIGTERM."""
    lab = start(tmp_path, "--serve", "--format", "json", *FAST)
    lab.hear("stays up until Ctrl-C")
    code, lines, log = lab.end(number)
    ended_by = signal.SIGTERM if number == signal.SIGQUIT else number
    assert (code, lines) == (128 + ended_by, []), log
    assert lab.left == []


def test_a_reader_that_goes_away_is_no_traceback(tmp_path: Path) -> None:
    lab = start(tmp_path, "--scenario", QUICK, *FAST)
    with lab.process as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        log = process.stderr.read()
        assert process.wait(LIMIT) == 64, log
    assert "Traceback" not in log
    assert lab.left == []
