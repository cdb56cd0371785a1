"""A release that stands in the laboratory, and the program beside it: for ``gate init`` and ``gate doctor``."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gate.lab.stage import REPOSITORY, Stage
from gate.lab.world import Laboratory
from tests.support.forked import start_run
from tests.support.lab_process import LIMIT

SPEED = 20.0


@dataclass
class Bench:
    """A release that stands in the laboratory, and the program beside it."""

    lab: Laboratory
    stage: Stage
    sha: str
    environ: dict[str, str] = field(default_factory=dict)

    def gate(self, *arguments: str, code: int = 0, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the clone."""
        run = start_run(None, "gate.__main__", self.stage.clone, {**self.environ, **environ}, arguments)
        out, err = run.communicate(timeout=LIMIT)
        ended = subprocess.CompletedProcess(arguments, run.wait(), out, err)
        assert ended.returncode == code, ended.stdout + ended.stderr
        assert self.lab.server.accounts.reader.token not in ended.stdout + ended.stderr
        assert self.stage.github.token not in ended.stdout + ended.stderr
        return ended

    @property
    def branch(self) -> str:
        """The default branch of the repository on GitHub."""
        return self.stage.github.world.repositories[REPOSITORY].git.default_branch()

    def doctor(self, *arguments: str, code: int = 0, **environ: str) -> dict[str, list[dict[str, Any]]]:
        """What the doctor finds, by heading."""
        ended = self.gate("doctor", "--format", "json", *arguments, code=code, **environ)
        found: dict[str, list[dict[str, Any]]] = {}
        for one in json.loads(ended.stdout)["findings"]:
            found.setdefault(one["about"], []).append(one)
        return found


@contextmanager
def standing(folder: Path, settings: Mapping[str, object] | None = None, **web: Any) -> Iterator[Bench]:
    """A laboratory in which release 1.0.0 stands."""
    with Laboratory(folder, speed=SPEED) as lab:
        stage = Stage(lab, {"promotes-to": "production", **(settings or {})}, lambda _: None)
        sha = stage.create(stage.release("1.0.0", **web))
        with stage.github:
            asyncio.run(lab.until(lambda: stage.is_there(sha), 30, "the release"))
            home = folder / "home"
            home.mkdir()
            environ = {
                "PATH": os.environ["PATH"],
                "HOME": str(home),
                "KUBECONFIG": str(lab.kubeconfig),
                "LANG": "C.UTF-8",
            }
            environ |= {"GITHUB_TOKEN": stage.github.token, "GITHUB_API_URL": stage.github.url}
            yield Bench(lab, stage, sha, environ)


def levels(found: list[dict[str, Any]]) -> list[str]:
    return [one["level"] for one in found]


def said(found: list[dict[str, Any]], part: str) -> dict[str, Any]:
    """The one finding that says this."""
    [one] = [one for one in found if part in one["seen"]]
    return one
