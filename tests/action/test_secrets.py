"""The runner is told of every secret before anything else could show it."""

import base64
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import situations
from tests.support.action import HEADER_SECRET, Stage, stage
from tests.support.bundles import Json, both, changed, recording
from tests.support.cluster import TOKEN
from tests.support.environments import configuration
from tests.support.runs import Ended
from tests.support.sampling import sampled

FORMS: dict[str, Callable[[Stage], str]] = {
    "path": lambda _: "kubeconfig",
    "content": lambda on: on.cluster.kubeconfig(),
    "base64": lambda on: base64.b64encode(on.cluster.kubeconfig().encode()).decode(),
}


@pytest.mark.parametrize("form", sampled(FORMS, ["content"]))
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


CANARY = "canary-in-the-cluster"
PROBE = f'Readiness probe failed: Get "http://user:{CANARY}@10.0.0.9:8080/ready?token={CANARY}": connection refused'


def _planted(poll: Json) -> None:
    """A secret wherever the cluster and the release hold what is nobody's business."""
    for app in both(poll):
        app["metadata"].setdefault("annotations", {})["notifications.argoproj.io/token"] = CANARY
        app["status"]["operationState"]["message"] = f"synced from https://bot:{CANARY}@git.example/shop?key={CANARY}"
    for one in poll["objects"]:
        one["metadata"].setdefault("annotations", {})["kubectl.kubernetes.io/last-applied-configuration"] = CANARY
        one["metadata"]["managedFields"] = [{"manager": CANARY}]
        if one["kind"] == "Event":
            one["message"] = PROBE
        if one["kind"] in ("Deployment", "ReplicaSet"):
            for container in one["spec"]["template"]["spec"]["containers"]:
                container["env"] = [{"name": "PASSWORD", "value": CANARY}]
    for answer in poll["responses"]:
        answer["headers"] = {**answer["headers"], "Set-Cookie": CANARY, "X-Echo": HEADER_SECRET}
        answer["body"] = answer["body"][:-1] + f', "seen": "{HEADER_SECRET}", "password": "{CANARY}"' + "}"


def _kept(on: Stage, ended: Ended) -> dict[str, str]:
    """Everything that a run leaves behind, by name."""
    [path] = on.evidence()
    files = {suffix: path.with_suffix(suffix).read_text() for suffix in (".json", ".html", ".predicate.json")}
    return {
        **files,
        "log": ended.log,
        "outputs": on.file("output"),
        "summary": on.file("summary"),
        "comments": "\n".join(on.comments()),
    }


@pytest.mark.parametrize("story", ["passed", "broken"])
def test_nothing_of_the_cluster_that_is_not_read_is_left_behind(story: str, tmp_path: Path) -> None:
    config = configuration()
    request = config["environments"]["staging"]["requests"][0]
    request |= {"headers": {"X-Key": "RELEASE_KEY"}, "path": f"/version?key={CANARY}"}
    raw = changed(recording() if story == "passed" else situations.broken(), _planted)
    with stage(tmp_path, raw, config=config) as on:
        on.more["RELEASE_KEY"] = HEADER_SECRET
        ended = on.run()
        assert ended.outputs["verdict"] == ("passed" if story == "passed" else "failed"), ended.log
        kept = _kept(on, ended)
    assert [name for name, text in kept.items() if CANARY in text] == []
    if story == "broken":
        assert "http://10.0.0.9:8080/ready?***" in kept[".json"], "the probe's message is there without its secrets"


@pytest.mark.exhaustive
def test_a_header_value_goes_to_the_release_and_nowhere_else(tmp_path: Path) -> None:
    """Also when the release sends it back: ``check_secrets`` looks everywhere after each run, this one or another."""
    config = configuration()
    for environment in config["environments"].values():
        environment["requests"][0]["headers"] = {"X-Key": "RELEASE_KEY"}
    made = recording()
    for moment in made["polls"]:
        for response in moment["responses"]:
            response["body"] = json.dumps({"release": HEADER_SECRET})
    with stage(tmp_path, made, config=config) as on:
        on.more["RELEASE_KEY"] = HEADER_SECRET
        ended = on.run(timeout="3s")
        assert ended.code == 1, ended.log
        proxied = [asked for asked in on.cluster.asked if "/proxy/" in asked.target]
        assert {asked.headers["x-key"] for asked in proxied} == {HEADER_SECRET}
