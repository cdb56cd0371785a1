"""A stage on which an environment's pin stands in a file of main, and what a bump does to it can be seen."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.action import Stage, stage
from tests.support.bundles import Json
from tests.support.environments import PIN, configuration, manifest

HEAD = "# who deploys the shop\n"


def bump_configuration(applications: list[Json] | None = None, **bump: object) -> Json:
    """Environment ``staging`` with its pins in files; ``bump`` are keys of its section."""
    raw = configuration()
    staging = raw["environments"]["staging"]
    staging["applications"] = [{"name": "shop", "pin": {"file": PIN}}] if applications is None else applications
    if bump:
        staging["bump"] = {key.replace("_", "-"): value for key, value in bump.items()}
    return raw


def application(name: str, pin: str) -> str:
    """A manifest with a comment that must stay."""
    return HEAD + manifest(pin).replace("name: shop", f"name: {name}")


def put_pin(on: Stage, pin: str, name: str = "shop", file: str = PIN) -> str:
    """A commit on main with the manifest pinned to this; its id."""
    return on.lab.repository.commit("main", {file: application(name, pin)}, f"Pin {name}")


def read(on: Stage, commit: str, file: str = PIN) -> str:
    """A file at a commit, to the byte."""
    return on.lab.repository.git.run("show", f"{commit}:{file}").decode()


def tip(on: Stage, branch: str = "main") -> str:
    """The newest commit of a branch."""
    found = on.lab.repository.git.commit(branch)
    assert found is not None
    return found


def written(on: Stage) -> list[str]:
    """The requests by which something was to be written to Git or a pull request."""
    return [
        f"{one.method} {one.path}"
        for one in on.lab.github.requests
        if one.method != "GET" and "/statuses/" not in one.path and "/comments" not in one.path
    ]


@contextmanager
def bump_stage(folder: Path, recording: Json | None = None, **options: Any) -> Iterator[Stage]:
    """The stage with ``shop`` pinned to the old commit, and ``mode: bump``; the event is the push of the new one."""
    config = options.pop("config", None)
    with stage(folder, recording, config=bump_configuration() if config is None else config, **options) as on:
        put_pin(on, on.old)
        on.inputs["mode"] = "bump"
        yield on
