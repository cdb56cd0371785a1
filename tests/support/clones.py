"""Git repositories for tests: made with plain git, with fixed people and times."""

import os
import subprocess
from pathlib import Path

from gate.adapters.git.clone import Clone

ABSENT = "0" * 39 + "1"


def git(folder: Path, *arguments: str, text: str | None = None) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Ada Þór",
        "GIT_AUTHOR_EMAIL": "ada@example.com",
        "GIT_COMMITTER_NAME": "C",
        "GIT_COMMITTER_EMAIL": "c@example.com",
        "GIT_AUTHOR_DATE": "1700000000 +0200",
        "GIT_COMMITTER_DATE": "1700000060 +0200",
    }
    command = ["git", "-C", str(folder), "-c", "protocol.file.allow=always", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, input=text)
    return done.stdout.strip()


def commit(folder: Path, message: str, **files: str) -> str:
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_yaml", ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", message)
    return git(folder, "rev-parse", "HEAD")


def new_clone(tmp_path: Path) -> Path:
    """An empty repository with the branch main."""
    made = tmp_path / "clone"
    made.mkdir()
    git(made, "init", "--quiet", "--initial-branch=main")
    return made


async def opened(folder: Path) -> Clone:
    return await Clone.open(folder)
