"""The text of a commit object to our model. Pure."""

import codecs
import re
from datetime import UTC, datetime, timedelta, timezone

from gate.adapters.failures import Cause, ReadFailed
from gate.facts.moment import RawCommit

_SIGNATURE = re.compile(rb"(?P<name>.*) <[^>]*> (?P<seconds>-?\d{1,11}) (?P<sign>[+-])(?P<hours>\d\d)(?P<minutes>\d\d)")


def parse_commit(data: bytes) -> RawCommit:
    """A commit object as ``git cat-file commit`` prints it; raises ReadFailed when it is not whole.

    The author is the name alone: an address is nobody's business.
    """
    head, separator, message = data.partition(b"\n\n")
    # A line that starts with a blank belongs to the header before it (signatures).
    lines = [line for line in head.split(b"\n") if not line.startswith(b" ")]
    headers = [line.partition(b" ")[::2] for line in lines]
    first = dict(reversed(headers))
    if separator == b"" or b"tree" not in first:
        raise ReadFailed("commit", "the commit object is damaged", cause=Cause.MALFORMED)
    charset = _charset(first.get(b"encoding", b"utf-8"))
    author = _SIGNATURE.fullmatch(first.get(b"author", b""))
    return RawCommit(
        tree=first[b"tree"].decode("ascii", "replace"),
        parents=tuple(value.decode("ascii", "replace") for name, value in headers if name == b"parent"),
        message=message.decode(charset, "replace"),
        author="" if author is None else author["name"].decode(charset, "replace"),
        committed_at=_time(first.get(b"committer", b"")),
    )


def _charset(name: bytes) -> str:
    try:
        found = codecs.lookup(name.decode("ascii", "replace")).name
    except (LookupError, ValueError):
        return "utf-8"
    return found if found.startswith(("utf-8", "iso8859-", "cp125", "koi8-", "euc_", "shift_jis")) else "utf-8"


def _time(signature: bytes) -> datetime | None:
    match = _SIGNATURE.fullmatch(signature)
    if match is None:
        return None
    offset = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"]))
    try:
        zone = timezone(-offset if match["sign"] == b"-" else offset)
        return datetime.fromtimestamp(int(match["seconds"]), UTC).astimezone(zone)
    except (ValueError, OverflowError, OSError):
        return None
