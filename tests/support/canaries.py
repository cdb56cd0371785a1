"""Values that must show nowhere, planted wherever a run is given or reads one, and the search for them.

``GIVEN`` are secrets that the gate is given, or learns, by name: nobody may say them to it and be quoted.
``READ`` stand where clusters and releases keep what is nobody's business: the gate must not pass them on.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import yaml

from gate.lab.github.identity import GITHUB_ACTIONS
from tests.support.action import Stage
from tests.support.bundles import Json, both, changed
from tests.support.cluster import TOKEN
from tests.support.environments import SERVER, configuration
from tests.support.github import NAME
from tests.support.raw_application import REPOSITORY
from tests.support.runner_environment import FILES
from tests.support.runs import Ended

BRANCH = "gate-evidence"
_MARK = "cnry-"
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{12,}")
_NAME = re.compile(rf"{_MARK}([a-z]+)")


def canary(name: str) -> str:
    """A secret of this name, with characters that encodings change."""
    return f"{_MARK}{name}-7f3a91c4/+&=q"


GIVEN = {
    "INPUT_GITHUB-TOKEN": canary("github"),
    "RELEASE_KEY": canary("header"),
    "RELEASE_CALLER": canary("auth"),
    "GITHUB_TOKEN": canary("variable"),
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN": canary("oidc"),
    "ACTIONS_RUNTIME_TOKEN": canary("runtime"),
    "AWS_SECRET_ACCESS_KEY": canary("aws"),
}
PROXY = f"{_MARK}proxy-7f3a91c4"
CLUSTER = canary("cluster")
KEY = canary("clientkey")
SPOKEN = (*GIVEN.values(), PROXY, CLUSTER)
BY_NAME = tuple(value for name, value in GIVEN.items() if name != "RELEASE_CALLER")
"""Those that are told by the name of their variable; that of the other one stands in the configuration."""


def variables() -> dict[str, str]:
    """The secrets of the environment."""
    proxy = f"http://somebody:{PROXY}@127.0.0.1:9"
    debug = {"RUNNER_DEBUG": "1", "ACTIONS_STEP_DEBUG": "true", "ACTIONS_RUNNER_DEBUG": "true", "GATE_DEBUG": "1"}
    given = {name: value for name, value in GIVEN.items() if not name.startswith("INPUT_")}
    return {**given, **debug, "HTTPS_PROXY": proxy, "NO_PROXY": "localhost"}


def said(secrets: Iterable[str] = SPOKEN) -> str:
    """Words from outside that repeat secrets, in whatever way they come to be written."""
    forms = []
    for secret in secrets:
        basic = base64.b64encode(f"somebody:{secret}".encode()).decode()
        forms += [
            secret,
            quote(secret, safe=""),
            json.dumps({"x": secret}),
            f"Basic {basic}",
            secret.replace("&", "&amp;"),
        ]
    return f"denied for {' and '.join(forms)}"


TOLD = (
    f'Get "http://user:{_MARK}user@10.0.0.9:8080/ready?token={_MARK}query": connection refused; '
    f"--password={_MARK}password --api-key {_MARK}flag Authorization: Bearer {_MARK}bearer-1 "
    f'{{"client_secret": "{_MARK}json"}} Set-Cookie: session={_MARK}cookie; '
    "eyJhbGciOiJub25lIn0.Y25yeS1qd3QtMTIzNA.c2ln"
)
"""A message of a cluster in which secrets stand as they do in life; the last one is a token (``cnry-jwt``)."""


def plant(poll: Json) -> None:
    """A secret wherever the cluster and the release hold what is nobody's business, and those of the run aloud."""
    for app in both(poll):
        notes = app["metadata"].setdefault("annotations", {})
        notes |= {"notifications.argoproj.io/token": f"{_MARK}annotation"}
        app["status"]["operationState"]["message"] = f"{said()}. {TOLD}"
        for state in (app["spec"], app["status"]["sync"]["comparedTo"], app["status"]["operationState"]["syncResult"]):
            helm = {"values": f"password: {_MARK}values", "parameters": [{"name": "p", "value": f"{_MARK}parameter"}]}
            state["source"]["helm"] = helm
        operation = app["status"]["operationState"]["operation"]
        operation["info"] = [{"name": "Reason", "value": f"{_MARK}info https://a:{_MARK}info@b.example"}]
    for one in poll["objects"]:
        _plant_in(one)
    for answer in poll["responses"]:
        answer["headers"] = {
            **answer["headers"],
            "Set-Cookie": f"{_MARK}cookie",
            "Location": f"http://x/?{_MARK}location",
        }
        body = {**json.loads(answer["body"]), "echo": said(), "password": f"{_MARK}body"}
        answer["body"] = json.dumps(body)


def _plant_in(one: Json) -> None:
    applied = {"kubectl.kubernetes.io/last-applied-configuration": f"{_MARK}applied"}
    one["metadata"]["annotations"] = {**one["metadata"].get("annotations", {}), **applied}
    one["metadata"]["managedFields"] = [{"manager": f"{_MARK}managed"}]
    if one["kind"] == "Event":
        one["message"] = f"{said()}. {TOLD}"
    template = one["spec"].get("template") if isinstance(one.get("spec"), dict) else None
    for container in [] if template is None else template["spec"]["containers"]:
        container |= {"env": [{"name": "PASSWORD", "value": f"{_MARK}env"}], "args": [f"--key={_MARK}args"]}
    for condition in one.get("status", {}).get("conditions", []):
        condition["message"] = f"{condition.get('message', '')} {said()} {TOLD}"


def planted(raw: Json) -> Json:
    """A recording with everything planted; its repository's address holds a password."""
    text = json.dumps(changed(raw, plant)).replace(
        REPOSITORY, f"{SERVER.replace('://', f'://bot:{_MARK}repo@')}/{NAME}.git"
    )
    made: Json = json.loads(text)
    return made


def asking(**changes: Any) -> Json:
    """A configuration whose request has secret headers and a query."""
    raw = configuration(**changes)
    request = raw["environments"]["staging"]["requests"][0]
    request |= {"headers": {"X-Key": "RELEASE_KEY", "X-Auth": "RELEASE_CALLER"}, "path": f"/version?key={_MARK}path"}
    return raw


def takes(header: str) -> bool:
    """Which credentials the cluster takes."""
    return header in (f"Bearer {CLUSTER}", f"Bearer {TOKEN}")


def kubeconfig(on: Stage) -> str:
    """The stage's kubeconfig with a token, a password and a key that are canaries."""
    made = yaml.safe_load(on.cluster.kubeconfig())
    made["users"][0]["user"] = {"token": CLUSTER}
    made["users"].append({"name": "other", "user": {"client-key-data": base64.b64encode(KEY.encode()).decode()}})
    return yaml.safe_dump(made)


def give(on: Stage) -> None:
    """Give the run its secrets."""
    on.lab.github.add_token(GIVEN["INPUT_GITHUB-TOKEN"], GITHUB_ACTIONS)
    on.inputs["github-token"] = GIVEN["INPUT_GITHUB-TOKEN"]
    on.inputs["kubeconfig"] = kubeconfig(on)
    on.more |= variables()


def found_in(text: str) -> set[str]:
    """The names of the canaries that show in a text: bare, cut off, over several lines, in base64."""
    bare = re.sub(r"[\s\u200b]+", "", text)
    return {name for part in (text, bare, *_decoded(text), *_decoded(bare)) for name in _NAME.findall(part)}


def _decoded(text: str) -> Iterator[str]:
    for run in _BASE64.findall(text):
        data = run.replace("-", "+").replace("_", "/")
        for begin in range(4):
            part = data[begin:]
            yield base64.b64decode(part[: len(part) // 4 * 4]).decode("latin-1")


@dataclass(frozen=True)
class Sinks:
    """Everything that a run leaves behind, by name."""

    texts: dict[str, str]

    @property
    def found(self) -> dict[str, set[str]]:
        """What shows, and where: nothing."""
        return {name: found for name, text in self.texts.items() if (found := found_in(text))}


def printed(ended: Ended) -> dict[str, str]:
    """Both streams, without the commands that have the runner hide a secret."""
    lines = [line for line in ended.stdout.splitlines() if not line.startswith("::add-mask::")]
    return {"stdout": "\n".join(lines), "stderr": ended.stderr}


def sinks(on: Stage, ended: Ended, *, but: Iterable[str] = ()) -> Sinks:
    """What is left by a run of the action; files ``but`` these in the workspace were put there by the test."""
    ours = {"kubeconfig", *but}
    files = {
        path.name: path.read_text() for path in on.workspace.rglob("*") if path.is_file() and path.name not in ours
    }
    texts = {**printed(ended), **files, **{name: on.file(name) for name in FILES}}
    texts["github"] = json.dumps(on.lab.github.state())
    if on.lab.repository.git.commit(BRANCH) is not None:
        git = on.lab.repository.git
        texts["branch log"] = git.text("log", "--format=%an %ae %B", BRANCH)
        for path in git.text("ls-tree", "-r", "--name-only", BRANCH).splitlines():
            texts[f"branch {path}"] = git.run("show", f"{BRANCH}:{path}").decode()
    return Sinks(texts)
