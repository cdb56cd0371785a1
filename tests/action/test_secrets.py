"""The runner is told of every secret before anything else could show it."""

import base64
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.action import HEADER_SECRET, Stage, stage
from tests.support.cluster import TOKEN
from tests.support.environments import configuration

FORMS: dict[str, Callable[[Stage], str]] = {
    "path": lambda _: "kubeconfig",
    "content": lambda on: on.cluster.kubeconfig(),
    "base64": lambda on: base64.b64encode(on.cluster.kubeconfig().encode()).decode(),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_secret_is_hidden_from_the_log(form: str, tmp_path: Path) -> None:
    config = configuration()
    config["environments"]["staging"]["requests"][0]["headers"] = {"X-Key": "RELEASE_KEY"}
    with stage(tmp_path, config=config) as on:
        on.more["RELEASE_KEY"] = HEADER_SECRET
        on.inputs["kubeconfig"] = FORMS[form](on)
        ended = on.run()
        assert ended.code == 0, ended.log
        hidden = [one.message for one in ended.commands if one.name == "add-mask"]
        assert {on.lab.github.token, TOKEN, HEADER_SECRET} <= set(hidden)
        assert ended.outputs["verdict"] == "passed"
        assert not any(one in ended.outputs["result"] for one in hidden)
