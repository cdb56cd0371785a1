"""The laboratory's API server answers as the real one (1.34) did: tests/data/kubernetes, by tests.cluster.answers."""

import asyncio
import copy
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from gate.lab.applications import application
from gate.lab.cluster.apply import apply, create
from gate.lab.cluster.server import ClusterServer
from gate.lab.cluster.store import Object
from gate.lab.cluster.web import Answer
from gate.lab.manifests import web_release
from tests.support.lab_cluster import endpoint_slice, lab_server, send, watched
from tests.support.loopback import asynchronous

FOLDER = Path(__file__).resolve().parent.parent / "data" / "kubernetes"
QUESTIONS: dict[str, Object] = yaml.safe_load((FOLDER / "questions.yaml").read_text())
ANSWERS: dict[str, Object] = json.loads((FOLDER / "answers.json").read_text())
PLACE = "shapes"


def _answer_of(pod: Object, _method: str, path: str) -> Answer:
    """As the web program of the releases; it listens on 8080 only."""
    if path != "/version":
        return Answer(404, {"Content-Type": "text/plain; charset=utf-8"}, b"404 page not found\n")
    text = json.dumps({"release": "1.0.0", "pod": pod["metadata"]["name"]})
    return Answer(200, {"Content-Type": "application/json"}, text.encode())


def _prepare(server: ClusterServer) -> None:
    """The objects that the recording found, those of the controllers taken from it."""
    store = server.store
    for name in (PLACE, "argocd"):
        create(store, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    service, deployment = web_release("orders", "1.0.0", namespace=PLACE)
    nobody, deaf = copy.deepcopy(service), copy.deepcopy(service)
    nobody["metadata"]["name"], nobody["spec"]["selector"] = "nobody", {"app": "nobody"}
    deaf["metadata"]["name"], deaf["spec"]["ports"][0]["targetPort"] = "deaf", 9
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": PLACE}}
    pinned = application("shapes", "git://127.0.0.1/none.git", "workloads", "0" * 40, destination=PLACE)
    for body in (service, nobody, deaf, deployment, settings | {"data": {"colour": "blue"}}, pinned):
        apply(store, body)
    store.change("Deployment", PLACE, "orders", _as_recorded("get"))
    store.change("Application", "argocd", "shapes", _as_recorded("get-application"))
    pod = store.create({"apiVersion": "v1", "kind": "Pod", **ANSWERS["list-pods"]["body"]["items"][0]})
    store.create(endpoint_slice("orders", PLACE, [pod]))
    store.create(endpoint_slice("deaf", PLACE, [pod], port=9))
    store.create(endpoint_slice("nobody", PLACE, []))
    store.forget_changes()


def _as_recorded(name: str) -> Callable[[Object], None]:
    """Gives an object the status and the annotations that the real one had."""
    real = ANSWERS[name]["body"]

    def change(body: Object) -> None:
        body["status"] = real["status"]
        if "annotations" in real["metadata"]:
            body["metadata"]["annotations"] = real["metadata"]["annotations"]

    return change


async def _ask(server: ClusterServer, question: Object, known: dict[str, str]) -> Object:
    accounts = server.accounts
    tokens = {"admin": accounts.admin.token, "reader": accounts.reader.token, "stranger": "no-such-token"}
    body = question.get("body")
    data = None if body is None else (body if isinstance(body, str) else json.dumps(body)).encode()
    headers = {"Content-Type": "application/json", **question.get("headers", {})}
    path = question["path"].format(**known).replace("timeoutSeconds=1", "timeoutSeconds=0.1")  # saves waiting
    token = tokens[question.get("as", "admin")]
    method = question.get("method", "GET")
    status, answered, text = await send(server, method, path, data, headers, token)
    return {"status": status, "content-type": answered.get("content-type"), "body": _read(answered, text.decode())}


def _read(headers: dict[str, str], text: str) -> Any:
    if not headers.get("content-type", "").startswith("application/json"):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines()]


async def _all_answers(server: ClusterServer) -> dict[str, Object]:
    known = {"namespace": PLACE}
    answers = {}
    for name, question in QUESTIONS.items():
        asking = asyncio.create_task(_ask(server, question, known))
        if "meanwhile" in question:
            await watched(server)
            await _ask(server, question["meanwhile"], known)
        answers[name] = await asking
        for key, path in question.get("keep", {}).items():
            value = answers[name]["body"]
            for part in path.split("."):
                value = value[int(part) if part.isdigit() else part]
            known[key] = str(value)
    return answers


_VARIABLE = (
    (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UID"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME"),
    (r"^[\d.]+:\d{4,5}$", "SERVER"),
    (r"\b\d+\.\d+\.\d+\.\d+\b", "ADDRESS"),
    (r"(too old resource version): \d+ \(\d+\)", r"\1"),
    (r"(json parse error|continue key is not valid): .*", r"\1"),
)
"""What is another in every cluster; after the colon of the last, the words of a JSON parser."""
_FREE = ("resourceVersion", "continue")
_SUBSETS = ("resources", "groups")
_OWN = ("storageVersionHash", "gitCommit", "goVersion", "compiler", "platform", "buildDate")


def _differences(ours: Any, real: Any, place: str = "") -> Iterator[str]:
    """Where two answers differ in keys, types or words."""
    if isinstance(ours, dict) and isinstance(real, dict):
        for name in sorted((ours.keys() | real.keys()) - set(_OWN)):
            if name not in ours or name not in real:
                yield f"{place}.{name}: only {'the real one' if name in real else 'ours'} has it"
            else:
                yield from _differences_of_field(name, ours[name], real[name], f"{place}.{name}")
    elif isinstance(ours, list) and isinstance(real, list):
        ours, real = _bookmarked_once(ours), _bookmarked_once(real)
        if len(ours) != len(real):
            yield f"{place}: {len(ours)} items instead of {len(real)}"
        for number, (one, other) in enumerate(zip(ours, real, strict=False)):
            yield from _differences(one, other, f"{place}[{number}]")
    elif (type(ours), _normal(ours)) != (type(real), _normal(real)):
        yield f"{place}: {ours!r} instead of {real!r}"


def _bookmarked_once(items: list[Any]) -> list[Any]:
    """Without bookmarks behind another: how many come is left to the server."""
    marks = [isinstance(one, dict) and one.get("type") == "BOOKMARK" for one in items]
    return [one for number, one in enumerate(items) if not (marks[number] and number > 0 and marks[number - 1])]


def _differences_of_field(name: str, ours: Any, real: Any, place: str) -> Iterator[str]:
    if name in _SUBSETS:
        yield from _differences_of_subset(ours, real, place)
    elif name == "verbs":
        if not set(ours) <= set(real):
            yield f"{place}: {ours} are not among {real}"
    elif name not in _FREE or type(ours) is not type(real):
        yield from _differences(ours, real, place)


def _differences_of_subset(ours: list[Object], real: list[Object], place: str) -> Iterator[str]:
    """The laboratory serves fewer kinds; those that it serves are described alike."""
    known = {one["name"]: one for one in real}
    for one in ours:
        yield from _differences(one, known.get(one["name"]), f"{place}.{one['name']}")


def _normal(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    for pattern, name in _VARIABLE:
        value = re.sub(pattern, name, value)
    return value


@pytest.mark.exhaustive
@asynchronous
async def test_every_question_is_answered_as_by_the_real_api_server() -> None:
    async with lab_server(_answer_of) as server:
        _prepare(server)
        answers = await _all_answers(server)
    assert answers.keys() == ANSWERS.keys()
    different = [f"{name}{one}" for name, answer in answers.items() for one in _differences(answer, ANSWERS[name])]
    assert different == []


def test_a_difference_is_seen() -> None:
    real = {"a": {"b": 1, "metadata": {"resourceVersion": "3"}}, "items": [{"x": "y"}]}
    assert list(_differences(real, copy.deepcopy(real))) == []
    assert list(_differences({"a": real["a"]}, real)) == [".items: only the real one has it"]
    assert list(_differences({**real, "items": [{"x": "z"}]}, real)) == [".items[0].x: 'z' instead of 'y'"]
    assert list(_differences({**real, "items": []}, real)) == [".items: 0 items instead of 1"]
    changed = {**real, "a": {"b": True, "metadata": {"resourceVersion": 3}}}
    assert list(_differences(changed, real)) == [
        ".a.b: True instead of 1",
        ".a.metadata.resourceVersion: 3 instead of '3'",
    ]
    newer = {**real, "a": {"b": 1, "metadata": {"resourceVersion": "4"}}}
    assert list(_differences(newer, real)) == []
