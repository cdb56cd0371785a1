"""The image: what it holds, that it starts as the runner starts it, and that the tests pass in it."""

import gzip
import json
import tarfile
from collections.abc import Collection
from pathlib import Path
from typing import IO

import pytest

from tests.container.engine import Engine
from tests.container.settings import CHECKOUT, IMAGE, TEST_IMAGE, base_image
from tests.container.workflow import post_program

pytestmark = pytest.mark.timeout(1500)
LARGEST = 40 * 1000 * 1000
"""Bytes that our layers may have, compressed."""
REACHING = (
    "tests/action/test_verdicts.py",
    "tests/action/test_bump.py",
    "tests/contract/test_kubernetes_[!wf]*.py",
    "tests/contract/test_access*.py",
    "tests/contract/test_http*.py",
)
"""The tests of whatever imports a library: the program as it is run in each mode, and the adapters."""
EVERY_MODULE = """
import importlib, pkgutil, gate
names = [one.name for one in pkgutil.walk_packages(gate.__path__, "gate.") if not one.name.endswith("__main__")]
for name in names: importlib.import_module(name)
print(len(names))
"""


def test_the_program_is_the_entry_point(engine: Engine) -> None:
    done = engine.run(IMAGE, "--version")
    assert (done.code, done.out.split()[0]) == (0, "gate")


def test_no_user_and_no_folder_are_set(engine: Engine) -> None:
    """The runner's files are root's to write, and it sets the folder itself."""
    [image] = json.loads(engine.podman("image", "inspect", IMAGE).out)
    config = image["Config"]
    assert (config.get("User", ""), config.get("WorkingDir", "") in ("", "/")) == ("", True)
    assert config["Entrypoint"] == ["/opt/gate/bin/python", "-I", "-m", "gate"]


def test_every_module_of_the_program_finds_what_it_imports(engine: Engine) -> None:
    python = engine.podman("image", "inspect", "--format", "{{index .Config.Entrypoint 0}}", IMAGE).out.strip()
    done = engine.run(IMAGE, "-I", "-c", EVERY_MODULE, options=["--entrypoint", python, "--network", "none"])
    assert done.code == 0, done.err
    assert int(done.out) > 100


def test_the_post_step_starts_and_finds_nothing_to_do(engine: Engine) -> None:
    done = engine.run(IMAGE, options=["--entrypoint", post_program()])
    assert (done.code, done.out, done.err) == (0, "", "")


def test_a_folder_called_gate_in_the_workspace_is_not_the_program(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "gate").mkdir()
    (tmp_path / "gate" / "__init__.py").write_text("raise SystemExit(0)\n")
    there = ["--volume", f"{tmp_path}:/github/workspace", "--workdir", "/github/workspace"]
    assert engine.run(IMAGE, "explain", "NotPinned", options=there).out.startswith("NotPinned")
    assert engine.run(IMAGE, "explain", "NoSuchReason", options=there).code == 64


def _layers(engine: Engine, image: str, folder: Path, without: Collection[str] = ()) -> dict[str, int]:
    """The compressed size of each layer, by its digest; ``without`` these, which are not compressed."""
    archive = folder / f"{len(list(folder.iterdir()))}.tar"
    engine.podman("save", "--format", "docker-archive", "--output", str(archive), image)
    with tarfile.open(archive) as tar:
        manifest = json.load(_opened(tar, "manifest.json"))
        names = {Path(name).stem: str(name) for name in manifest[0]["Layers"]}
        ours = {digest: name for digest, name in names.items() if digest not in without}
        return {digest: len(gzip.compress(_opened(tar, name).read(), 6)) for digest, name in ours.items()}


def _digests(engine: Engine, image: str) -> set[str]:
    [found] = json.loads(engine.podman("image", "inspect", image).out)
    return {str(layer).removeprefix("sha256:") for layer in found["RootFS"]["Layers"]}


def _opened(tar: tarfile.TarFile, name: str) -> IO[bytes]:
    found = tar.extractfile(name)
    assert found is not None
    return found


def test_our_layers_are_small(engine: Engine, tmp_path: Path) -> None:
    base = _digests(engine, base_image())
    assert base < _digests(engine, IMAGE)
    ours = _layers(engine, IMAGE, tmp_path, base).values()
    print(f"our layers: {[f'{size / 1e6:.1f} MB' for size in ours]}")
    assert len(ours) == len(_digests(engine, IMAGE) - base)
    assert sum(ours) < LARGEST


def test_the_tests_pass_in_the_image(engine: Engine) -> None:
    """What was left out of the image is nothing that the program reaches. What they write stays in the container."""
    ruled = str(CHECKOUT / "tests" / "container" / "with_tests.Containerfile")
    engine.build(TEST_IMAGE, "--file", ruled, "--build-arg", f"GATE_IMAGE={IMAGE}")
    missing = engine.run(TEST_IMAGE, "/opt/gate/bin/python", "-c", "import kubernetes.aio.client.models.v1_pod")
    assert "No module named" in missing.err
    options = [
        "--volume",
        f"{CHECKOUT}:/source:O",
        "--workdir",
        "/source",
        "--network",
        "none",
    ]
    command = ["/opt/gate/bin/python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--numprocesses", "2"]
    chosen = [str(path.relative_to(CHECKOUT)) for pattern in REACHING for path in sorted(CHECKOUT.glob(pattern))]
    done = engine.run(TEST_IMAGE, *command, *chosen, options=options, timeout=1200)
    print("\n".join(done.out.splitlines()[-3:]))
    assert done.code == 0, "\n".join((done.out + done.err).splitlines()[-40:])
