"""`gate lab` as people start it: a process, its two streams, its exit code, and nothing left behind."""

import json
import os
import subprocess
import sys
<<<<<<< HEAD
from collections.abc import Mapping
from dataclasses import dataclass, field
=======
from concurrent.futures import ThreadPoolExecutor
>>>>>>> aed0569a11ce31da4fd3efe17e61a3bd032b47d7
from pathlib import Path

import pytest

from gate.lab.loopback import bind
from gate.lab.scenarios import SCENARIOS
<<<<<<< HEAD

LIMIT = 50
FAST = ("--speed", "10")
QUICK = "branch-as-pin"
"""A scenario that is soon over."""


@dataclass
class Laboratory:
    """A process that plays, in a folder of its own. ``heard`` is what it wrote for people, line by line."""

    folder: Path
    process: subprocess.Popen[str]
    heard: list[str] = field(default_factory=list)

    def hear(self, text: str) -> None:
        """Read on until a line with this text comes; it is an error when it never does."""
        stream = self.process.stderr
        assert stream is not None
        for line in stream:
            self.heard.append(line)
            if text in line:
                return
        raise AssertionError(f"{text!r} never came: {''.join(self.heard)}")

    def end(self, number: int | None = None) -> tuple[int, list[str], str]:
        """Send a signal where one is given; exit code, lines of standard output, and all that was heard."""
        if number is not None:
            self.process.send_signal(number)
        try:
            out, err = self.process.communicate(timeout=LIMIT)
        finally:
            self.process.kill()
        return self.process.returncode, out.splitlines(), "".join(self.heard) + err

    @property
    def left(self) -> list[str]:
        """Temporary files that are still there."""
        return [path.name for path in (self.folder / "tmp").iterdir()]


def start(folder: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> Laboratory:
    (folder / "tmp").mkdir(parents=True)
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder / "tmp")}
    process = subprocess.Popen(
        [sys.executable, "-I", "-m", "gate", "lab", *arguments],
        cwd=folder,
        env={**variables, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    return Laboratory(folder, process)
=======
from gate.lab.scenarios.story import STORY
from tests.support.lab_process import FAST, LIMIT, QUICK, start
>>>>>>> aed0569a11ce31da4fd3efe17e61a3bd032b47d7


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


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_list_names_every_scenario(form: str, tmp_path: Path) -> None:
    code, lines, _ = start(tmp_path, "--list", "--format", form).end()
    assert code == 0
    found = [json.loads(line)["scenario"] if form == "json" else line.split()[0] for line in lines]
    assert [name for name in found if name != "->"] == list(SCENARIOS)


BAD = {
    "an unknown scenario": (("--scenario", "no-endpoint"), "Did you mean no-endpoints?"),
    "a speed of zero": (("--speed", "0"), "0 is not a factor"),
    "a speed that is no number": (("--speed", "nan"), "nan is not a factor"),
    "two scenarios to serve": (("--serve", "--scenario", "no-op", "--scenario", "paused"), "at most one --scenario"),
    "evidence below a file": (("--evidence", "/dev/null/evidence"), "No evidence can be written below"),
    "an argument": (("story",), "unexpected extra argument"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case: str, tmp_path: Path) -> None:
    arguments, said = BAD[case]
    lab = start(tmp_path, *arguments)
    code, lines, log = lab.end()
    assert (code, lines) == (64, []), log
    assert said in log
    assert lab.left == []


@pytest.mark.parametrize("offset", [0, 1, 2])
def test_a_port_that_is_taken_is_named(offset: int, tmp_path: Path) -> None:
    with bind(0) as taken:
        port = taken.getsockname()[1]
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
    code, lines, log = start(tmp_path, "--format", "json", "--speed", "20").end()
    assert code == 0, log
    assert [json.loads(line)["act"] for line in lines] == [one.name for one in STORY.acts]


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


def test_a_proxy_of_the_machine_is_not_asked(tmp_path: Path) -> None:
    nowhere = dict.fromkeys(("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9")
    code, _, log = start(tmp_path, "--scenario", "no-op", "--format", "json", *FAST, environment=nowhere).end()
    assert code == 0, log


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
