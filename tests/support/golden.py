"""Golden files: the text that a rendering gave when somebody last looked at it and found it right.

After a wanted change, UPDATE_GOLDEN=1 writes them anew; read the difference before it is committed.
"""

import os
from pathlib import Path


def check(text: str, path: Path) -> None:
    """Compare a text with its golden file; a missing file is a failure."""
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    expected = path.read_text(encoding="utf-8") if path.is_file() else "(there is no golden file)"
    assert text == expected, f"{path.name} differs; if that is wanted, run again with UPDATE_GOLDEN=1 and read it"
