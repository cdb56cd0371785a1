"""The GitHub stand-in of one tale, and the gate run against it as a process."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gate.lab.github import GitHubStandIn
from tests.cluster.harness.settings import CHECKOUT
from tests.cluster.story.acts import Act, Target
from tests.cluster.story.stage import Stage
from tests.support.openapi import Validator
from tests.support.runner_protocol import outputs_in

REPOSITORY = "acme/environments"
ENVIRONMENT = "staging"
_RUN = "4711"


@dataclass(frozen=True)
class Said:
    """What one run of the gate left behind.

    ``statuses`` are those that this run put on the reported commit, in order; ``comment`` is the
    text of the pull request's one comment, empty where there is none. ``result`` is the verdict as
    the gate prints it (or gives as output), ``seconds`` how long the process took.
    """

    code: int
    result: dict[str, Any]
    statuses: tuple[dict[str, Any], ...]
    comments: tuple[str, ...]
    seconds: float
    log: str
    evidence: tuple[Path, ...]


@dataclass(frozen=True)
class Tribune:
    """Runs the gate for one tale, as a workflow on its promotion pull request would."""

    stage: Stage
    github: GitHubStandIn
    kubeconfig: Path
    folder: Path
    as_action: bool

    def ask(self, act: Act, target: Target) -> Said:
        """Ask the gate about this commit, and keep what it said and published."""
        number = self._pull()
        before = len(self.github.statuses(target.reported))
        folder = self.folder / act.name
        folder.mkdir(parents=True)
        began = time.monotonic()
        options = [] if self.as_action else self._options(act, target, folder)
        variables = self._variables(act, target, number, folder)
        run = self.stage.harness.gate(options, folder, variables, act.timeout + 60)
        took = time.monotonic() - began
        return Said(
            code=run.code,
            result=self._result(run.out, folder),
            statuses=tuple(self.github.statuses(target.reported)[before:]),
            comments=tuple(str(comment["body"]) for comment in self.github.comments(number)),
            seconds=took,
            log=run.err + run.out,
            evidence=tuple(sorted(folder.rglob("evidence/**/*[0-9].json"))),  # not the predicate beside it
        )

    def _pull(self) -> int:
        """The number of the tale's one pull request, from main into production."""
        for number in self.github.world.repositories[REPOSITORY].pulls:
            return number
        return self.github.open_pull("main", "production", title="Promote to production").number

    def _options(self, act: Act, target: Target, folder: Path) -> list[str]:
        given = ["check", "--environment", ENVIRONMENT, "--repo", str(self.stage.repository.path)]
        given += ["--kubeconfig", str(self.kubeconfig), "--timeout", f"{act.timeout}s"]
        given += ["--evidence", str(folder / "evidence"), "--format", "json"]
        return given + (["--revision", target.intended] if self._names_revision(target) else [])

    def _names_revision(self, target: Target) -> bool:
        return target.intended != target.reported and "pin:" not in self.stage.settings

    def _variables(self, act: Act, target: Target, number: int, folder: Path) -> dict[str, str]:
        event = folder / "event.json"
        event.write_text(json.dumps(_event(number, target.reported)))
        variables = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(folder),
            "PYTHONPATH": str(CHECKOUT),
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_SERVER_URL": self.github.server_url,
            "GITHUB_API_URL": self.github.url,
            "GITHUB_RUN_ID": _RUN,
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_SHA": "f" * 40,
        }
        if self.as_action:
            return variables | self._inputs(act, target, folder)
        return variables | {"GITHUB_TOKEN": self.github.token}

    def _inputs(self, act: Act, target: Target, folder: Path) -> dict[str, str]:
        for name in ("output", "summary"):
            (folder / name).touch()
        return {
            "GITHUB_ACTIONS": "true",
            "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary"),
            "GITHUB_WORKSPACE": str(folder),
            "INPUT_MODE": "check",
            "INPUT_ENVIRONMENT": ENVIRONMENT,
            "INPUT_CONFIG": "promotion-gate.yaml",
            "INPUT_REVISION": target.intended if self._names_revision(target) else "",
            "INPUT_REPO": str(self.stage.repository.path),
            "INPUT_GITHUB-TOKEN": self.github.token,
            "INPUT_KUBECONFIG": self.kubeconfig.read_text(),
            "INPUT_TIMEOUT": f"{act.timeout}s",
            "INPUT_PUBLISH": "true",
            "INPUT_COMMENT": "true",
        }

    def _result(self, out: str, folder: Path) -> dict[str, Any]:
        text = outputs_in((folder / "output").read_text()).get("result", "") if self.as_action else out
        try:
            found = json.loads(text)
        except ValueError:
            return {}
        assert isinstance(found, dict)
        return found


def _event(number: int, reported: str) -> dict[str, Any]:
    repository = {"id": 100}
    return {
        "action": "synchronize",
        "repository": repository,
        "pull_request": {
            "number": number,
            "head": {"ref": "main", "sha": reported, "repo": repository},
            "base": {"ref": "production", "sha": "e" * 40, "repo": repository},
        },
    }


@contextmanager
def tribune(stage: Stage, kubeconfig: Path, folder: Path, as_action: bool) -> Iterator[Tribune]:
    """A stand-in that serves the stage's own repository; what is exchanged must be as GitHub describes it."""
    validator = Validator()
    with GitHubStandIn({REPOSITORY: stage.repository.bare}, on_exchange=validator) as github:
        yield Tribune(stage, github, kubeconfig, folder, as_action)
    assert validator.violations == [], validator.violations
    assert validator.seen > 0
