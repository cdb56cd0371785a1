"""`.ci/run` counts honestly: tried with a Makefile whose suites do what each case needs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

GREEN = '<testsuites><testsuite><testcase name="a"/><testcase name="b"/></testsuite></testsuites>'
RED = '<testsuites><testsuite><testcase name="a"/><testcase name="b"><failure/></testcase></testsuite></testsuites>'
BROKEN = '<testsuites><testsuite><testcase name="a"><error/></testcase></testsuite></testsuites>'
SKIPPED = '<testsuites><testsuite><testcase name="a"><skipped/></testcase></testsuite></testsuites>'
EMPTY = "<testsuites><testsuite/></testsuites>"


def _run(folder: Path, **recipes: tuple[str | None, int]) -> tuple[int, str]:
    """Run a copy of .ci/run; a recipe is the report its target writes and the exit code of its command."""
    shutil.copytree(ROOT / ".ci", folder / ".ci")
    (folder / ".venv/bin").mkdir(parents=True)
    (folder / ".venv/bin/python").symlink_to(sys.executable)
    text = ".PHONY: setup lint test test-exhaustive cluster-test cluster-down container-test container-down\n"
    for target in (
        "setup",
        "lint",
        "test",
        "test-exhaustive",
        "cluster-test",
        "cluster-down",
        "container-test",
        "container-down",
    ):
        report, code = recipes.get(target.replace("-", "_"), (GREEN, 0))
        text += f"{target}:\n"
        if report is not None:
            name = target.removesuffix("-test")
            (folder / f"{name}.source").write_text(report, encoding="utf-8")
            text += f"\t@cp {name}.source build/reports/{name}.xml\n"
        text += f"\t@exit {code}\n"
    (folder / "Makefile").write_text(text, encoding="utf-8")
    outside = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run([".ci/run"], cwd=folder, env=outside, check=False, capture_output=True, text=True)
    counted = re.findall(r"^\d+ passed, \d+ failed$", done.stdout, flags=re.MULTILINE)
    assert [done.stdout.splitlines()[-1]] == counted
    return done.returncode, counted[0]


def test_all_suites_are_summed_up(tmp_path: Path) -> None:
    assert _run(tmp_path) == (0, "10 passed, 0 failed")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("report", "code", "counted"),
    [
        (RED, 1, "9 passed, 1 failed"),
        (BROKEN, 1, "8 passed, 1 failed"),
        (EMPTY, 5, "8 passed, 1 failed"),
        (EMPTY, 0, "8 passed, 1 failed"),
        (SKIPPED, 0, "8 passed, 1 failed"),
        ("not XML", 0, "8 passed, 1 failed"),
        (None, 2, "8 passed, 1 failed"),
        (None, 0, "8 passed, 1 failed"),
        (GREEN, 2, "10 passed, 1 failed"),
    ],
    ids=["red", "error", "exit-5", "no-test", "all-skipped", "bad-report", "crash", "no-report", "green-but-exit-2"],
)
@pytest.mark.parametrize("target", ["test", "test_exhaustive", "cluster_test", "container_test"])
def test_a_suite_that_is_not_green_fails(
    tmp_path: Path, target: str, report: str | None, code: int, counted: str
) -> None:
    assert _run(tmp_path, **{target: (report, code)}) == (1, counted)


def test_lint_counts_as_one_test(tmp_path: Path) -> None:
    assert _run(tmp_path, lint=(None, 1)) == (1, "9 passed, 1 failed")


def test_nothing_starts_without_the_setup(tmp_path: Path) -> None:
    assert _run(tmp_path, setup=(None, 1)) == (1, "0 passed, 6 failed")
    assert not (tmp_path / "build/reports/test.xml").exists()
