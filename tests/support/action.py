"""The program run as the workflow runner runs it: its environment, its files, a GitHub and a cluster on loopback."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from gate.lab.github import Fault
from tests.support import bundles, events
from tests.support.bundles import NEW, NEWER, OLD, Json
from tests.support.cluster import TOKEN as CLUSTER_TOKEN
from tests.support.cluster import ClusterStandIn
from tests.support.environments import PIN, SERVER, configuration, manifest
from tests.support.forked import Run, start_run
from tests.support.github import NAME, Bench, bench
from tests.support.raw_application import REPOSITORY
from tests.support.runner_environment import (
    FILES,
    file_variables,
    input_variables,
    job_variables,
    make_files,
    ref_variables,
)
from tests.support.runner_protocol import outputs_in, problems_in
from tests.support.runs import Ended

RUN = 4711
HEADER_SECRET = "header-value-that-nobody-may-see"
PROGRAM = [sys.executable, "-I", "-m", "gate"]
POST = [sys.executable, "-I", "-m", "gate.commands.post"]
LIMIT = 45


@dataclass
class Started:
    """A run that is under way."""

    process: Run
    stage: Stage
    began: float

    def send(self, number: int) -> None:
        """Send a signal."""
        self.process.send_signal(number)

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something is so; a run that ends before it fails the test."""
        while not condition():
            if self.process.poll() is not None:
                raise AssertionError(f"it ended with {self.process.returncode}: {self.process.communicate()}")
            if time.monotonic() - self.began > LIMIT:
                raise AssertionError("it never came to that")
            time.sleep(0.01)

    def cancel(self) -> None:
        """End it as the runner does: SIGINT, 7.5 s later SIGTERM, 2.5 s later SIGKILL."""
        for number, patience in ((signal.SIGINT, 7.5), (signal.SIGTERM, 2.5), (signal.SIGKILL, None)):
            self.send(number)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(patience)
                return

    def end(self) -> Ended:
        """Wait for the end."""
        try:
            out, err = self.process.communicate(timeout=LIMIT)
        finally:
            self.process.kill()
        stage = self.stage
        ended = Ended(
            self.process.wait(),
            out,
            err,
            outputs_in(stage.file("output")),
            stage.file("summary"),
            time.monotonic() - self.began,
        )
        stage.check_secrets(ended)
        problems = problems_in(stage.folder / "commands", ended.commands)
        assert problems == [], ended.log
        return ended


@dataclass
class Stage:
    """Everything that a run needs; ``event`` and ``inputs`` may be changed before it starts."""

    lab: Bench
    cluster: ClusterStandIn
    folder: Path
    commit: str
    old: str
    promotion: str
    pull: int
    event: str = "push"
    payload: Json = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)
    more: dict[str, str] = field(default_factory=dict)

    @property
    def workspace(self) -> Path:
        """The working directory."""
        return self.folder / "workspace"

    def file(self, name: str) -> str:
        """One of the files that the runner reads afterwards."""
        return (self.folder / "commands" / name).read_text(encoding="utf-8")

    def environment(self) -> dict[str, str]:
        """The variables that the runner gives to a container action, and no others."""
        return {
            **input_variables(self.inputs),
            **job_variables(NAME),
            **file_variables(self.folder),
            **ref_variables(self.event, self.payload),
            "GITHUB_API_URL": self.lab.github.url,
            "GITHUB_SERVER_URL": SERVER,
            "GITHUB_GRAPHQL_URL": f"{self.lab.github.url}/graphql",
            "GITHUB_EVENT_NAME": self.event,
            "GITHUB_SHA": "f" * 40 if self.event == "pull_request" else self.commit,
            "GITHUB_RUN_ID": str(RUN),
            **self.more,
        }

    def start(
        self,
        *,
        program: list[str] | None = None,
        environment: Mapping[str, str] | None = None,
        module: str = "gate.__main__",
    ) -> Started:
        """Start a run: a program, as a process of its own; without one the action, forked from where it is loaded."""
        make_files(self.folder)
        (self.folder / "workflow" / "event.json").write_text(json.dumps(self.payload))
        variables = self.environment() if environment is None else dict(environment)
        run = start_run(program, module, self.workspace, variables)
        return Started(run, self, time.monotonic())

    def run(self, **inputs: str) -> Ended:
        """One run from start to end."""
        self.inputs.update({name.replace("_", "-"): value for name, value in inputs.items()})
        return self.start().end()

    def after(self, *, program: list[str] | None = None) -> Ended:
        """The post step of the run that was: the same inputs, new files, and what the run kept for it."""
        kept = {f"STATE_{name}": value for name, value in outputs_in(self.file("state")).items()}
        environment = {**self.environment(), **kept}
        return self.start(program=program, environment=environment, module="gate.commands.post").end()

    def on_pull_request(self, *, fork: bool = False) -> None:
        """The event is the promotion pull request's."""
        self.event, self.payload = "pull_request", events.pull_request(self.promotion, self.pull, fork=fork)

    def statuses(self, commit: str | None = None) -> list[tuple[str, str]]:
        """State and context of each status, oldest first."""
        found = self.lab.github.statuses(self.commit if commit is None else commit)
        return [(one["state"], one["context"]) for one in found]

    def descriptions(self, commit: str | None = None) -> list[str]:
        """The descriptions of the statuses, oldest first."""
        found = self.lab.github.statuses(self.commit if commit is None else commit)
        return [one["description"] or "" for one in found]

    def comments(self) -> list[str]:
        """The comments on the pull request."""
        return [one["body"] for one in self.lab.github.comments(self.pull)]

    def asked_github(self) -> Counter[str]:
        """How many requests of each kind GitHub had."""
        known = [one for one in self.lab.github.requests if one.template is not None]
        return Counter(f"{one.method} {(one.template or '').rpartition('{repo}')[2]}" for one in known)

    def evidence(self) -> list[Path]:
        """The evidence files in the workspace, without what is made of them beside them."""
        found = sorted((self.workspace / "evidence").rglob("*.json"))
        return [path for path in found if not path.name.endswith(".predicate.json")]

    def check_secrets(self, ended: Ended) -> None:
        """No secret stands anywhere, save in the commands that have the runner hide it."""
        lines = [line for line in ended.stdout.splitlines() if not line.startswith("::add-mask::")]
        texts = ["\n".join(lines), ended.stderr, json.dumps(self.lab.github.state())]
        written = [path for path in self.workspace.rglob("*") if path.is_file() and path.name != "kubeconfig"]
        texts += [path.read_text() for path in written]
        texts += [self.file(name) for name in FILES]
        for secret in (self.lab.github.token, CLUSTER_TOKEN, HEADER_SECRET):
            assert not any(secret in text for text in texts), f"{secret} shows"


@contextmanager
def stage(
    folder: Path,
    recording: Json | None = None,
    *,
    config: Json | str | None = None,
    message: str = "Release 2.0.0",
    cluster: Mapping[str, Any] | None = None,
    faults: tuple[Fault, ...] = (),
    **github: Any,
) -> Iterator[Stage]:
    """A stage on which a release passes, unless the ``recording`` says otherwise.

    The recording's ``NEW`` and ``OLD`` become the newest commit on main and the one before it.
    """
    with ExitStack() as stack:
        lab = stack.enter_context(bench(folder, faults=faults, **github))
        text = config if isinstance(config, str) else yaml.safe_dump(configuration() if config is None else config)
        old = lab.repository.commit("main", {"promotion-gate.yaml": text, "release": "1.0.0\n"}, "Release 1.0.0")
        new = lab.repository.commit("main", {"release": "2.0.0\n"}, message)
        branch = {PIN: manifest(new)}
        promotion = lab.repository.commit("promote/prod", branch, "Promote 2.0.0", parents=[new])
        pull = lab.github.open_pull("promote/prod").number
        made = bundles.recording() if recording is None else recording
        replace = {NEW: new, OLD: old, NEWER: promotion, REPOSITORY: f"{SERVER}/{NAME}.git"}
        standing = stack.enter_context(ClusterStandIn(made, replace, **(cluster or {})))
        kubeconfig = standing.write_kubeconfig(folder / "workspace" / "kubeconfig")
        lab.validator.seen += 1  # some runs never come to ask GitHub anything
        yield Stage(
            lab,
            standing,
            folder,
            new,
            old,
            promotion,
            pull,
            payload=events.push(new, message=message, before=old),
            inputs={"environment": "staging", "kubeconfig": str(kubeconfig), "github-token": lab.github.token},
        )
