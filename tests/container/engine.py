"""podman with a storage of its own, so that no image or container of the machine is touched."""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.container.base import base_archive, from_registry
from tests.container.cleaning import engine_environment, new_folder, take_away, take_leftovers_away
from tests.container.settings import CHECKOUT, IMAGE, RUNNER_IMAGE, ContainerError, base_image

_ULIMITS = {"nofile": 1024, "nproc": 4096}
"""Of every container: a machine that allows less than podman's defaults could start none."""
_PODMAN = ("prlimit", f"--nofile={_ULIMITS['nofile']}", "podman")
"""An engine hands on no more than it has itself."""
MORTAL = ("setpriv", "--pdeathsig", "KILL", "--")
"""A process that ends with the one that started it, however that ends."""


@dataclass(frozen=True)
class Completed:
    """What a command answered."""

    code: int
    out: str
    err: str


class Engine:
    """A context manager: images and containers live in a folder that goes with it."""

    def __enter__(self) -> Self:
        for folder in take_leftovers_away():
            print(f"container: took {folder} away, which an earlier run had left", flush=True)
        self.folder, self._lock = new_folder()
        limits = ", ".join(f'"{name}={number}:{number}"' for name, number in _ULIMITS.items())
        (self.folder / "containers.conf").write_text(f"[containers]\ndefault_ulimits = [{limits}]\n")
        places = f'graphroot = "{self.folder}/graph"\nrunroot = "{self.folder}/run"\n'
        (self.folder / "storage.conf").write_text(f'[storage]\ndriver = "overlay"\n{places}')
        self.environment = engine_environment(self.folder)
        self._service: subprocess.Popen[bytes] | None = None
        try:
            self._base()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._service is not None:
            self._service.terminate()
            self._service.wait(30)
        take_away(self.folder)
        self._lock.close()

    def podman(
        self, *arguments: str, check: bool = True, timeout: float = 600, more: Mapping[str, str] | None = None
    ) -> Completed:
        """Run podman; raises ContainerError where it must succeed and does not."""
        run = subprocess.run(
            [*_PODMAN, *arguments],
            check=False,
            capture_output=True,
            text=True,
            timeout=timeout,
            env={**self.environment, **(more or {})},
        )
        if check and run.returncode != 0:
            last = "\n".join((run.stdout + run.stderr).strip().splitlines()[-25:])
            raise ContainerError(f"`podman {' '.join(arguments[:3])}` ended with {run.returncode}:\n{last}")
        return Completed(run.returncode, run.stdout, run.stderr)

    def build(self, image: str, *arguments: str, context: Path = CHECKOUT) -> str:
        """Build an image with this machine's package index and certificates; what podman printed."""
        given = ["--network", "host", "--isolation", "chroot", *_registry_access(), *arguments]
        done = self.podman("build", "--tag", image, *given, str(context), timeout=900)
        return done.out + done.err

    def command(self, image: str, *options: str) -> list[str]:
        """The command that runs a container as the runner does: on this machine's network, removed at its end."""
        return [*MORTAL, *_PODMAN, "run", "--rm", "--network", "host", *options, image]

    def run(self, image: str, *command: str, options: Sequence[str] = (), timeout: float = 600) -> Completed:
        """Run a container to its end; any exit code is an answer."""
        return self.podman("run", "--rm", *options, image, *command, check=False, timeout=timeout)

    def host(self) -> str:
        """The address of the engine's service, for DOCKER_HOST; started when first asked for."""
        socket = self.folder / "podman.sock"
        if self._service is None:
            self._service = subprocess.Popen(
                [*MORTAL, *_PODMAN, "system", "service", "--time=0", f"unix://{socket}"],
                env=self.environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            _wait_for(socket)
        return f"unix://{socket}"

    def mounted(self, image: str) -> Path:
        """Where the image's files can be read."""
        return Path(self.podman("image", "mount", image).out.strip())

    def _base(self) -> None:
        if from_registry():
            self.podman("pull", base_image(), timeout=300)
        else:
            self.podman("import", str(base_archive()), base_image())
        self.podman("tag", base_image(), RUNNER_IMAGE)

    def build_action(self) -> None:
        """The image of the action, from this checkout's Dockerfile."""
        self.build(IMAGE)


def _registry_access() -> list[str]:
    """What pip needs in the build to reach the index as this machine reaches it."""
    given = [f"--env={name}={value}" for name, value in os.environ.items() if name.startswith("PIP_")]
    places = [Path("/etc/ssl/certs"), Path("/etc/pip.conf"), Path(os.environ.get("PIP_FIND_LINKS", "/nowhere"))]
    mounts = [f"--volume={place}:{place}:ro" for place in places if place.is_absolute() and place.exists()]
    return [*given, *mounts]


def _wait_for(socket: Path, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not socket.exists():
        if time.monotonic() > end:
            raise ContainerError("the engine's service did not start within 20 s")
        time.sleep(0.05)
