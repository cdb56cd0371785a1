"""Evidence files altered as somebody would who knows how their digest is made."""

import json
import re
import shutil
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from gate.evidence.record import digest_of
from tests.support.bundles import Json


def copy_of(file: Path, folder: Path, name: str = "") -> Path:
    """A copy of an evidence file in a folder; its own name by default."""
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(file, folder / (name or file.name)))


def change(file: Path, alter: Callable[[Json], object]) -> None:
    """Alter an evidence file as somebody would who makes its digest anew."""
    raw: Any = json.loads(file.read_text(encoding="utf-8"))
    alter(raw)
    file.write_text(json.dumps({**raw, "digest": digest_of(raw)}), encoding="utf-8")


_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)(Z|\+00:00)")


def later(raw: Any, by: timedelta) -> Any:
    """The same with every time in it moved, as if all of it had been seen then."""
    if isinstance(raw, dict):
        return {key: later(value, by) for key, value in raw.items()}
    if isinstance(raw, list):
        return [later(value, by) for value in raw]
    if isinstance(raw, str):
        return _TIME.sub(lambda found: (datetime.fromisoformat(found[1]) + by).isoformat() + found[2], raw)
    return raw


def move(file: Path, by: timedelta) -> None:
    """Move all times of an evidence file; its verdict follows as before."""

    def moved(raw: Json) -> None:
        raw |= later(raw, by)

    change(file, moved)
