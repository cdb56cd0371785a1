"""What the harness ends is gone: also after a kill -9, and when it is broken off half way."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .harness import ClusterError, Harness, lifecycle, until, web_release
from .harness.namespaces import KERNEL_SETTINGS
from .harness.processes import Processes, children
from .harness.settings import CHECKOUT, HOST_LINK, STATE

pytestmark = pytest.mark.cluster

COMMAND = [sys.executable, "-m", "tests.cluster.harness"]
USUAL = ("/var/lib/kubelet", "/var/lib/cni", "/run/containerd", "/var/log/containers", str(STATE))
FOLDERS = [folder for folder in USUAL if not Path(folder).exists()]
"""What this machine did not have before the cluster was started."""


@pytest.fixture(scope="module")
def ended(harness: Harness) -> Iterator[Harness]:
    """The harness of the session, whose cluster these tests end; afterwards it runs again."""
    if harness.keep:
        pytest.skip("PROMOTION_GATE_CLUSTER_KEEP=1: the cluster is not this session's to end")
    yield harness
    harness.__enter__()


@pytest.fixture
def traces(ended: Harness) -> Callable[[], list[str]]:
    """What is left on the machine, also seen without the harness's help."""
    lifecycle.down(ended.progress)
    settings = kernel_settings()

    def left() -> list[str]:
        changed = [name for name, value in kernel_settings().items() if value != settings[name]]
        return [*lifecycle.leftovers(), *changed, *visible()]

    assert left() == []
    return left


def kernel_settings() -> dict[str, str]:
    """The settings of the whole machine that a kubelet would change."""
    return {name: Path("/proc/sys", name).read_text() for name in KERNEL_SETTINGS}


def visible() -> list[str]:
    """Processes, mounts, links, routes, cgroups and folders of a cluster."""
    mounts = Path("/proc/self/mounts").read_text()
    found = [line for line in mounts.splitlines() if str(STATE) in line]
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if str(STATE) in command:
            found.append(command)
    links = subprocess.run(["ip", "route"], check=True, capture_output=True, text=True).stdout
    found += [line for line in links.splitlines() if HOST_LINK in line]
    found += [folder for folder in FOLDERS if Path(folder).exists()]
    cgroups = (*Path("/sys/fs/cgroup").glob("*"), *Path("/sys/fs/cgroup").glob("*/*"))
    return found + [str(path) for path in cgroups if "promotion-gate" in path.name]


def a_pod_runs(harness: Harness) -> None:
    """Start the cluster and something in it."""
    harness.__enter__()
    namespace = harness.namespace()
    harness.apply(*web_release("web", "r1", namespace=namespace))
    until(lambda: harness.answer(namespace, "web").status == 200, 60, "a running pod")


def test_down_leaves_nothing(ended: Harness, traces: Callable[[], list[str]]) -> None:
    a_pod_runs(ended)
    lifecycle.down(ended.progress)
    assert traces() == []


def test_down_after_kill_9_of_everything_leaves_nothing(ended: Harness, traces: Callable[[], list[str]]) -> None:
    a_pod_runs(ended)
    for outer in Processes(STATE).marks().values():
        for process in (*children(outer.pid), outer):
            process.end()
    lifecycle.down(ended.progress)
    assert traces() == []


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("step", ["certificates", "etcd answers", "kinds are served"])
def test_up_is_broken_off(how: signal.Signals, step: str, traces: Callable[[], list[str]]) -> None:
    command = [*COMMAND, "up"]
    with subprocess.Popen(command, cwd=CHECKOUT, stderr=subprocess.PIPE, text=True) as up:
        assert up.stderr is not None
        for line in up.stderr:
            if step in line:
                break
        up.send_signal(how)
        up.stderr.read()
        code = up.wait(timeout=60)
    if how == signal.SIGKILL:
        assert code == -signal.SIGKILL
        subprocess.run([*COMMAND, "down"], cwd=CHECKOUT, check=True)
    else:
        assert code == 130
    assert traces() == []


def test_a_cluster_in_use_is_not_replaced(ended: Harness, traces: Callable[[], list[str]]) -> None:
    ended.__enter__()
    up = subprocess.run([*COMMAND, "up"], cwd=CHECKOUT, check=False, capture_output=True, text=True)
    assert up.returncode == 1
    assert f"process {os.getpid()} is using the cluster" in up.stderr
    assert lifecycle.running() is not None


def test_down_without_the_records_of_the_processes(ended: Harness, traces: Callable[[], list[str]]) -> None:
    ended.__enter__()
    shutil.rmtree(STATE / "processes")
    with pytest.raises(ClusterError, match="not running"):
        ended.processes.inside()
    lifecycle.down(ended.progress)
    assert traces() == []
