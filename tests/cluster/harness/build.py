"""Building the programs once, into a cache folder outside the checkout.

The folder's name is a digest of everything that goes into it, and it appears
by a rename when it is complete: a build that failed or was killed leaves no
folder of that name, and the next one starts from Go's own build cache.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from . import image, needs
from .progress import Progress, minutes
from .settings import PROGRAMS_FOLDER, ClusterError, cache_folder

KUBERNETES = "k8s.io/kubernetes"
ARGOCD = "github.com/argoproj/argo-cd/v3"
VERSION_VARIABLES = "k8s.io/component-base/version"
KUBERNETES_NAMES = (
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kubelet",
    "kube-proxy",
    "kubectl",
)
ARGOCD_NAMES = (
    "argocd-application-controller",
    "argocd-applicationset-controller",
    "argocd-git-ask-pass",
    "argocd-repo-server",
    "argocd-server",
)
CRDS = ("application-crd.yaml", "appproject-crd.yaml", "applicationset-crd.yaml")
USUAL = {
    "kubernetes": "about 9 minutes with an empty Go cache",
    "argocd": "about 5 minutes with an empty Go cache",
    "web": "seconds",
}
TELL_EVERY = 15.0
KEPT = 3
"""Builds that stay in the cache (about 280 MB each)."""


@dataclass(frozen=True)
class Built:
    """What a build left in the cache."""

    folder: Path

    @property
    def programs(self) -> Path:
        """Folder with every program under its own name."""
        return self.folder / "bin"

    @property
    def images(self) -> Path:
        """Archive with the web and the pause image."""
        return self.folder / "images.tar"

    @property
    def crds(self) -> Path:
        """Folder with Argo CD's resource definitions."""
        return self.folder / "crds"


def digest(go: str) -> str:
    """A digest of everything that goes into the build."""
    total = hashlib.sha256(go.encode())
    sources = sorted(PROGRAMS_FOLDER.glob("*/*.go"))
    modules = [PROGRAMS_FOLDER / "go.mod", PROGRAMS_FOLDER / "go.sum"]
    for path in [*modules, *sources, Path(image.__file__), Path(__file__)]:
        total.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()[:16]


def build(progress: Progress) -> Built:
    """The build of this checkout, made now unless the cache has it."""
    go = needs.go_version()
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    name = digest(go)
    folder = cache / name
    with _locked(cache / "build.lock", progress) as lock:
        if folder.is_dir():
            os.utime(folder)
            return Built(folder)
        for leftover in cache.glob("building-*"):
            shutil.rmtree(leftover)
        work = cache / f"building-{name}"
        try:
            _build_into(work, go, lock, progress)
            work.rename(folder)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        _forget_old(cache)
    progress.done(f"built into {folder}")
    return Built(folder)


@contextmanager
def _locked(path: Path, progress: Progress) -> Iterator[int]:
    """Hold the lock of the cache: two builds at once would only disturb each other.

    The compiler inherits the lock: when this process is killed, the next build
    waits for the compiler that it left, and then finds its results in Go's cache.
    """
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress.say("another build is running: waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock.fileno()


def _forget_old(cache: Path) -> None:
    """Remove all builds but the ones used last."""
    versions = sorted(cache.glob("*/versions.json"), key=lambda path: path.parent.stat().st_mtime)
    for path in versions[:-KEPT]:
        shutil.rmtree(path.parent)


def _build_into(work: Path, go: str, lock: int, progress: Progress) -> None:
    programs = work / "bin"
    programs.mkdir(parents=True)
    kubernetes, argocd = _module_version(KUBERNETES), _module_version(ARGOCD)
    minor = kubernetes.split(".")[1]
    flags = {
        "kubernetes": f"-X {VERSION_VARIABLES}.gitVersion={kubernetes} "
        f"-X {VERSION_VARIABLES}.gitMajor=1 -X {VERSION_VARIABLES}.gitMinor={minor}",
        "argocd": f"-X {ARGOCD}/common.version={argocd.removeprefix('v')}",
        "web": "",
    }
    for number, name in enumerate(flags, start=1):
        place = f"({number} of {len(flags)})"
        _go_build(name, place, [f"-s -w {flags[name]}", "-o", str(programs / name)], lock, progress)
        progress.done(f"built {name} {place}")
    for target, names in (("kubernetes", KUBERNETES_NAMES), ("argocd", ARGOCD_NAMES)):
        for name in names:
            (programs / name).symlink_to(target)
    image.write_images(programs / "web", work / "images.tar")
    (work / "crds").mkdir()
    source = Path(_go("list", "-m", "-f", "{{.Dir}}", ARGOCD)) / "manifests" / "crds"
    for name in CRDS:
        shutil.copyfile(source / name, work / "crds" / name)
    versions = {"go": go, "kubernetes": kubernetes, "argocd": argocd}
    (work / "versions.json").write_text(json.dumps(versions) + "\n")


def _go_environment() -> dict[str, str]:
    return {
        **os.environ,
        "CGO_ENABLED": "0",
        "GOTOOLCHAIN": "local",
        "GOFLAGS": "-mod=readonly -buildvcs=false",
        "GOWORK": "off",
    }


def _go(*arguments: str) -> str:
    run = subprocess.run(
        ["go", *arguments],
        cwd=PROGRAMS_FOLDER,
        env=_go_environment(),
        check=False,
        capture_output=True,
        text=True,
    )
    if run.returncode != 0:
        raise ClusterError(f"`go {' '.join(arguments)}` failed: {run.stderr.strip()}")
    return run.stdout.strip()


def _module_version(module: str) -> str:
    return _go("list", "-m", "-f", "{{.Version}}", module)


def _go_build(name: str, place: str, flags: list[str], lock: int, progress: Progress) -> None:
    """Run one `go build`, telling now and then how far it is."""
    what = f"building {name} programs {place}, {USUAL[name]}"
    progress.say(what)
    command = ["go", "build", "-v", "-trimpath", "-ldflags", *flags, f"./{name}"]
    process = subprocess.Popen(
        command,
        cwd=PROGRAMS_FOLDER,
        env=_go_environment(),
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=(lock,),
    )
    lines: list[str] = []
    reader = threading.Thread(target=_collect, args=(process, lines), daemon=True)
    reader.start()
    try:
        _tell(process, what, lines, progress)
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait()
        reader.join(timeout=5)
    if process.returncode != 0:
        raise ClusterError(f"building {name} failed:\n" + "\n".join(lines[-20:]))


def _tell(process: "subprocess.Popen[str]", what: str, lines: list[str], progress: Progress) -> None:
    begin = told = time.monotonic()
    while process.poll() is None:
        time.sleep(0.1)
        if time.monotonic() - told >= TELL_EVERY:
            told = time.monotonic()
            so_far = f"{minutes(told - begin)} so far, {len(lines)} packages compiled"
            progress.say(f"{what}, {so_far}")


def _collect(process: "subprocess.Popen[str]", lines: list[str]) -> None:
    assert process.stderr is not None
    lines.extend(line.rstrip() for line in process.stderr)
