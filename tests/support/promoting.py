"""An environment repository with one directory for each environment, and pull requests that promote in it."""

from __future__ import annotations

import copy
from typing import Any

import yaml

from gate.lab.github.objects import commit_tree, write_tree
from tests.support.action import Stage
from tests.support.bundles import Json
from tests.support.environments import configuration, manifest
from tests.support.github import PERSON

STAGING, PRODUCTION = "apps/staging/shop.yaml", "apps/production/shop.yaml"
CONFIG = "promotion-gate.yaml"
GATE = "gate/staging"


def layout(**staging: Any) -> Json:
    """The configuration: ``staging``, whose pin stands in a file, promotes to ``production``, whose pin does too."""
    raw = configuration()
    here, following = raw["environments"]["staging"], raw["environments"]["production"]
    here |= {"promotes-to": "production", "applications": [{"name": "shop", "pin": {"file": STAGING}}], **staging}
    following["applications"] = [{"name": "shop", "pin": {"file": PRODUCTION}}]
    return copy.deepcopy(raw)


def settle(on: Stage, **files: str | None) -> str:
    """Main as it is before the promotion: staging at the new release, production at the old one; its tip."""
    pins = {STAGING: manifest(on.commit), PRODUCTION: manifest(on.old)}
    tip = on.lab.repository.commit("main", pins | files, "Staging at 2.0.0")
    on.lab.github.require_status("main", GATE)
    return tip


def propose(on: Stage, files: dict[str, str | None], branch: str = "promote/next", base: str = "main") -> int:
    """A pull request with these files; its number. The event is about it."""
    tip = on.lab.repository.git.commit(base)
    assert tip is not None
    on.lab.repository.commit(branch, files, "Promote", parents=[tip])
    number = on.lab.github.open_pull(branch, base).number
    about(on, number)
    return number


def about(on: Stage, number: int, event: str = "pull_request") -> None:
    """The event is about this pull request; ``on.pull`` is its number, ``on.promotion`` its head."""
    on.pull, on.promotion = number, on.lab.github.pull(number).head_sha
    on.event, on.payload = event, on.lab.github.events().pull_request(number)


def state(on: Stage) -> str:
    """The latest status of the gate on the pull request's head; empty where there is none."""
    found = [said for said, context in on.statuses(on.promotion) if context == GATE]
    return found[-1] if found else ""


def branches(on: Stage) -> str:
    """One branch for each environment instead, and the pull request from ``env/staging`` into ``env/production``.

    The head of that pull request, which is the tip of ``env/staging``.
    """
    raw = layout(branch="env/staging")
    raw["environments"]["production"]["branch"] = "env/production"
    for one in raw["environments"].values():
        one["applications"] = [{"name": "shop", "pin": {"file": STAGING}}]
    text = yaml.safe_dump(raw)
    on.lab.repository.commit("main", {CONFIG: text}, "One branch for each environment")
    production = on.lab.repository.commit(
        "env/production", {STAGING: manifest(on.old), CONFIG: text}, "Production", parents=[on.old]
    )
    head = on.lab.repository.commit("env/staging", {STAGING: manifest(on.commit)}, "Staging", parents=[production])
    on.lab.github.require_status("env/production", GATE)
    on.pull, on.promotion = on.lab.github.open_pull("env/staging", "env/production").number, head
    return head


def link(on: Stage, branch: str, path: str, target: str, *, parent: str) -> str:
    """A commit on a branch that makes a path a symbolic link; its id."""
    git = on.lab.repository.git
    tree = write_tree(git, git.tree(parent), [{"path": path, "mode": "120000", "content": target}])
    sha = commit_tree(git, tree, [parent], "Link", PERSON)
    git.run("update-ref", f"refs/heads/{branch}", sha)
    return sha


def read_at(on: Stage, path: str) -> set[str]:
    """The refs at which a file was read."""
    asked = [one for one in on.lab.github.requests if one.path.endswith(f"/contents/{path}")]
    return {one.query["ref"] for one in asked}
