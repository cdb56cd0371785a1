"""What a check imports: only what it uses, and signals are minded before the slow part."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.support import bundles, situations
from tests.support.action import stage
from tests.support.bundles import Json
from tests.support.environments import configuration

pytestmark = pytest.mark.exhaustive

NETWORK = {"kubernetes", "github", "httpx", "aiohttp", "tenacity", "rich", "requests"}
SCRIPT = """
import json, sys
from pathlib import Path
from gate.__main__ import main
code = main(sys.argv[2:])
Path(sys.argv[1]).write_text(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
sys.exit(code)
"""


def imported(tmp_path: Path, *arguments: str, code: int = 0) -> set[str]:
    """The packages that a command has imported when it ends."""
    file = tmp_path / "modules.json"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(file), *arguments], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == code, done.stderr
    return set(json.loads(file.read_text()))


def test_replay_reaches_for_no_network(tmp_path: Path) -> None:
    recording = tmp_path / "recording.json"
    recording.write_text(json.dumps(bundles.recording()))
    assert imported(tmp_path, "replay", str(recording)) & NETWORK == set()


@pytest.mark.parametrize("command", ["check", "rehearse", "replay", "explain", "schema"])
def test_help_imports_nothing_heavy(command: str, tmp_path: Path) -> None:
    seen = imported(tmp_path, command, "--help")
    assert seen & (NETWORK | {"ruamel"}) == set()
    assert command != "check" or seen & {"pydantic", "asyncio"} == set()


def without_json() -> Json:
    """Requests that expect a regular expression in the body, and no value of a JSON document."""
    config = configuration()
    for environment in config["environments"].values():
        environment["requests"][0]["expect"] = {"status": 200, "regex": "{label:app.kubernetes.io/version}"}
    return config


def test_a_check_imports_what_it_uses(tmp_path: Path) -> None:
    """By Service proxy, on a laptop: no PyGithub, no httpx, no rich; no JSONPath without JSON expectations."""
    with stage(tmp_path, situations.broken()) as on:
        file = on.workspace / "promotion-gate.yaml"
        file.write_text(yaml.safe_dump(without_json()))
        seen = imported(
            tmp_path,
            *("check", "--no-publish", "--environment", "staging", "--config", str(file), "--revision", on.commit),
            *("--repo", str(on.lab.repository.git.directory), "--kubeconfig", str(on.workspace / "kubeconfig")),
            *("--evidence", str(tmp_path / "evidence")),
            code=1,
        )
    assert {"kubernetes", "aiohttp", "tenacity"} <= seen
    assert seen & {"github", "httpx", "rich", "jsonpath"} == set()
