"""The action run in a workflow by act, in containers, against servers on loopback.

act is not GitHub's runner: it shows that the image, the inputs, the outputs and the jobs after it
work together. What only the runner does is shown in tests/action.
"""

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from gate.lab.github import GitHubStandIn
from tests.container.engine import Engine
from tests.container.settings import CHECKOUT, IMAGE, RUNNER_IMAGE

ACT = CHECKOUT / ".venv" / "bin" / "act"
REPOSITORY = "acme/environments"
_CONTAINERS = "--ulimit nofile=1024:1024 --ulimit nproc=4096:4096"


@dataclass(frozen=True)
class Ran:
    """A finished workflow run. ``said`` is what the steps of each job printed; a skipped job has no entry."""

    code: int
    said: Mapping[str, str]
    results: Mapping[str, str]
    log: str


class Workflow:
    """A repository whose workflow uses the action, at ``folder``, by its image."""

    def __init__(self, engine: Engine, folder: Path, github: GitHubStandIn, server_url: str) -> None:
        self._engine, self._github, self._server_url = engine, github, server_url
        self.folder = folder / "checkout"
        (self.folder / "action").mkdir(parents=True)
        (self.folder / ".github" / "workflows").mkdir(parents=True)
        (self.folder / "action" / "action.yml").write_text(_released(CHECKOUT / "action.yml"))

    def run(
        self,
        jobs: Mapping[str, Any],
        name: str,
        event: Mapping[str, Any],
        secrets: Mapping[str, str],
        *,
        timeout: float = 300,
    ) -> Ran:
        """Run these jobs for an event, to the end."""
        workflow = {"on": [name], "jobs": jobs}
        (self.folder / ".github" / "workflows" / "gate.yml").write_text(yaml.safe_dump(workflow, sort_keys=False))
        self._commit()
        payload = self.folder.parent / "event.json"
        payload.write_text(json.dumps(event))
        run = subprocess.run(
            [str(ACT), name, *self._options(payload, secrets)],
            check=False,
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=self.folder,
            env={**self._engine.environment, "DOCKER_HOST": self._engine.host(), "HOME": str(self.folder.parent)},
        )
        return _ran(run.returncode, run.stdout + run.stderr)

    def _options(self, payload: Path, secrets: Mapping[str, str]) -> list[str]:
        variables = {
            "GITHUB_API_URL": self._github.url,
            "GITHUB_SERVER_URL": self._server_url,
            "GITHUB_REPOSITORY": REPOSITORY,
        }
        given = ["--eventpath", str(payload), "--platform", f"ubuntu-latest={RUNNER_IMAGE}", "--pull=false", "--json"]
        given += ["--container-options", _CONTAINERS, "--no-cache-server", "--rm"]
        given += [f"--env={name}={value}" for name, value in variables.items()]
        for name, value in {"GITHUB_TOKEN": self._github.token, **secrets}.items():
            given += ["--secret", f"{name}={value}"]
        return given

    def _commit(self) -> None:
        author = ["-c", "user.name=Test", "-c", "user.email=test@example.test"]
        for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--allow-empty", "-m", "A run"]):
            subprocess.run(["git", *author, *command], check=True, cwd=self.folder, capture_output=True)


def _released(action: Path) -> str:
    """The action as a release has it: by image, not built from the Dockerfile in every job."""
    declared = yaml.safe_load(action.read_text())
    declared["runs"]["image"] = f"docker://{IMAGE}"
    return yaml.safe_dump(declared, sort_keys=False)


def _ran(code: int, log: str) -> Ran:
    said: dict[str, str] = {}
    results: dict[str, str] = {}
    for line in log.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        job = entry.get("jobID")
        if job is None:
            continue
        if entry.get("raw_output"):
            said[job] = said.get(job, "") + str(entry["msg"])
        if "jobResult" in entry:
            results[job] = str(entry["jobResult"])
    return Ran(code, said, results, log)
