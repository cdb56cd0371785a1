"""What a change would do to files, as a unified diff. Pure."""

import difflib
from collections.abc import Mapping


def render_diff(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Path to text, before and after, as one unified diff; a path that is missing before is a new file.

    It is text from Git: whoever prints it makes it harmless first.
    """
    parts: list[str] = []
    for path in sorted(after):
        old = before.get(path)
        lines = difflib.unified_diff(
            [] if old is None else old.splitlines(),
            after[path].splitlines(),
            "/dev/null" if old is None else f"a/{path}",
            f"b/{path}",
            lineterm="",
        )
        parts.extend(lines)
    return "\n".join(parts)
