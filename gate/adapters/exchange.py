"""What an HTTP request may carry, and what is kept of its answer: a capped body, its text, three headers."""

import codecs
import re
import zlib
from collections.abc import Mapping
from email.message import Message
from urllib.parse import urlsplit, urlunsplit

from pydantic import SecretStr

from gate.adapters.failures import one_line

BODY_CAP = 1024 * 1024
METHODS = ("GET", "HEAD", "POST")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONNECTION_OWN = frozenset(
    ("connection", "content-length", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade")
)
_KEPT = ("content-type", "date", "location")
# Python also registers codecs that are no charsets, and some that are slow on hostile input.
_CHARSETS = ("utf-", "ascii", "iso8859-", "cp125", "koi8-", "shift_jis", "euc_", "gb", "big5", "cp932")


def request_fault(method: str, headers: Mapping[str, SecretStr]) -> str | None:
    """Why a request cannot be sent with this method and these headers; None when it can. Tells no value."""
    if method not in METHODS:
        return f"the method {one_line(method, 16)} is not offered"
    for name, secret in headers.items():
        value = secret.get_secret_value()
        if not _TOKEN.fullmatch(name) or name.lower() in _CONNECTION_OWN or name.lower().startswith("proxy-"):
            return f"the header {one_line(name, 64)} cannot be set"
        if value != value.strip() or not value.isascii() or not value.isprintable():
            return f"the value of the header {name} holds a line break, outer blanks or characters beyond ASCII"
    return None


class UnknownEncoding(Exception):
    """The answer has a content encoding that was not asked for and cannot be undone."""


class CappedBody:
    """Collects a body piece by piece, undoes gzip or deflate, and stops at ``cap`` bytes."""

    def __init__(self, content_encoding: str = "", cap: int = BODY_CAP) -> None:
        self._cap = cap
        self._data = bytearray()
        self.truncated = False
        self._inflate = _decompressor(content_encoding)
        self._empty = True

    def feed(self, piece: bytes) -> bool:
        """Take a piece; False when enough was read. Raises UnknownEncoding for damaged compression."""
        room = self._cap + 1 - len(self._data)
        self._empty = self._empty and piece == b""
        if self._inflate is not None:
            try:
                piece = self._inflate.decompress(piece, room)
            except zlib.error as error:
                raise UnknownEncoding("the compressed body is damaged") from error
            if self._inflate.unused_data:
                raise UnknownEncoding("the compressed body has several parts")
            self.truncated = self.truncated or bool(self._inflate.unconsumed_tail)
        self._data += piece[:room]
        if len(self._data) > self._cap:
            self.truncated = True
            del self._data[self._cap :]
        return not self.truncated

    @property
    def data(self) -> bytes:
        """The bytes read so far, at most the cap."""
        return bytes(self._data)

    @property
    def complete(self) -> bool:
        """Whether the compressed stream, if there is one, reached its end."""
        return self._inflate is None or self._inflate.eof or self._empty


def _decompressor(content_encoding: str) -> "zlib._Decompress | None":
    encoding = content_encoding.strip().lower()
    if encoding in ("", "identity"):
        return None
    if encoding in ("gzip", "x-gzip"):
        return zlib.decompressobj(16 + zlib.MAX_WBITS)
    if encoding == "deflate":
        return zlib.decompressobj()
    raise UnknownEncoding(f"content encoding {one_line(encoding, 32)!r} was not asked for")


def body_text(data: bytes, content_type: str) -> str:
    """The body by its declared charset, else UTF-8; what cannot be decoded is replaced."""
    header = Message()
    header["content-type"] = one_line(content_type)
    charset = header.get_content_charset("utf-8")
    try:
        name = codecs.lookup(charset).name
    except (LookupError, ValueError):
        name = "utf-8"
    if not name.startswith(_CHARSETS):
        name = "utf-8"
    return data.decode(name, errors="replace")


def kept_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Content type, date and location, one line each; the location without query and credentials."""
    lowered = {name.lower(): value for name, value in headers.items()}
    kept = {name: one_line(lowered[name]) for name in _KEPT if name in lowered}
    if "location" in kept:
        kept["location"] = bare_url(lowered["location"])
    return kept


def bare_url(url: str) -> str:
    """A URL without credentials, query and fragment: those may hold secrets."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        return one_line(urlunsplit((parts.scheme, host, parts.path, "", "")))
    except ValueError:
        return "(not a URL)"
