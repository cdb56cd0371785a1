"""The example workflow asks for what the action has, and for no more permissions than it needs."""

import re
from typing import Any

from ruamel.yaml import YAML

from tests.conftest import ROOT

TEXT = (ROOT / "docs" / "examples" / "bump.yaml").read_text(encoding="utf-8")


def _load(text: str) -> dict[str, Any]:
    loaded = YAML(typ="safe", pure=True).load(text)
    assert isinstance(loaded, dict)
    return loaded


ACTION = _load((ROOT / "action.yml").read_text(encoding="utf-8"))


def test_the_job_is_given_three_permissions_and_no_others() -> None:
    workflow = _load(TEXT)
    assert workflow["permissions"] == {}
    (job,) = workflow["jobs"].values()
    assert job["permissions"] == {"contents": "write", "statuses": "write", "pull-requests": "write"}
    assert job["concurrency"]["cancel-in-progress"] is False


def test_inputs_and_outputs_are_those_of_the_action() -> None:
    (job,) = _load(TEXT)["jobs"].values()
    (step,) = job["steps"]
    assert set(step["with"]) <= set(ACTION["inputs"])
    assert step["with"]["mode"] == "bump"
    assert set(re.findall(r"steps\.gate\.outputs\.([a-z-]+)", TEXT)) <= set(ACTION["outputs"])


def test_the_readme_asks_for_the_same() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"^```yaml\n(  bump:\n.*?)^```", readme, flags=re.MULTILINE | re.DOTALL)
    assert found is not None
    (job,) = _load(TEXT)["jobs"].values()
    (shown,) = _load(found[1]).values()
    assert shown["permissions"] == job["permissions"]
