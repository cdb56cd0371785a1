"""The namespaces of the cluster: network, mounts and processes of its own.

One process, the holder, is the first of a process namespace: when it ends, for
whatever reason, the kernel ends everything that was started inside, containers
too, and with the last of them the mounts, the network namespaces of the pods
and our end of the cable go away. Inside, /run and /var/log are empty, /var/lib
is a copy on write, and the settings of the machine that a kubelet would change
are private files: the machine outside does not change. There is no name server
either: a question to one is refused at once instead of unanswered for seconds.
"""

import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from .processes import Processes
from .settings import (
    HOST_ADDRESS,
    HOST_LINK,
    NODE_ADDRESS,
    POD_RANGE,
    SERVICE_RANGE,
    STATE,
    ClusterError,
)
from .waiting import until

KERNEL_SETTINGS = (
    "vm/overcommit_memory",
    "vm/panic_on_oom",
    "kernel/panic",
    "kernel/panic_on_oops",
    "kernel/keys/root_maxkeys",
    "kernel/keys/root_maxbytes",
)
"""What a kubelet sets for the whole machine."""

SETUP = f"""
set -e
mount -t tmpfs tmpfs /run
mkdir /run/upper /run/work /run/settings /run/netns
mount -t overlay overlay -o lowerdir=/var/lib,upperdir=/run/upper,workdir=/run/work /var/lib
mount -t tmpfs tmpfs /var/log
for name in {" ".join(KERNEL_SETTINGS)}; do
  [ -e /proc/sys/$name ] || continue
  private=/run/settings/$(echo $name | tr / _)
  cat /proc/sys/$name > $private
  mount --bind $private /proc/sys/$name
done
touch /run/resolv.conf
[ ! -e /etc/resolv.conf ] || mount --bind /run/resolv.conf /etc/resolv.conf
mount --make-rshared /
touch "$1"
trap '' CHLD
exec sleep infinity
"""

NETWORK_INSIDE = f"""
link set lo up
addr add {NODE_ADDRESS}/30 dev eth0
link set eth0 up
link add nowhere type bridge
link set nowhere up
route add default dev nowhere
"""
"""No way out: the default route ends in a bridge without ports. It must exist all the same,
for a packet to a service address is routed before that address is replaced by a pod's."""


def create(processes: Processes, environment: Mapping[str, str]) -> None:
    """Start the holder and connect its network to ours."""
    _require_free_addresses()
    ready = STATE / "namespaces-ready"
    unshare = [
        "unshare",
        "--fork",
        "--pid",
        "--kill-child",
        "--mount",
        "--net",
        "--mount-proc",
    ]
    command = [
        *unshare,
        "--propagation=slave",
        "--",
        "/bin/sh",
        "-c",
        SETUP,
        "sh",
        str(ready),
    ]
    processes.start(Processes.HOLDER, command, environment)
    end = time.monotonic() + 10
    while not ready.exists():
        if time.monotonic() > end or Processes.HOLDER not in processes.marks():
            reason = processes.tail(Processes.HOLDER)
            raise ClusterError(f"making the namespaces failed: {reason}")
        time.sleep(0.01)
    _connect(processes.inside())


def _connect(inside: int) -> None:
    _ip(
        "link",
        "add",
        HOST_LINK,
        "type",
        "veth",
        "peer",
        "name",
        "eth0",
        "netns",
        str(inside),
    )
    _ip("addr", "add", f"{HOST_ADDRESS}/30", "dev", HOST_LINK)
    _ip("link", "set", HOST_LINK, "up")
    for reach in (SERVICE_RANGE, POD_RANGE):
        _ip("route", "add", reach, "via", NODE_ADDRESS, "dev", HOST_LINK)
    enter = ["nsenter", f"--target={inside}", "--net", "--mount", "--pid", "--"]
    _run([*enter, "ip", "-batch", "-"], NETWORK_INSIDE.strip())
    _run([*enter, "/bin/sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"])


def _require_free_addresses() -> None:
    """Fail when some other program of the machine uses our addresses."""
    for reach in (f"{HOST_ADDRESS}/30", SERVICE_RANGE, POD_RANGE):
        text = _run(["ip", "-4", "route", "show", "root", reach])
        if text.strip():
            raise ClusterError(
                f"the test cluster needs {reach}, but this machine has the route "
                f"`{text.strip().splitlines()[0]}`: stop what uses it"
            )


def link_exists() -> bool:
    """Whether our end of the cable is there."""
    return Path(f"/sys/class/net/{HOST_LINK}").exists()


def disconnect() -> None:
    """Remove our end of the cable (and with it the routes), once the namespaces are gone."""
    if link_exists():
        subprocess.run(["ip", "link", "delete", HOST_LINK], check=False, capture_output=True)
        until(lambda: not link_exists(), 10, f"the network link {HOST_LINK} to go away")


def _ip(*arguments: str) -> None:
    _run(["ip", *arguments])


def _run(command: list[str], text: str | None = None) -> str:
    run = subprocess.run(command, input=text, check=False, capture_output=True, text=True)
    if run.returncode != 0:
        raise ClusterError(f"`{' '.join(command)}` failed: {run.stderr.strip()}")
    return run.stdout
