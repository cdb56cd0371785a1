"""What a release does to the repository, and what it must not.

``check VERSION`` says whether the version can be released from here, ``notes VERSION`` prints its part of the
changelog, ``pin IMAGE@DIGEST`` writes the image into action.yml, and ``verify BASE RELEASE`` refuses a release commit
that is anything but its one parent with that one line changed.
"""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ACTION, PACKAGE, CHANGELOG = Path("action.yml"), Path("gate/__init__.py"), Path("CHANGELOG.md")
_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
_IMAGE = re.compile(r"[a-z0-9.-]+(?:/[a-z0-9._-]+)+@sha256:[0-9a-f]{64}")
_BUILT = "  image: Dockerfile\n"
_LINE = re.compile(rf"  image: docker://({_IMAGE.pattern})\n")


class Refused(Exception):
    """It must not be released like this; the text says why."""


def check(version: str) -> str:
    """Refuse a version that is none, is not the program's, has no notes, or was released; its tag."""
    if _VERSION.fullmatch(version) is None:
        raise Refused(f"{version!r} is not a version such as 1.2.3")
    if f'__version__ = "{version}"\n' not in PACKAGE.read_text():
        raise Refused(f"{PACKAGE} does not say that it is {version}")
    if ACTION.read_text().count(_BUILT) != 1:
        raise Refused(f"{ACTION} is not to be built from the Dockerfile")
    notes(version)
    if _git("tag", "--list", f"v{version}") != "":
        raise Refused(f"v{version} was released, and a released version does not change")
    return f"v{version}"


def notes(version: str) -> str:
    """The version's part of the changelog."""
    text = CHANGELOG.read_text()
    found = re.search(rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## |\Z)", text, flags=re.MULTILINE | re.DOTALL)
    if found is None or found[1].strip() == "":
        raise Refused(f"{CHANGELOG} says nothing of {version}")
    return found[1].strip()


def pin(image: str) -> str:
    """Have action.yml name the image in place of the Dockerfile; the line."""
    if _IMAGE.fullmatch(image) is None:
        raise Refused(f"{image!r} is not an image by digest, such as ghcr.io/owner/name@sha256:...")
    text = ACTION.read_text()
    if text.count(_BUILT) != 1:
        raise Refused(f"{ACTION} is not to be built from the Dockerfile")
    line = f"  image: docker://{image}\n"
    ACTION.write_text(text.replace(_BUILT, line))
    return line.strip()


def verify(base: str, release: str) -> str:
    """Refuse a release commit that changes more than the image of its only parent ``base``; the image."""
    parents = _git("rev-list", "--parents", "--max-count=1", release).split()[1:]
    if parents != [_git("rev-parse", f"{base}^{{commit}}")]:
        raise Refused(f"the parents of the release are {parents}, and not {base}")
    changes = _git("diff-tree", "-r", "--no-renames", "--no-commit-id", release).splitlines()
    if [change.partition("\t")[2] for change in changes] != [str(ACTION)]:
        raise Refused(f"the release changes more than {ACTION}: {changes}")
    modes = changes[0].split()[:2]
    if modes != [":100644", "100644"]:
        raise Refused(f"the release changes what {ACTION} is: {modes}")
    before, after = _show(base), _show(release)
    found = _LINE.search(after)
    if found is None or before.count(_BUILT) != 1 or before.replace(_BUILT, found[0]) != after:
        raise Refused(f"the release changes more of {ACTION} than the image")
    return found[1]


def _git(*arguments: str) -> str:
    run = subprocess.run(["git", *arguments], check=False, capture_output=True, text=True)
    if run.returncode != 0:
        raise Refused(f"git {arguments[0]}: {run.stderr.strip()}")
    return run.stdout.strip()


def _show(commit: str) -> str:
    """action.yml at a commit, to the byte."""
    run = subprocess.run(["git", "show", f"{commit}:{ACTION}"], check=True, capture_output=True)
    return run.stdout.decode()


COMMANDS: dict[str, Callable[..., str]] = {"check": check, "notes": notes, "pin": pin, "verify": verify}


def main(arguments: list[str]) -> int:
    """Run a command; 1 where it refuses, 2 for what is no command."""
    try:
        command, given = COMMANDS[arguments[0]], arguments[1:]
    except (IndexError, KeyError):
        print(f"usage: release.py {{{','.join(COMMANDS)}}} ...", file=sys.stderr)
        return 2
    try:
        print(command(*given))
    except Refused as refused:
        print(f"release: {refused}.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
