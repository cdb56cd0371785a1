"""What the machine must have: root, a Go toolchain, some Debian packages.

Missing packages are installed (one line says which); everything else that is
missing is named together with what to do about it.
"""

import os
import platform
import re
import shutil
import subprocess

from .progress import Progress
from .settings import ClusterError

GO_AT_LEAST = (1, 25, 5)

PACKAGE_OF = {
    "etcd": "etcd-server",
    "containerd": "containerd",
    "ctr": "containerd",
    "runc": "runc",
    "/usr/lib/cni/bridge": "containernetworking-plugins",
    "iptables": "iptables",
    "nft": "nftables",
    "conntrack": "conntrack",
    "ethtool": "ethtool",
    "socat": "socat",
    "ipset": "ipset",
    "redis-server": "redis-server",
    "git": "git",
    "ip": "iproute2",
    "nsenter": "util-linux",
    "unshare": "util-linux",
    "openssl": "openssl",
}
"""Debian's package of each program, or file, that the harness starts."""


def go_version() -> str:
    """The version of the Go toolchain on PATH, such as 1.26.8."""
    go = shutil.which("go")
    if go is None:
        raise ClusterError(
            "no `go` on PATH: install Go 1.25.5 or newer from https://go.dev/dl/ "
            "(Debian 12's own is too old to build Argo CD 3.2)"
        )
    environment = {**os.environ, "GOTOOLCHAIN": "local"}
    text = subprocess.run([go, "version"], check=False, capture_output=True, text=True, env=environment).stdout
    found = re.search(r"go(\d+)\.(\d+)(?:\.(\d+))?", text)
    if found is None:
        raise ClusterError(f"`go version` answered {text.strip()!r}, which names no version")
    version = tuple(int(part or 0) for part in found.groups())
    name = ".".join(map(str, version))
    if version < GO_AT_LEAST:
        raise ClusterError(f"Go {name} is too old: Argo CD 3.2 needs Go 1.25.5 or newer on PATH")
    return name


def program(name: str) -> str | None:
    """Where a program is, also when /usr/sbin is not on PATH."""
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/bin:/sbin:/bin")


def missing_packages() -> list[str]:
    """The Debian packages whose programs are not there."""
    return sorted({package for name, package in PACKAGE_OF.items() if program(name) is None})


def require_root() -> None:
    """Fail unless this is root on a Linux machine the programs are built for."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        raise ClusterError("the test cluster runs on Linux, x86_64, only")
    if os.geteuid() != 0:
        raise ClusterError(
            "the test cluster makes network namespaces and containers and so must run as root: "
            "use `sudo -E make cluster-test`"
        )


def require(progress: Progress) -> None:
    """Check everything, and install the Debian packages that are missing."""
    require_root()
    go_version()
    missing = missing_packages()
    if not missing:
        return
    names = " ".join(missing)
    if shutil.which("apt-get") is None:
        raise ClusterError(f"programs of these Debian packages are missing: {names}: install them")
    progress.say(f"installing Debian packages: {names}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *missing]
    for command in (["apt-get", "update", "-q"], install):
        run = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
        if run.returncode != 0:
            last = (run.stderr or run.stdout).strip().splitlines()[-3:]
            raise ClusterError(
                f"`{' '.join(command[:2])}` failed: {' / '.join(last)}; install by hand: apt-get install {names}"
            )
    still = missing_packages()
    if still:
        raise ClusterError(f"still missing after the installation: {' '.join(still)}")
