"""A GitHub OIDC token as bearer token, for an API server that trusts GitHub as an issuer of identities.

The runner gives one out to a job with ``id-token: write``. It is good for some minutes only, so it is
fetched anew before it ends, however long the gate waits.
"""

import asyncio
import base64
import binascii
import json
import re
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from yarl import URL

from gate.adapters.failures import Cause, ReadFailed, describe_network_error
from gate.adapters.kubernetes.server import check_proxy, check_server, environment_proxy
from gate.adapters.retry import Patience, read_with_retry, transient_answer
from gate.errors import AccessError

WHAT = "the GitHub OIDC token"
_ADDRESS, _SECRET = "ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"
_PATIENCE = Patience(attempts=3, first_wait=0.5, longest_wait=2.0)
_LIMIT = 10.0
_LONGEST = 64 * 1024
_EARLY = 60.0
_UNKNOWN_LIFE = 240.0
_JWT = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+){2}")


@dataclass(frozen=True)
class Issued:
    """A token and, by the monotonic clock, when to fetch the next one and when this one ends."""

    token: str = field(repr=False)
    renew_at: float
    ends_at: float


class IdentityTokens:
    """The tokens of one audience.

    Raises AccessError where the job has no right to them, or nothing answers at the runner's address.
    """

    def __init__(self, audience: str, environ: Mapping[str, str]) -> None:
        address, self._secret = environ.get(_ADDRESS, ""), environ.get(_SECRET, "")
        if address == "" or self._secret == "":
            raise AccessError(
                f"There is no GitHub OIDC token to log in to the cluster with: {_ADDRESS} is not set.",
                means="the job lacks the permission id-token: write, the pull request is one of a fork, or this does"
                " not run in a workflow.",
                change="add `id-token: write` to the permissions of the job.",
            )
        # The query is the runner's own; it only has to be left out of the check.
        self._server = check_server(address.partition("?")[0], _ADDRESS)
        self._url = URL(address, encoded=True).update_query(audience=audience)
        self._proxy = check_proxy(environment_proxy(self._server, environ), "the environment")
        self._authority = environ.get("REQUESTS_CA_BUNDLE") or environ.get("SSL_CERT_FILE") or None
        self._lock = asyncio.Lock()
        self._issued: Issued | None = None

    async def first(self) -> str:
        """The first token; raises AccessError where there is none to be had."""
        try:
            return await self.current()
        except ReadFailed as failure:
            raise AccessError(
                f"The GitHub OIDC token cannot be had: {failure.error}.",
                means="GitHub's token service is away, or refuses this job or audience.",
                change="run the job again; if it stays so, look at `permissions: {id-token: write}` and the audience.",
            ) from None

    async def current(self) -> str:
        """A token that is good for a while yet; raises ReadFailed."""
        async with self._lock:
            known, now = self._issued, time.monotonic()
            if known is not None and now < known.renew_at:
                return known.token
            try:
                self._issued = await read_with_retry(self._fetch, what=WHAT, patience=_PATIENCE)
            except ReadFailed:
                if known is not None and time.monotonic() < known.ends_at:
                    return known.token
                raise
            return self._issued.token

    async def _fetch(self) -> Issued:
        status, headers, body = await self._ask()
        transient = transient_answer(WHAT, status, headers, now=time.time())
        if transient is not None:
            raise transient
        if status != 200:
            raise ReadFailed(WHAT, f"{self._server.host} answered with HTTP {status}", status)
        try:
            token = json.loads(body)["value"]
        except (ValueError, RecursionError, KeyError, TypeError):
            token = None
        if not isinstance(token, str) or _JWT.fullmatch(token) is None:
            raise ReadFailed(WHAT, f"what {self._server.host} answered is no token", status, cause=Cause.MALFORMED)
        life, now = life_of(token), time.monotonic()
        return Issued(token, now + max(life - _EARLY, life / 2), now + life)

    async def _ask(self) -> tuple[int, dict[str, str], bytes]:
        headers = {"Authorization": f"Bearer {self._secret}", "Accept": "application/json"}
        limit = aiohttp.ClientTimeout(total=_LIMIT)
        try:
            trust = ssl.create_default_context(cafile=self._authority)
            async with (
                aiohttp.ClientSession(timeout=limit, cookie_jar=aiohttp.DummyCookieJar()) as session,
                session.get(
                    self._url, headers=headers, ssl=trust, proxy=self._proxy, allow_redirects=False
                ) as response,
            ):
                body = await response.content.read(_LONGEST)
                return response.status, {k.lower(): v for k, v in response.headers.items()}, body
        except TimeoutError:
            text = f"{self._server.host} did not answer in {_LIMIT:g} s"
            raise ReadFailed(WHAT, text, cause=Cause.TIMEOUT) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            cause, text = describe_network_error(error, self._server.host)
            raise ReadFailed(WHAT, text, cause=cause) from None


def life_of(token: str) -> float:
    """Seconds for which a token is good, by its own issuer's clock; four minutes where it does not say."""
    try:
        payload = token.split(".")[1]
        claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        life = float(claims["exp"]) - float(claims["iat"])
    except (IndexError, KeyError, TypeError, ValueError, binascii.Error, RecursionError):
        return _UNKNOWN_LIFE
    return life if 0 < life < 86_400 else _UNKNOWN_LIFE
