"""The action run in a workflow by act, in containers, against servers on loopback.

act is not GitHub's runner: it shows that the image, the inputs, the outputs and the jobs after it
work together. What only the runner does is shown in tests/action.
"""

import json
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from gate.lab.github import GitHubStandIn
from tests.container.engine import MORTAL, Engine
from tests.container.settings import CHECKOUT, IMAGE, RUNNER_IMAGE

ACT = CHECKOUT / ".venv" / "bin" / "act"
REPOSITORY = "acme/environments"
LIMIT = 300
_USES = re.compile(r"uses: OWNER/promotion-gate@FULL_COMMIT_ID.*")
_CONTAINERS = "--ulimit nofile=1024:1024 --ulimit nproc=4096:4096"


@dataclass(frozen=True)
class Ran:
    """A finished workflow run. ``said`` is what the steps of each job printed; a skipped job has no entry."""

    code: int
    said: Mapping[str, str]
    results: Mapping[str, str]
    log: str


class Workflow:
    """Runs workflows that use the action by its image, in the checkout of a repository on the stand-in."""

    def __init__(self, engine: Engine, checkout: Path, github: GitHubStandIn, server_url: str) -> None:
        self._engine, self._github, self._server_url = engine, github, server_url
        self.checkout = checkout

    def run_jobs(self, jobs: Mapping[str, Any], name: str, event: Mapping[str, Any], secrets: Mapping[str, str]) -> Ran:
        """Run these jobs for an event, to the end, in a checkout that is made for it."""
        self.checkout.mkdir()
        for path, text in {
            **action_files(),
            ".github/workflows/gate.yaml": yaml.safe_dump({"on": [name], "jobs": dict(jobs)}, sort_keys=False),
        }.items():
            (self.checkout / path).parent.mkdir(parents=True, exist_ok=True)
            (self.checkout / path).write_text(text)
        author = ["-c", "user.name=Test", "-c", "user.email=test@example.test"]
        for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "A run"]):
            subprocess.run(["git", *author, *command], check=True, cwd=self.checkout, capture_output=True)
        return self.run("gate.yaml", name, event, secrets)

    def run(self, file: str, name: str, event: Mapping[str, Any], secrets: Mapping[str, str]) -> Ran:
        """Run one of the checkout's workflow files for an event, to the end."""
        payload = self.checkout.parent / "event.json"
        payload.write_text(json.dumps(event))
        run = subprocess.run(
            [*MORTAL, str(ACT), name, "--workflows", f".github/workflows/{file}", *self._options(payload, secrets)],
            check=False,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            cwd=self.checkout,
            env={**self._engine.environment, "DOCKER_HOST": self._engine.host(), "HOME": str(self.checkout.parent)},
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


def action_files() -> dict[str, str]:
    """The action as a release has it: by image, not built from the Dockerfile in every job."""
    declared = yaml.safe_load((CHECKOUT / "action.yml").read_text())
    declared["runs"]["image"] = f"docker://{IMAGE}"
    return {"action/action.yml": yaml.safe_dump(declared, sort_keys=False)}


def post_program() -> str:
    """What action.yml names as the program of the post step."""
    return str(yaml.safe_load((CHECKOUT / "action.yml").read_text())["runs"]["post-entrypoint"])


def example(name: str) -> dict[str, str]:
    """A workflow of docs/examples as it is, but for the action: that is used from the checkout."""
    text = (CHECKOUT / "docs" / "examples" / name).read_text()
    lines = []
    for line in text.splitlines():
        lines.append(_USES.sub("uses: ./action", line))
        if line.strip() == "steps:":
            lines.append(line.replace("steps:", "  - uses: actions/checkout@v6"))
    return {f".github/workflows/{name}": "\n".join(lines) + "\n"}


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
