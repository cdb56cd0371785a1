"""Writing evidence: ``<folder>/<environment>/<commit>/<run>.json``, and its page and predicate beside it."""

import json
import os
from pathlib import Path

from gate.evidence.page import page_of
from gate.evidence.predicate import predicate_of
from gate.evidence.record import EvidenceFile


def write_evidence(evidence: EvidenceFile, folder: Path) -> Path:
    """The path of the evidence file written, with ``<run>.html`` and ``<run>.predicate.json`` beside it.

    Raises OSError. Each file is whole or not there; folder and files get the owner of the folder they are
    made in, because a container action runs as root in a workspace that is somebody else's.
    """
    verdict = evidence.verdict
    directory = folder / verdict.environment / (verdict.intended or "unknown-commit")
    made = _make(directory)
    path = directory / f"{evidence.run.id}.json"
    texts = {
        path: json.dumps(evidence.plain, indent=2, ensure_ascii=False) + "\n",
        path.with_suffix(".predicate.json"): json.dumps(predicate_of(evidence), indent=2) + "\n",
        path.with_suffix(".html"): page_of(evidence),
    }
    for file, text in texts.items():
        _write(file, text)
    _give(path.parent if not made else made[-1].parent, *texts, *made)
    return path


def _write(path: Path, text: str) -> None:
    partial = path.with_name(f".{path.name}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def _make(directory: Path) -> list[Path]:
    """Make the folder and its parents; those that were not there."""
    missing = [one for one in (directory, *directory.parents) if not one.exists()]
    directory.mkdir(parents=True, exist_ok=True)
    return missing


def _give(there: Path, *made: Path) -> None:
    """Give what was made to the owner of the nearest folder that was there before."""
    if os.geteuid() != 0:
        return
    owner = there.stat()
    for one in made:
        os.chown(one, owner.st_uid, owner.st_gid)
