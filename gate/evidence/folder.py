"""A folder as a store: the workspace's ``evidence/``, or an artifact that was downloaded."""

import json
import os
from pathlib import Path

from pydantic import ValidationError

from gate.adapters.failures import one_line
from gate.errors import AccessError, UsageError
from gate.evidence.documents import LARGEST
from gate.evidence.entries import MOST, Entry, EvidenceStore, newest_first
from gate.evidence.record import EvidenceFile, is_evidence


def read_evidence_text(path: Path) -> str | None:
    """The text of a file; None where there is no such file.

    Raises AccessError where it cannot be read, or is larger than any evidence file.
    """
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) <= LARGEST:
            return content.decode()
        said = f"it is larger than {LARGEST // 1024 // 1024} MiB"
    except FileNotFoundError:
        return None
    except OSError as error:
        said = (error.strerror or "unknown").lower()
    except UnicodeDecodeError:
        said = "it is not UTF-8 text"
    raise AccessError(f"{one_line(str(path), 200) or 'a path without a name'} cannot be read: {said}.")


class FolderStore:
    """Evidence files below a folder, at any depth: an artifact may have been flattened."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.what = one_line(str(folder), 200)

    async def list(self, environment: str, *, commit: str | None = None, most: int = MOST) -> tuple[Entry, ...]:
        """As every store; files that cannot be read come last, told by their folders' names."""
        if not self._folder.is_dir():
            raise UsageError(
                f"There is no folder {self.what}.",
                means="no evidence was written or downloaded there.",
                change="name the folder that holds the evidence files.",
            )
        found = [entry for entry in map(self._entry, _files(self._folder)) if entry is not None]
        ours = [one for one in found if one.environment == environment and commit in (None, one.commit)]
        return newest_first(ours)[:most]

    async def read(self, entry: Entry) -> str:
        """As every store."""
        text = read_evidence_text(self._folder / entry.path)
        if text is None:
            raise AccessError(f"{one_line(entry.path, 200)} of {self.what} is gone.")
        return text

    def _entry(self, path: Path) -> Entry | None:
        """What the file says of itself; None for a file that is something else."""
        place = str(path.relative_to(self._folder))
        try:
            raw = json.loads(read_evidence_text(path) or "")
            if not is_evidence(raw):
                return None
            evidence = EvidenceFile.model_validate_json(json.dumps(raw))
        except (AccessError, ValueError, RecursionError, ValidationError):
            return _unread(path, place)
        verdict = evidence.verdict
        return Entry(
            environment=verdict.environment,
            commit=verdict.intended,
            run=evidence.run.id,
            recorded_at=evidence.recorded_at,
            word=verdict.word,
            reason=verdict.reason.value,
            path=place,
        )


class FileStore(FolderStore):
    """One evidence file as a store: it holds that one, whatever is asked for."""

    def __init__(self, file: Path) -> None:
        super().__init__(file.parent)
        self._file = file
        self.what = one_line(str(file), 200)

    async def list(self, environment: str, *, commit: str | None = None, most: int = MOST) -> tuple[Entry, ...]:
        """The file; one that cannot be understood as what was asked for, so that reading it says why."""
        found = self._entry(self._file)
        if found is None or found.word is None:
            place, run = self._file.name, self._file.stem
            found = Entry(
                environment=environment,
                commit=commit or "",
                run=run,
                recorded_at=None,
                word=None,
                reason="",
                path=place,
            )
        return (found,)[:most]


def stored_at(path: Path) -> EvidenceStore:
    """The store at a path: one evidence file, or a folder of them."""
    return FileStore(path) if path.is_file() else FolderStore(path)


def _files(folder: Path) -> list[Path]:
    """Files that may be evidence. Raises AccessError for a folder that cannot be read: what does it hide?"""

    def told(error: OSError) -> None:
        place = one_line(str(error.filename), 200)
        raise AccessError(f"{place} cannot be read: {(error.strerror or 'unknown').lower()}.") from error

    found = (Path(place, name) for place, _, names in os.walk(folder, onerror=told) for name in names)
    return sorted(
        one for one in found if one.suffix == ".json" and not one.stem.endswith(".predicate") and one.is_file()
    )


def _unread(path: Path, place: str) -> Entry:
    folders = path.parts[-3:-1]
    environment, commit = folders if len(folders) == 2 else ("", "")
    return Entry(
        environment=environment, commit=commit, run=path.stem, recorded_at=None, word=None, reason="", path=place
    )
