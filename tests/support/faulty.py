"""The gate with a fault in it, to be forked: what it prints of an exception in which secrets stand.

``GATE_FAULT`` names a function (``module:name``) that raises in place of what it does; ``SECRETS`` is what the
exceptions say, whose locals hold it as well. Before that a library logs, warns of and loses a thread to ``LOGGED``.
"""

from __future__ import annotations

import importlib
import inspect
import logging
import os
import threading
import warnings
from typing import Any, NoReturn
from unittest.mock import patch

import httpx
from aiohttp import ClientResponseError, RequestInfo
from github import GithubException
from kubernetes.aio.client import ApiException
from multidict import CIMultiDict, CIMultiDictProxy
from pydantic import BaseModel
from yarl import URL

import gate.__main__


class _Answer:
    """As the Kubernetes client has it."""

    status, reason, data = 403, "Forbidden", ""

    def __init__(self, text: str) -> None:
        self.data, self.headers = text, {"Authorization": text}

    def getheaders(self) -> dict[str, str]:
        """The headers."""
        return self.headers


class _Model(BaseModel):
    number: int


def client_errors(text: str) -> list[Exception]:
    """What the clients of others raise, with headers, bodies and inputs in it."""
    request = httpx.Request("GET", "https://x.example/", headers={"Authorization": text})
    headers = CIMultiDictProxy(CIMultiDict({"Authorization": text}))
    about = RequestInfo(URL("https://x.example/"), "GET", headers, URL("https://x.example/"))
    found: list[Exception] = [
        httpx.HTTPStatusError(text, request=request, response=httpx.Response(500, text=text, request=request)),
        ClientResponseError(about, (), status=500, message=text, headers=headers),
        ApiException(http_resp=_Answer(text)),
        GithubException(401, {"message": text}, {"authorization": text}, text),
        KeyError(text),
        OSError(5, text, f"/{text}"),
    ]
    try:
        _Model(number=text)  # type: ignore[arg-type]  # that is the fault
    except ValueError as error:
        found.append(error)
    return found


def chained(text: str) -> Exception:
    """All of them, each raised from the one before, with the text in locals, in a group at last."""
    before: Exception | None = None
    for error in client_errors(text):
        error.add_note(text)
        try:
            _raise(error, before, {"local": text})
        except type(error) as raised:
            before = raised
    assert before is not None
    return ExceptionGroup(text, [before, RuntimeError(text)])


def _raise(error: Exception, before: Exception | None, _held: object) -> NoReturn:
    raise error from before


def main() -> int:
    """Run the gate with the fault."""
    text, (module, _, name) = os.environ["SECRETS"], os.environ["GATE_FAULT"].partition(":")
    target: Any = importlib.import_module(module)
    *inner, last = name.split(".")
    for part in inner:
        target = getattr(target, part)

    logged = os.environ["LOGGED"]

    def fail(*_given: Any, **_named: Any) -> NoReturn:
        logging.getLogger("urllib3").error("Retrying %s", logged)
        warnings.warn(logged, stacklevel=1)
        thread = threading.Thread(target=lambda: _raise(RuntimeError(logged), None, logged))
        thread.start()
        thread.join()
        raise chained(text)

    async def fail_later(*_given: Any, **_named: Any) -> NoReturn:
        fail()

    made = fail_later if inspect.iscoroutinefunction(getattr(target, last)) else fail
    with patch.object(target, last, made):
        return gate.__main__.main()
