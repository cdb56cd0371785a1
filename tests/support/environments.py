"""The environment repository of the action tests: its configuration and the manifest with the pin."""

import copy
from typing import Any

import yaml

from tests.support import bundles
from tests.support.bundles import Json
from tests.support.github import NAME

SERVER = "https://github.example"
PIN = "apps/shop.yaml"


def configuration(**changes: Any) -> Json:
    """The configuration of two environments: ``staging`` is what was pushed, ``production`` has its pin in a file."""
    raw = copy.deepcopy(bundles.config())
    staging = raw["environments"]["staging"]
    staging["policy"] = {"settle": "1s"}
    staging["timeout"] = "12s"
    staging |= changes
    production = copy.deepcopy(staging)
    production["applications"] = [{"name": "shop", "pin": {"file": PIN}}]
    raw["environments"]["production"] = production
    return raw


def manifest(commit: str) -> str:
    """The manifest in which the pin stands."""
    source = {"repoURL": f"{SERVER}/{NAME}.git", "targetRevision": commit, "path": "apps/shop"}
    return yaml.safe_dump({"kind": "Application", "metadata": {"name": "shop"}, "spec": {"source": source}})
