"""JSON web tokens by which a GitHub App proves who it is: RS256, checked with its public key."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from time import time
from typing import Any

from gate.lab.github.exchange import ApiError
from gate.lab.github.identity import App

LONGEST = 600
DRIFT = 60
# The start of a SHA-256 digest as RSASSA-PKCS1-v1_5 signs it: RFC 8017, 9.2, note 1.
DIGEST_INFO = bytes.fromhex("3031300d060960864801650304020105000420")


def app_of(token: str, apps: Iterable[App]) -> App:
    """The App that this token proves; raises 401 in GitHub's words.

    Rules: signed with the App's key, issued in the past, good for ten minutes
    at most. Sources: https://docs.github.com/en/apps (generating a JSON web
    token for a GitHub App), octokit/auth-app.js#698 and #375,
    sigmavirus24/github3.py#1050, octokit/authentication-strategies.js#165.
    """
    header, claims, signature, signed = _parts(token)
    app = next((app for app in apps if str(claims.get("iss")) in {str(app.id), app.client_id}), None)
    if app is None:
        raise ApiError(HTTPStatus.NOT_FOUND, "Integration not found")
    if header.get("alg") != "RS256" or not verified(app.public_key, signed, signature):
        raise _refused("A JSON web token could not be decoded")
    expires, issued, now = claims.get("exp"), claims.get("iat"), time()
    if not isinstance(expires, int) or expires <= now:
        raise _refused(
            "'Expiration time' claim ('exp') must be a numeric value representing the future time at which"
            " the assertion expires"
        )
    if not isinstance(issued, int) or issued > now + DRIFT:
        raise _refused(
            "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
        )
    if expires > now + LONGEST:
        raise _refused("'Expiration time' claim ('exp') is too far in the future")
    return app


def _refused(message: str) -> ApiError:
    return ApiError(HTTPStatus.UNAUTHORIZED, message)


def _parts(token: str) -> tuple[dict[str, Any], dict[str, Any], bytes, bytes]:
    """Header, claims, signature, and what was signed."""
    pieces = token.split(".")
    try:
        header, claims, signature = (base64.urlsafe_b64decode(piece + "=" * (-len(piece) % 4)) for piece in pieces)
        parsed = json.loads(header), json.loads(claims)
    except (ValueError, binascii.Error) as error:
        raise _refused("A JSON web token could not be decoded") from error
    if not all(isinstance(part, dict) for part in parsed):
        raise _refused("A JSON web token could not be decoded")
    return (*parsed, signature, token.rpartition(".")[0].encode())


def verified(public_key: str, signed: bytes, signature: bytes) -> bool:
    """Whether the signature (RSASSA-PKCS1-v1_5, SHA-256) is that of this key."""
    modulus, exponent = _numbers(public_key)
    length = (modulus.bit_length() + 7) // 8
    digest = DIGEST_INFO + hashlib.sha256(signed).digest()
    wanted = b"\0\1" + b"\xff" * (length - len(digest) - 3) + b"\0" + digest
    return pow(int.from_bytes(signature), exponent, modulus) == int.from_bytes(wanted)


def _numbers(pem: str) -> tuple[int, int]:
    """Modulus and exponent of a PEM public key (SubjectPublicKeyInfo)."""
    lines = [line for line in pem.strip().splitlines() if not line.startswith("-----")]
    _, bits = _elements(next(_elements(base64.b64decode("".join(lines)))))
    modulus, exponent = _elements(next(_elements(bits[1:])))  # a bit string begins with its unused bits
    return int.from_bytes(modulus), int.from_bytes(exponent)


def _elements(der: bytes) -> Iterator[bytes]:
    """The contents of the DER elements that follow one another."""
    while der:
        length, start = der[1], 2
        if length & 0x80:
            start += length & 0x7F
            length = int.from_bytes(der[2:start])
        yield der[start : start + length]
        der = der[start + length :]
