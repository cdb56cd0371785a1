"""Records what the real API server answers: `python -m tests.cluster.answers`, into tests/data/kubernetes/.

Each question is asked of a cluster that runs (`python -m tests.cluster.harness up`). The laboratory's
API server is asked the same questions by tests/lab and has to answer in the same shape.
"""

import http.client
import json
import ssl
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.cluster.harness import ARGOCD_NAMESPACE, Harness, Object, application, until, web_release
from tests.cluster.harness.kubernetes import ETCD, PKI
from tests.cluster.harness.settings import API_PORT, NODE_ADDRESS

NAMESPACE = "shapes"
FOLDER = Path(__file__).resolve().parent.parent / "data" / "kubernetes"
QUESTIONS = FOLDER / "questions.yaml"
ANSWERS = FOLDER / "answers.json"


class Asker:
    """Asks as the administrator, as the reader of docs/rbac-read-only.yaml, or with a token that nobody has."""

    def __init__(self, reader: Path) -> None:
        self._tls = {who: ssl.create_default_context(cafile=str(PKI / "ca.crt")) for who in ("admin", "other")}
        self._tls["admin"].load_cert_chain(str(PKI / "admin.crt"), str(PKI / "admin.key"))
        token = yaml.safe_load(reader.read_text())["users"][0]["user"]["token"]
        self._tokens = {"reader": token, "stranger": "no-such-token"}

    def ask(self, question: Mapping[str, Any], known: Mapping[str, str]) -> Object:
        """The answer: status, content type and body (JSON, a list of JSON lines, or text)."""
        who = question.get("as", "admin")
        headers = {"Accept": "application/json", **question.get("headers", {})}
        if who in self._tokens:
            headers["Authorization"] = f"Bearer {self._tokens[who]}"
        body = question.get("body")
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
            body = body if isinstance(body, str) else json.dumps(body)
        context = self._tls["admin" if who == "admin" else "other"]
        connection = http.client.HTTPSConnection(NODE_ADDRESS, API_PORT, timeout=30, context=context)
        try:
            connection.request(question.get("method", "GET"), question["path"].format(**known), body, headers)
            answer = connection.getresponse()
            return read(answer.status, answer.headers.get("Content-Type", ""), answer.read().decode())
        finally:
            connection.close()


def read(status: int, content: str, text: str) -> Object:
    """An answer as it is kept; without what says who wrote which field."""
    body: Any = text
    if content.startswith("application/json"):
        try:
            body = json.loads(text)
        except ValueError:
            body = [json.loads(line) for line in text.splitlines() if line.strip()]
    _trim(body)
    return {"status": status, "content-type": content, "body": body}


def _trim(value: Any) -> None:
    if isinstance(value, dict):
        if "managedFields" in value:
            del value["managedFields"]
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            _trim(one)


def _prepare(harness: Harness) -> None:
    harness.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    service, deployment = web_release("orders", "1.0.0", namespace=NAMESPACE)
    nobody, deaf = (json.loads(json.dumps(service)) for _ in range(2))
    nobody["metadata"]["name"], nobody["spec"]["selector"] = "nobody", {"app": "nobody"}
    deaf["metadata"]["name"], deaf["spec"]["ports"][0]["targetPort"] = "deaf", 9
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": NAMESPACE}}
    harness.apply(service, nobody, deaf, deployment, settings | {"data": {"colour": "blue"}})
    pinned = application("shapes", "git://127.0.0.1/none.git", "workloads", "0" * 40, destination=NAMESPACE)
    harness.apply(pinned)
    until(lambda: _compared(harness), 60, "the Application to be compared")
    for name in ("orders", "deaf"):
        until(lambda name=name: _ready(harness, name), 60, f"Service {name} to have an endpoint")  # type: ignore[misc]


def _compared(harness: Harness) -> bool:
    return "reconciledAt" in harness.get("Application", ARGOCD_NAMESPACE, "shapes").get("status", {})


def _ready(harness: Harness, service: str) -> bool:
    slices = harness.list("EndpointSlice", NAMESPACE, f"kubernetes.io/service-name={service}")
    return any(one["conditions"]["ready"] for body in slices for one in body.get("endpoints") or ())


def _forget_history(harness: Harness) -> None:
    """Let etcd forget the past, as the API server does every few minutes: who asks for it then gets a 410."""
    version = harness.api.call("GET", "/api/v1/configmaps", None, "")["metadata"]["resourceVersion"]
    place = ("nsenter", f"--net=/proc/{harness.processes.inside()}/ns/net")
    ask = "import sys, urllib.request; urllib.request.urlopen(sys.argv[1], sys.argv[2].encode())"
    arguments = (f"{ETCD}/v3/kv/compaction", json.dumps({"revision": version}))
    subprocess.run([*place, sys.executable, "-c", ask, *arguments], check=True)


def main() -> None:
    """Ask everything and write the answers down, in the order of the questions."""
    harness = Harness.attached()
    asker = Asker(harness.reader_kubeconfig())
    _prepare(harness)
    _forget_history(harness)
    answers: dict[str, Object] = {}
    known: dict[str, str] = {"namespace": NAMESPACE}
    try:
        for name, question in yaml.safe_load(QUESTIONS.read_text()).items():
            if "meanwhile" in question:
                threading.Timer(0.5, asker.ask, (question["meanwhile"], known)).start()
            answers[name] = asker.ask(question, known)
            for key, path in question.get("keep", {}).items():
                value: Any = answers[name]["body"]
                for part in path.split("."):
                    value = value[int(part) if part.isdigit() else part]
                known[key] = str(value)
            print(name, answers[name]["status"])
    finally:
        harness.delete("Application", ARGOCD_NAMESPACE, "shapes")
        harness.delete("Namespace", None, NAMESPACE)
    ANSWERS.write_text(json.dumps(answers, indent=1) + "\n")


if __name__ == "__main__":
    main()
