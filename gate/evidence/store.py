"""Writing evidence files: ``<folder>/<environment>/<commit>/<run>.json``."""

import json
import os
from pathlib import Path

from gate.evidence.record import EvidenceFile


def write_evidence(evidence: EvidenceFile, folder: Path) -> Path:
    """The path of the file written. Raises OSError.

    The file is whole or not there; folder and file get the owner of the folder they are made in,
    because a container action runs as root in a workspace that is somebody else's.
    """
    verdict = evidence.verdict
    directory = folder / verdict.environment / (verdict.intended or "unknown-commit")
    made = _make(directory)
    path = directory / f"{evidence.run.id}.json"
    partial = directory / f".{evidence.run.id}.json.partial"
    text = json.dumps(evidence.plain, indent=2, ensure_ascii=False)
    partial.write_text(text + "\n", encoding="utf-8")
    partial.replace(path)
    _give(path, *made)
    return path


def _make(directory: Path) -> list[Path]:
    """Make the folder and its parents; those that were not there."""
    missing = [one for one in (directory, *directory.parents) if not one.exists()]
    directory.mkdir(parents=True, exist_ok=True)
    return missing


def _give(path: Path, *made: Path) -> None:
    """Give what was made to the owner of the nearest folder that was there before."""
    if os.geteuid() != 0:
        return
    there = made[-1].parent if made else path.parent
    owner = there.stat()
    for one in (path, *made):
        os.chown(one, owner.st_uid, owner.st_gid)
