"""A stand-in for the base image, made from Debian's own packages.

The tests need no image registry: what they prove is our layers and the entry point, not that base.
With PROMOTION_GATE_BASE=registry the real one is pulled instead.
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.container.needs import program
from tests.container.settings import INCLUDED, SUITE, ContainerError, cache_folder

_MIRROR = re.compile(r"https?://\S+/debian/?(?=\s|$)", re.MULTILINE)


def from_registry() -> bool:
    """Whether the real base image is to be pulled."""
    return os.environ.get("PROMOTION_GATE_BASE") == "registry"


def base_archive() -> Path:
    """A tar file of the root file system, made once and kept outside the checkout."""
    archive = cache_folder() / f"{SUITE}-{'-'.join(INCLUDED)}.tar"
    if archive.exists():
        return archive
    archive.parent.mkdir(parents=True, exist_ok=True)
    print(f"container: making a base of Debian {SUITE} with {', '.join(INCLUDED)} (about a minute, once)", flush=True)
    root = Path(tempfile.mkdtemp(prefix="base-", dir=archive.parent))
    try:
        _run("debootstrap", "--variant=minbase", f"--include={','.join(INCLUDED)}", SUITE, str(root), mirror())
        partial = archive.with_suffix(".partial")
        _run("tar", "-C", str(root), "-c", "-f", str(partial), ".")
        partial.replace(archive)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return archive


def mirror() -> str:
    """The mirror that this machine's own packages come from."""
    places = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]
    for place in places:
        found = _MIRROR.search(place.read_text()) if place.is_file() else None
        if found is not None:
            return found[0]
    raise ContainerError("no Debian mirror is named below /etc/apt: the base image is made from Debian's packages")


def _run(name: str, *arguments: str) -> None:
    run = subprocess.run([program(name) or name, *arguments], check=False, capture_output=True, text=True)
    if run.returncode != 0:
        last = " / ".join((run.stderr + run.stdout).strip().splitlines()[-3:])
        raise ContainerError(f"`{name}` ended with {run.returncode}: {last}")
