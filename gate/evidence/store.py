"""Writing evidence: ``<folder>/<environment>/<commit>/<run>.json``, and its page and predicate beside it."""

import json
import os
from contextlib import suppress
from pathlib import Path

from gate.evidence.messages import folder_of
from gate.evidence.page import page_of
from gate.evidence.predicate import predicate_of
from gate.evidence.record import EvidenceFile


def write_evidence(evidence: EvidenceFile, folder: Path) -> Path:
    """The path of the evidence file written, with ``<run>.html`` and ``<run>.predicate.json`` beside it.

    What is there is not written over: another verdict of the same run gets a number, as on the evidence branch.
    Raises OSError. Each file is whole or not there; folder and files get the owner of the folder they are
    made in, because a container action runs as root in a workspace that is somebody else's.
    """
    directory = folder / folder_of(evidence.verdict.environment, evidence.verdict.intended)
    made = _make(directory)
    named = texts_of(evidence)
    stem = _stem(directory, evidence.run.id, named[".json"])
    texts = {directory / f"{stem}{suffix}": text for suffix, text in named.items()}
    for file, text in texts.items():
        _write(file, text)
    _give(directory if not made else made[-1].parent, *texts, *made)
    return next(iter(texts))


def _stem(directory: Path, run: str, text: str) -> str:
    """The first name that is free, or that holds this very text."""
    stem, number = run, 1
    while (file := directory / f"{stem}.json").exists() and file.read_bytes() != text.encode():
        number += 1
        stem = f"{run}.{number}"
    return stem


def texts_of(evidence: EvidenceFile) -> dict[str, str]:
    """What is written for an evidence file, by how the files' names end; the file itself comes first."""
    return {
        ".json": json.dumps(evidence.plain, indent=2, ensure_ascii=False) + "\n",
        ".predicate.json": json.dumps(predicate_of(evidence), indent=2) + "\n",
        ".html": page_of(evidence),
    }


def _write(path: Path, text: str) -> None:
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError:
        with suppress(OSError):
            partial.unlink()  # where the disk is full it takes the rest of the room
        raise


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
