"""`.ci/release.py`: what may be released, and a release commit that changes one line and nothing else."""

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import ROOT

IMAGE = f"ghcr.io/acme/promotion-gate@sha256:{'a' * 64}"
CHANGELOG = (
    "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-05-04\n\n### Added\n\n- Something.\n\n## [1.2.2]\n\n- Old.\n"
)


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("release", ROOT / ".ci" / "release.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


release = _script()


def git(*arguments: str) -> str:
    author = ["-c", "user.name=Test", "-c", "user.email=test@example.test"]
    return subprocess.run(["git", *author, *arguments], check=True, capture_output=True, text=True).stdout.strip()


def commit() -> str:
    git("add", "--all")
    git("commit", "--quiet", "--allow-empty", "--message", "A commit")
    return git("rev-parse", "HEAD")


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The commit to release, in a repository of its own that is the working directory."""
    monkeypatch.chdir(tmp_path)
    git("init", "--quiet", "--initial-branch=main")
    Path("gate").mkdir()
    Path("gate/__init__.py").write_text('"""The gate."""\n\n__version__ = "1.2.3"\n')
    Path("CHANGELOG.md").write_text(CHANGELOG)
    shutil.copy(ROOT / "action.yml", "action.yml")
    return commit()


def test_a_version_that_is_the_programs_and_has_notes_can_be_released(base: str) -> None:
    assert release.check("1.2.3") == "v1.2.3"
    assert release.notes("1.2.3") == "### Added\n\n- Something."
    assert git("rev-parse", "HEAD") == base
    assert git("status", "--porcelain") == ""


@pytest.mark.parametrize("version", ["v1.2.3", "1.2", "1.2.03", "1.2.3-rc.1", "", "1.2.3\n", "1.2.4"])
@pytest.mark.usefixtures("base")
def test_another_version_cannot(version: str) -> None:
    with pytest.raises(release.Refused):
        release.check(version)


@pytest.mark.usefixtures("base")
def test_a_version_cannot_be_released_twice_or_without_notes() -> None:
    Path("CHANGELOG.md").write_text(CHANGELOG.replace("### Added\n\n- Something.\n", ""))
    with pytest.raises(release.Refused, match="says nothing"):
        release.check("1.2.3")
    git("checkout", "--quiet", "CHANGELOG.md")
    git("tag", "v1.2.3")
    with pytest.raises(release.Refused, match="was released"):
        release.check("1.2.3")


def test_the_release_names_the_image_and_changes_nothing_else(base: str) -> None:
    assert release.pin(IMAGE) == f"image: docker://{IMAGE}"
    made = commit()
    assert release.verify(base, made) == IMAGE
    lines = git("diff", "--unified=0", base, made).splitlines()
    changed = [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert changed == ["-  image: Dockerfile", f"+  image: docker://{IMAGE}"]


@pytest.mark.parametrize(
    "image",
    ["ghcr.io/acme/gate:v1", "ghcr.io/acme/gate@sha256:abc", f"promotion-gate@sha256:{'a' * 64}", f"{IMAGE} # x", ""],
)
@pytest.mark.usefixtures("base")
def test_only_an_image_by_digest_is_named(image: str) -> None:
    before = Path("action.yml").read_text()
    with pytest.raises(release.Refused):
        release.pin(image)
    assert Path("action.yml").read_text() == before


def _another_file() -> None:
    Path("gate/extra.py").write_text("")


def _another_line() -> None:
    text = Path("action.yml").read_text()
    Path("action.yml").write_text(text.replace("author:", "author: Nobody # "))


def _only_a_tag() -> None:
    text = Path("action.yml").read_text()
    Path("action.yml").write_text(text.replace(f"@sha256:{'a' * 64}", ":v1.2.3"))


def _a_second_image() -> None:
    with Path("action.yml").open("a") as file:
        file.write(f"  image: docker://{IMAGE.replace('acme', 'other')}\n")


def _executable() -> None:
    Path("action.yml").chmod(0o755)


def _gone() -> None:
    Path("CHANGELOG.md").unlink()


@pytest.mark.parametrize("more", [_another_file, _another_line, _only_a_tag, _a_second_image, _executable, _gone])
def test_a_release_that_changes_more_is_refused(more: Callable[[], None], base: str) -> None:
    release.pin(IMAGE)
    more()
    with pytest.raises(release.Refused, match="changes"):
        release.verify(base, commit())


def test_a_release_of_another_commit_or_of_two_is_refused(base: str) -> None:
    between = commit()
    release.pin(IMAGE)
    made = commit()
    with pytest.raises(release.Refused, match="parents"):
        release.verify(base, made)
    assert release.verify(between, made) == IMAGE
    git("checkout", "--quiet", "-b", "side", base)
    git("merge", "--quiet", "--no-ff", "--message", "Merge", made)
    with pytest.raises(release.Refused, match="parents"):
        release.verify(base, git("rev-parse", "HEAD"))


def test_nothing_is_no_release(base: str) -> None:
    with pytest.raises(release.Refused, match="changes more"):
        release.verify(base, commit())


@pytest.mark.parametrize(
    ("arguments", "code"), [(["verify", "HEAD", "HEAD"], 1), (["check", "0.0.0"], 1), (["other"], 2), ([], 2)]
)
@pytest.mark.usefixtures("base")
def test_the_exit_code_stops_the_workflow(arguments: list[str], code: int) -> None:
    script = ROOT / ".ci" / "release.py"
    assert subprocess.run([sys.executable, script, *arguments], check=False, capture_output=True).returncode == code
