"""From the start of the process to its first API request, against importing the five named packages."""

import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks.machine import NAMED
from tests.benchmarks.processes import GATE, Running, importing
from tests.benchmarks.results import Part, spread
from tests.support import bundles
from tests.support.action import stage
from tests.support.clones import commit, new_clone
from tests.support.environments import configuration

LIMIT = 60


class FirstRequest:
    """A port on loopback that notes when the first request arrives, and answers nothing."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.at: float | None = None
        self.arrived = threading.Event()
        threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        try:
            connection, _ = self._socket.accept()
            with connection:
                if connection.recv(1):
                    self.at = time.time()
                    self.arrived.set()
                    connection.recv(65536)
                    time.sleep(0.5)
        except OSError:
            return

    def close(self) -> None:
        """Close the port."""
        self._socket.close()


def _seconds(start: Callable[[str], Running]) -> float:
    server = FirstRequest()
    running = start(server.url)
    try:
        if not server.arrived.wait(LIMIT) or server.at is None:
            raise AssertionError("no request came:\n" + "\n".join(line.text for line in running.lines))
        return server.at - running.began
    finally:
        running.process.kill()
        running.end()
        server.close()


@contextmanager
def _laptop(folder: Path) -> Iterator[Callable[[str], Running]]:
    """`gate check --no-publish` with a kubeconfig and a clone."""
    import yaml

    clone = new_clone(folder)
    text = yaml.safe_dump(configuration())
    sha = commit(clone, "Release", promotion_gate_yaml=text)
    (clone / "promotion-gate.yaml").write_text(text)
    kubeconfig = folder / "kubeconfig"

    def start(url: str) -> Running:
        user = {"name": "u", "user": {"token": "of-nothing"}}
        context = {"name": "staging", "context": {"cluster": "c", "user": "u"}}
        cluster = {"name": "c", "cluster": {"server": url}}
        body = {"clusters": [cluster], "users": [user], "contexts": [context], "current-context": "staging"}
        kubeconfig.write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "Config", **body}))
        options = ["--no-publish", "-e", "staging", "--repo", str(clone), "--revision", sha]
        evidence = ["--evidence", str(folder / "evidence")]
        return Running.start([*GATE, "check", *options, "--kubeconfig", str(kubeconfig), *evidence], cwd=clone)

    yield start


@contextmanager
def _action(folder: Path) -> Iterator[Callable[[str], Running]]:
    """The action, started as the runner starts it; its first request is GitHub's."""
    with stage(folder, bundles.recording()) as scene:
        scene.start().end()  # makes the files that the runner would have made

        def start(url: str) -> Running:
            environment = scene.environment() | {"GITHUB_API_URL": url}
            return Running.start(GATE, cwd=scene.workspace, environment=environment)

        yield start


def measure(repeats: int = 7) -> Part:
    """The part."""
    part = Part(
        "start",
        "Start",
        "From starting the process to the first byte of its first API request at a server on loopback, and, right "
        "before each, importing PyGithub, kubernetes.aio, httpx, tenacity and pydantic in a fresh interpreter (its own "
        "start not counted). The ratio is the median of the ratios of the pairs.",
    )
    forms = {"`gate check --no-publish` (Kubernetes first)": _laptop, "the action (GitHub first)": _action}
    for words, form in forms.items():
        with tempfile.TemporaryDirectory() as name, form(Path(name)) as start:
            _seconds(start)
            pairs = [(importing(list(NAMED.values())), _seconds(start)) for _ in range(repeats)]
        part.add(f"importing the five, beside {words}", "", spread([pair[0] for pair in pairs]))
        part.add(f"start to first request, {words}", "", spread([pair[1] for pair in pairs]))
        ratio = statistics.median(took / imports for imports, took in pairs)
        part.add(f"ratio, {words}", "at most 1", f"{ratio:.2f}", ratio <= 1)
    return part
