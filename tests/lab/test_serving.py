"""What `gate lab --serve` prints can be typed as it is."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.lab_process import FAST, LIMIT, start

pytestmark = pytest.mark.exhaustive

BASH = shutil.which("bash") or "/bin/bash"
CURL = shutil.which("curl")


def _typed(folder: Path, printed: list[str], *wanted: str) -> subprocess.CompletedProcess[str]:
    """Type the exports and the function, and then the printed commands that hold these words."""
    lines = [line[2:] for line in "".join(printed).replace("\\\n", "").splitlines() if line.startswith("  ")]
    commands = [line for line in lines if line.startswith(("export ", "pin() "))]
    commands += [next(line for line in lines if word in line) for word in wanted]
    (folder / "typed").mkdir(exist_ok=True)
    return subprocess.run(
        [BASH, "-euc", "\n".join(commands)],
        cwd=folder / "typed",
        env={"PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin", "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )


@pytest.mark.skipif(CURL is None, reason="the commands use curl, and this machine has none")
@pytest.mark.timeout(120)
def test_the_printed_commands_pass_break_and_recover(tmp_path: Path) -> None:
    own = tmp_path / "with a blank"
    own.mkdir()
    lab = start(tmp_path, "--serve", "--format", "json", *FAST, environment={"TMPDIR": str(own)})
    try:
        lab.hear("stays up until Ctrl-C")
        lab.hear('git -C "$CLONE" revert')
        lab.hear("pin $(git")
        check, publish = "gate check --environment staging --no-publish", "GITHUB_SHA="
        passed = _typed(tmp_path, lab.heard, check)
        assert passed.returncode == 0, passed.stderr
        broken = _typed(tmp_path, lab.heard, "sed -i", publish)
        assert broken.returncode == 1, broken.stderr
        assert "ProgressDeadlineExceeded" in broken.stderr
        recovered = _typed(tmp_path, lab.heard, 'git -C "$CLONE" revert', publish)
        assert recovered.returncode == 0, recovered.stderr
        published = _typed(tmp_path, lab.heard, "/_standin/state").stdout
        assert (published.count('"state":"success"'), published.count('"state":"failure"')) == (1, 1)
        assert published.count("promotion-gate:staging:commit=") == 1, "one comment, on the pull request that is named"
    finally:
        code, _, log = lab.end(signal.SIGINT)
    assert code == 130, log
    assert list(own.iterdir()) == []
