"""What starting the program costs: no command pays for packages that only another one uses."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"pydantic", "rich", "httpx", "kubernetes", "github", "aiohttp", "tenacity", "ruamel", "asyncio"}
SCRIPT = """
import json, sys
from gate.__main__ import main
code = main(sys.argv[1:])
print(json.dumps({"code": code, "modules": sorted({name.partition(".")[0] for name in sys.modules})}))
"""


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["explain", "NotPinned"], ["explain", "--all", "--format", "markdown"], ["schema"]],
)
def test_light_commands_import_nothing_heavy(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments], check=True, capture_output=True, text=True, timeout=30
    )
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen["code"] == 0
    assert HEAVY & set(seen["modules"]) == set()


def test_a_reader_that_goes_away_is_not_a_failed_release() -> None:
    """Exit code 1 says that a release failed; click would give it here."""
    command = [sys.executable, "-m", "gate", "explain", "--all", "--format", "markdown"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
        assert process.wait(timeout=30) == 64
    assert said.startswith("Standard output was closed")
    assert "Traceback" not in said
    assert "Exception ignored" not in said


@pytest.mark.parametrize("arguments", [["--help"], ["check", "--help"], ["explain", "NotPinned"], ["schema"]])
@pytest.mark.parametrize("full", [True, False], ids=["full disk", "gone reader"])
def test_output_that_cannot_be_written_is_told(arguments: list[str], full: bool) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with Path("/dev/full").open("w") as disk:
        done = subprocess.run(
            [sys.executable, "-m", "gate", *arguments],
            stdout=disk if full else writing,
            stderr=subprocess.PIPE,
            text=True,
            timeout=30,
            check=False,
        )
    os.close(writing)
    assert done.returncode == 64, done.stderr
    assert done.stderr.startswith("Standard output ")
    assert "Exception ignored" not in done.stderr
