"""Two environments on a branch each, in the laboratory: staging follows its branch, production waits for staging."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml

from gate.lab.applications import application
from gate.lab.github.git import Git
from gate.lab.repository import BRANCH
from gate.lab.stage import ENVIRONMENT, NAME, SERVER_URL, WEB, Stage
from gate.lab.world import Laboratory
from tests.container.engine import Engine
from tests.container.workflow import Ran, Workflow, action_files, example
from tests.support.github import EnvironmentRepository

CONTEXT = f"gate/{ENVIRONMENT}"
STAGING, PRODUCTION = "env/staging", "env/production"
PIN = "apps/orders.yaml"
SPEED = 2.0
_WAIT = 60.0
_REQUEST = {
    "name": "version",
    "service": f"{NAME}/{WEB}:http",
    "path": "/version",
    "expect": {"status": 200, "json": {"$.release": "{label:app.kubernetes.io/version}"}},
}


def configuration() -> str:
    """The text of ``promotion-gate.yaml``."""
    common = {
        "applications": [{"name": NAME, "pin": {"file": PIN}}],
        "requests": [_REQUEST],
        "timeout": "60s",
        "policy": {"settle": "2s", "degraded-grace": "3s"},
    }
    staging = {"branch": STAGING, "promotes-to": "production", **common}
    return yaml.safe_dump(
        {"version": 1, "environments": {ENVIRONMENT: staging, "production": {**common, "branch": PRODUCTION}}}
    )


@dataclass
class Promotion:
    """The stage and its workflows. ``number`` is that of the pull request from staging's branch into production's."""

    stage: Stage
    workflow: Workflow
    number: int

    @property
    def head(self) -> str:
        """What would be merged: the tip of staging's branch."""
        return self.stage.github.pull(self.number).head_sha

    def states(self, commit: str) -> list[str]:
        """What the gate said on a commit, oldest first."""
        return [one["state"] for one in self.stage.github.statuses(commit) if one["context"] == CONTEXT]

    def bump(self) -> Ran:
        """A push to main has its workflow pin staging to it."""
        return self._run("bump.yaml", "push")

    def recheck(self) -> Ran:
        """The clock has the pull request looked at."""
        return self._run("recheck.yaml", "schedule")

    def _run(self, file: str, event: str) -> Ran:
        events = self.stage.github.events()
        payload = events.push() if event == "push" else events.schedule()
        kubeconfig = self.stage.lab.kubeconfig.read_text()
        return self.workflow.run(file, event, payload, {"STAGING_KUBECONFIG": kubeconfig})


@contextmanager
def promotion(engine: Engine) -> Iterator[Promotion]:
    """Release 1.0.0 in both environments; an Application deploys what stands in the branch of staging."""
    with (
        tempfile.TemporaryDirectory(prefix="promotion-gate-story-") as folder,
        Laboratory(Path(folder), speed=SPEED) as lab,
    ):
        stage = Stage(lab, {}, lambda _: None)
        stage.repository.make_default(BRANCH)
        stage.push({"promotion-gate.yaml": configuration()}, "Two environments")
        stage.push({**action_files(), **example("bump.yaml"), **example("recheck.yaml")}, "Workflows")
        first = stage.release("1.0.0")
        stage.notes["first"] = first
        repository, url = EnvironmentRepository(Git(stage.repository.bare)), stage.repository.url
        pin = application(NAME, url, "workloads", first, destination=NAME, self_heal=False)
        files = {PIN: yaml.safe_dump(pin, sort_keys=False), "promotion-gate.yaml": configuration()}
        production = repository.commit(PRODUCTION, files, "Production", parents=[first])
        repository.commit(STAGING, {"README.md": "# Staging\n"}, "Staging", parents=[production])
        stage.apply(application("staging", url, "apps", STAGING, destination="argocd"))
        with stage.github:
            stage.github.require_status(PRODUCTION, CONTEXT)
            number = stage.github.open_pull(STAGING, PRODUCTION).number
            yield Promotion(stage, Workflow(engine, stage.clone, stage.github, SERVER_URL), number)
