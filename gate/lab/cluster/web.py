"""What the test releases' web program does and answers, as its container's environment says.

RELEASE  the release: /version answers {"release": RELEASE, "pod": HOSTNAME}
ANSWER   name this release instead (a wrong image behind a right tag)
STATUS   answer /version with this status code instead of 200
EXIT     end at once with this exit code
AFTER    seconds to wait before EXIT
LINGER   seconds to go on serving after SIGTERM
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from gate.lab.cluster.store import Object
from gate.lab.manifests import PORT

_TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True)
class Answer:
    """An HTTP response; of the headers those that the program sets."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Program:
    """A run of it. ``exit_code`` is that with which it ends after ``after`` seconds; None: it serves."""

    release: str = ""
    status: int = 200
    exit_code: int | None = None
    after: int = 0
    linger: int = 0

    @classmethod
    def of(cls, container: Object) -> "Program":
        """The program of a container of a Pod's spec; a number that is none ends it with 1, at once."""
        given = {one["name"]: str(one.get("value", "")) for one in container.get("env", ())}
        try:
            numbers = {name: int(given[name]) for name in ("STATUS", "EXIT", "AFTER", "LINGER") if name in given}
        except ValueError:
            return cls(exit_code=1)
        exit_code = numbers.get("EXIT", -1)
        return cls(
            given.get("ANSWER", given.get("RELEASE", "")),
            numbers.get("STATUS", 200),
            exit_code if exit_code >= 0 else None,
            numbers.get("AFTER", 0) if exit_code >= 0 else 0,
            numbers.get("LINGER", 0),
        )


def answer_of(pod: Object, method: str, path: str, port: int = PORT) -> Answer | None:
    """What a Pod answers to a request for a path, with or without a query; None: nobody listens on the port."""
    running = {
        one["name"] for one in pod.get("status", {}).get("containerStatuses", ()) if "running" in one.get("state", {})
    }
    for container in pod["spec"]["containers"]:
        program = Program.of(container)
        if container["name"] in running and port == PORT and program.exit_code is None:
            hostname = str(pod["spec"].get("hostname") or pod["metadata"]["name"])
            found = _answer(program, hostname, path.partition("?")[0])
            return Answer(found.status, found.headers, b"") if method == "HEAD" else found
    return None


def _answer(program: Program, hostname: str, path: str) -> Answer:
    if path == "/version":
        body = json.dumps({"pod": hostname, "release": program.release}, separators=(",", ":"), ensure_ascii=False)
        return Answer(program.status, {"Content-Type": "application/json"}, f"{body}\n".encode())
    if path == "/healthz":
        return Answer(HTTPStatus.OK, {"Content-Type": _TEXT}, b"ok\n")
    headers = {"Content-Type": _TEXT, "X-Content-Type-Options": "nosniff"}
    return Answer(HTTPStatus.NOT_FOUND, headers, b"404 page not found\n")
