"""The laboratory as the player and the harness hold it: hands from another thread, faults told, nothing left."""

import asyncio
import socket
import threading
from pathlib import Path

import pytest

from gate.errors import InternalError, UsageError
from gate.lab.cluster.store import NotFound, Object
from gate.lab.loopback import bind
from gate.lab.repository import EnvironmentRepository
from gate.lab.world import Laboratory

SETTINGS: Object = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "argocd"}}


def _fault(error: BaseException | None) -> str:
    """The text of the fault behind an error."""
    while error is not None and not isinstance(error, BaseExceptionGroup):
        error = error.__cause__
    return "" if error is None else str(error.exceptions[0])


def test_hands_on_another_thread_change_what_is_there(tmp_path: Path) -> None:
    with Laboratory(tmp_path) as lab:
        lab.apply({**SETTINGS, "data": {"colour": "green"}})
        lab.patch("ConfigMap", "argocd", "settings", {"data": {"colour": "blue"}})
        assert lab.get("ConfigMap", "argocd", "settings")["data"] == {"colour": "blue"}
        lab.delete("ConfigMap", "argocd", "settings")
        with pytest.raises(NotFound):
            lab.get("ConfigMap", "argocd", "settings")


def test_what_is_waited_for_comes_with_the_write_or_not_at_all(tmp_path: Path) -> None:
    with Laboratory(tmp_path) as lab:

        def is_there() -> bool:
            return lab.store.find("ConfigMap", "argocd", "settings") is not None

        async def both() -> None:
            waiting = asyncio.create_task(lab.until(is_there, 20, "the settings"))
            await asyncio.sleep(0)
            assert not waiting.done()
            await asyncio.to_thread(lab.apply, SETTINGS)
            await waiting

        asyncio.run(both())
        with pytest.raises(InternalError, match=r"waited 0.01 s for nothing"):
            asyncio.run(lab.until(lambda: False, 0.01, "nothing"))


def test_nothing_is_left_of_it(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    with Laboratory(tmp_path) as lab:
        ports = [int(url.rpartition(":")[2]) for url in (lab.server.url, lab.ingress.server.url)]
        for port in ports:
            socket.create_connection(("127.0.0.1", port)).close()
    assert set(threading.enumerate()) == before
    for port in ports:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))


def test_an_error_of_the_caller_is_not_hidden(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="mine"), Laboratory(tmp_path):
        raise KeyError("mine")


def test_a_part_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = Laboratory(tmp_path)
    fail = threading.Event()

    async def run() -> None:
        await asyncio.to_thread(fail.wait)
        raise ValueError("the model is wrong")

    monkeypatch.setattr(lab.argocd, "run", run)
    with pytest.raises(InternalError) as caught, lab:  # noqa: PT012 - it may be told at the end
        lab.apply(SETTINGS)
        fail.set()
        asyncio.run(lab.failing())
    assert _fault(caught.value) == "the model is wrong"
    with pytest.raises(InternalError):
        lab.apply(SETTINGS)


def test_a_part_that_fails_at_once_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = Laboratory(tmp_path)

    async def run() -> None:
        raise ValueError("the model is wrong")

    monkeypatch.setattr(lab.argocd, "run", run)
    with pytest.raises(InternalError) as caught, lab:
        asyncio.run(lab.failing())
    assert _fault(caught.value) == "the model is wrong"


def test_the_account_of_the_kubeconfig_may_not_write(tmp_path: Path) -> None:
    with Laboratory(tmp_path) as lab:
        assert lab.token not in lab.kubeconfig.read_text()
        assert lab.server.accounts.reader.token in lab.kubeconfig.read_text()
        assert lab.kubeconfig.stat().st_mode & 0o077 == 0


def test_the_ports_follow_the_one_that_was_given(tmp_path: Path) -> None:
    with bind(0) as free:
        port = free.getsockname()[1]
        with pytest.raises(UsageError, match=f"Port {port} of 127.0.0.1"):
            Laboratory(tmp_path, port=port)
    with Laboratory(tmp_path, port=port) as lab:
        assert (lab.server.url, lab.ports.github) == (f"http://127.0.0.1:{port}", port + 1)
        assert lab.ingress.server.url == f"http://127.0.0.1:{port + 2}"


def test_equal_changes_in_two_laboratories_are_two_commits(tmp_path: Path) -> None:
    """So that their evidence has files of its own, also where both write into one folder."""
    made = [EnvironmentRepository(tmp_path / name / "bare", tmp_path / name / "clone", "git://x/y") for name in "ab"]
    shas = [one.commit({"a": "b"}, "The same", push=False) for one in made]
    assert shas[0] != shas[1]
    assert made[0].tree(shas[0]) == made[1].tree(shas[1])
