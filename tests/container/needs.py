"""What the machine must have: root, podman and what makes a base image; missing Debian packages are installed."""

import os
import shutil
import subprocess

from tests.container.settings import ContainerError

PACKAGE_OF = {
    "podman": "podman",
    "buildah": "buildah",
    "debootstrap": "debootstrap",
    "fuse-overlayfs": "fuse-overlayfs",
    "git": "git",
    "setpriv": "util-linux",
    "prlimit": "util-linux",
}
"""Debian's package of each program."""


def program(name: str) -> str | None:
    """Where a program is, also when /usr/sbin is not on PATH."""
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/bin:/sbin:/bin")


def require() -> None:
    """Install the Debian packages that are missing; raises ContainerError where that cannot be."""
    if os.geteuid() != 0:
        raise ContainerError("images are built and run as root here: use `sudo -E make container-test`")
    missing = sorted({package for name, package in PACKAGE_OF.items() if program(name) is None})
    if not missing:
        return
    names = " ".join(missing)
    if shutil.which("apt-get") is None:
        raise ContainerError(f"programs of these Debian packages are missing: {names}: install them")
    print(f"container: installing Debian packages: {names}", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        ["apt-get", "update", "-q"],
        ["apt-get", "install", "-y", "-q", "--no-install-recommends", *missing],
    ):
        run = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
        if run.returncode != 0:
            last = " / ".join((run.stderr or run.stdout).strip().splitlines()[-3:])
            raise ContainerError(f"`{' '.join(command[:2])}` failed: {last}; install by hand: apt-get install {names}")
