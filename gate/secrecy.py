"""What must not be shown: secrets that are known, however written, and what looks like one. Pure.

``sound`` knows no secret and goes by the look of a text: credentials and queries of addresses, and words
that are followed by a password. ``Secrets`` knows them.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

MASK = "***"
SHORTEST = 4
"""Characters; to hide shorter ones would hide half of every text."""

_SHORTEST_FORM = 8
_CUT = "…"

_ADDRESS = re.compile(r"://[^\s'\"<>]*")
_QUERY = re.compile(r"[?#]")
_DIGEST = re.compile(r"sha\d+:")  # docker-pullable://name@sha256:... holds no credentials
_WORD = r"(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)"
_TOLD = re.compile(
    rf"((?:{_WORD}\\*[\"']?\s?=|{_WORD}\\*[\"']\s?:)\s?\\*[\"'])[^\"'\\]+"  # PASSWORD='a b', JSON inside of JSON too
    rf"|({_WORD}\\*[\"']?\s?=\s?)[^\s\"'&,;\\]+"  # --token=abc
    rf"|(--[a-z-]*{_WORD} \\*[\"']?)(?!-)[^\s\"'&,;\\]+"  # --token abc
    r"|(\bauthorization\\*[\"']?\s?[:=]\s?\\*[\"']?"
    r"(?:(?:bearer|basic|token|digest|negotiate) +|(?=[^\s\"',;\\]{0,99}\d)))"
    r"[^\s\"',;\\]+"
    r"|(\bbearer )(?=[^\s\"',;\\]{0,99}\d)[^\s\"',;\\]{8,}"
    r"|((?:set-)?cookie: )(?=[^\s\"']{1,99}=)[^\s\"']+",
    re.IGNORECASE,
)
_TELLING = ("token", "secret", "passw", "key", "bearer ", "authorization", "credential", "cookie", "passphrase")
_SHAPED = re.compile(
    r"gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)",
    re.DOTALL,
)
_SHAPES = ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "AKIA", "ASIA", "eyJ", "PRIVATE KEY")


def sound(text: str) -> str:
    """Fit to be shown and kept: without what may be a secret by its look.

    Halves of UTF-16 pairs, which JSON can name and no file or comment can hold, are replaced.
    """
    return without_credentials(text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8"))


def without_credentials(text: str) -> str:
    """The text without what may be a secret by its look, and every other character as it was."""
    return _short(text) if len(text) <= _SAID_AGAIN else _without_credentials(text)


def _without_credentials(text: str) -> str:
    if "://" in text:
        text = _ADDRESS.sub(lambda found: _bare(found[0]), text)
    lowered = text.lower()  # nearly every text holds none of these words, and they are quick to look for
    if any(word in lowered for word in _TELLING):
        text = _TOLD.sub(lambda found: next(filter(None, found.groups())) + MASK, text)
    return _SHAPED.sub(MASK, text) if any(shape in text for shape in _SHAPES) else text


def _bare(address: str) -> str:
    """From ``://`` on what names a place, and one in it, too: each pattern here reads a text once, however hostile."""
    place, *query = _QUERY.split(address, maxsplit=1)
    bare = "://".join(map(_without_user, place.split("://")))
    return f"{bare}?{MASK}" if query else bare


def _without_user(place: str) -> str:
    authority, slash, path = place.partition("/")
    _, at, host = authority.rpartition("@")
    return place if at == "" or _DIGEST.match(host) is not None else host + slash + path


_SAID_AGAIN = 200
"""Characters: shorter texts are said at every look again."""
_short = lru_cache(maxsize=2048)(_without_credentials)


class Secrets:
    """Those that a run knows; more may be learnt on the way. Its text form shows none."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._forms: dict[str, None] = {}
        self._shortest = 0
        self.learn(values)

    def __repr__(self) -> str:
        return f"<{len(self._forms)} forms of secrets>"

    def add(self, value: str) -> None:
        """Hide one more from now on; one that is too short to be told from other text is passed over."""
        if len(value.strip()) < SHORTEST or value in self._forms:
            return
        fresh = [*self._forms, *_forms(value)]
        self._forms = dict.fromkeys(sorted(fresh, key=len, reverse=True))  # the longest first
        self._shortest = min(map(len, self._forms))

    def learn(self, values: Iterable[str]) -> None:
        """Hide these from now on."""
        for value in values:
            self.add(value)

    def hide(self, text: str) -> str:
        """The text with every secret replaced, also one that is encoded, or of which a cut left the beginning."""
        if self._shortest == 0 or len(text) < min(self._shortest, _SHORTEST_FORM):
            return text
        for form in self._forms:
            if form in text:
                text = text.replace(form, MASK)
        return self._without_beginnings(text) if _CUT in text else text

    def _without_beginnings(self, text: str) -> str:
        """The text without what stands of a secret before the mark that something was cut off."""
        before, *parts = text.split(_CUT)
        made = [before, *parts]
        for number, part in enumerate(made[:-1]):
            for form in self._forms:
                kept = next((n for n in range(len(form) - 1, _SHORTEST_FORM - 1, -1) if part.endswith(form[:n])), 0)
                if kept:
                    made[number] = part[:-kept] + MASK
                    break
        return _CUT.join(made)


def mask(text: str, secrets: Iterable[str]) -> str:
    """The text with every one of these secrets in it replaced by ``***``."""
    return Secrets(secrets).hide(text)


def _forms(value: str) -> Iterator[str]:
    """A secret as it may stand in a text: bare, escaped, encoded, and a key line by line."""
    import json
    from urllib.parse import quote, quote_plus

    bare = value.strip()
    yield bare
    if len(bare) < _SHORTEST_FORM:
        return
    escaped = bare.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    quoted = (quote(bare), quote(bare, safe=""), quote_plus(bare), json.dumps(bare)[1:-1], repr(bare)[1:-1])
    lines = bare.splitlines() if "-----BEGIN" in bare else ()
    parts = (line.strip() for line in lines if not line.startswith("-----"))
    yield from (form for form in (escaped, *quoted, *_base64(bare), *parts) if len(form) >= _SHORTEST_FORM)


def _base64(value: str) -> Iterator[str]:
    """What is the same in every base64 of texts that hold this one, wherever it begins in them."""
    from base64 import b64encode, urlsafe_b64encode

    data = value.encode("utf-8", "replace")
    for before, gone in ((0, 0), (1, 2), (2, 3)):
        whole = (before + len(data)) * 8 // 6
        for encode in (b64encode, urlsafe_b64encode):
            yield encode(bytes(before) + data).decode()[gone:whole]
