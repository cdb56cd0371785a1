"""The shape of the project: its top level, the size of its files, its licence and its lock files."""

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import gate
from tests.conftest import ROOT

TOP_LEVEL = {
    ".ci", ".dockerignore", ".github", ".gitignore", "CHANGELOG.md", "Dockerfile", "LICENSE", "Makefile", "README.md",
    "action.yml", "docs", "gate", "pyproject.toml", "requirements-dev.lock", "requirements.lock", "tests",
}  # fmt: skip
LONGEST_FILE = 250
LONGEST_FUNCTION = 40
# Paths of somebody's machine, and hosts that packages come from, have no place in the files. Written apart, so that
# this file does not hold them either.
FORBIDDEN = [
    "/wo" + "rk/",
    "/ro" + "ot/",
    "pypi" + ".org",
    "python" + "hosted",
    "sub" + "agent",
]


def _tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


TRACKED = _tracked()
SOURCES = [path for path in TRACKED if path.suffix == ".py"]
PACKAGE = [path for path in SOURCES if path.is_relative_to(ROOT / "gate")]


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_the_top_level_is_fixed() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in TRACKED} <= TOP_LEVEL


def test_the_package_was_found() -> None:
    assert len(PACKAGE) > 10


def test_every_source_file_says_what_it_is_for() -> None:
    silent = [_name(path) for path in SOURCES if not path.read_bytes().startswith(b'"""')]
    assert silent == []


def test_no_source_file_is_too_long() -> None:
    lines = {_name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    assert {name: count for name, count in lines.items() if count > LONGEST_FILE} == {}


def test_no_function_is_too_long() -> None:
    lines = {
        f"{_name(path)}:{node.lineno} {node.name}": node.end_lineno - node.lineno + 1
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None
    }
    assert {name: count for name, count in lines.items() if count > LONGEST_FUNCTION} == {}


def test_no_room_is_called_utils() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "misc"}
    assert [_name(path) for path in SOURCES if vague & set(path.with_suffix("").parts)] == []


@pytest.mark.parametrize("word", FORBIDDEN)
def test_no_file_names_a_machine_or_a_package_host(word: str) -> None:
    pattern = re.compile(rf"(?<![\w.-]){re.escape(word)}", flags=re.IGNORECASE)
    holding = [_name(path) for path in TRACKED if pattern.search(path.read_bytes().decode("utf-8", errors="replace"))]
    assert holding == []


def test_the_licence_is_apache_2() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"] == "Apache-2.0"


def test_the_changelog_has_a_place_for_what_comes_next_and_knows_the_version() -> None:
    headings = re.findall(r"^## \[([^]]+)]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert headings[0] == "Unreleased"
    released = headings[1:]
    assert released == [] or released[0] == gate.__version__


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_lock_files_pin_and_hash_everything_and_name_no_host(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text
    entries = re.split(r"\n(?=[a-zA-Z0-9])", re.sub(r"^ *#.*\n", "", text, flags=re.MULTILINE))
    assert len(entries) > 20
    for entry in entries:
        assert re.match(r"[a-zA-Z0-9._-]+==[^\s;]+", entry), entry
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry


def test_what_runs_is_the_same_in_both_lock_files() -> None:
    def pins(name: str) -> set[str]:
        return set(re.findall(r"^[a-zA-Z0-9._-]+==[^\s;]+", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE))

    assert pins("requirements.lock") < pins("requirements-dev.lock")
