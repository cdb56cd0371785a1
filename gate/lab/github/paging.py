"""Pages and the Link header."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode

from gate.lab.github.exchange import Reply, Request

T = TypeVar("T")


def page_of(request: Request, items: Sequence[T], default: int = 30) -> tuple[list[T], dict[str, str]]:
    """The page asked for, and the headers that lead to the others.

    Rule: 30 a page unless told, 100 at most, no Link header for one page.
    Source: https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
    """
    size = min(max(_number(request, "per_page", default), 1), 100)
    page = max(_number(request, "page", 1), 1)
    last = max(-(-len(items) // size), 1)
    pages = {"prev": page - 1, "next": page + 1, "last": last, "first": 1}
    if page >= last:
        del pages["next"], pages["last"]
    if page == 1:
        del pages["prev"], pages["first"]
    links = ", ".join(f'<{_url(request, number)}>; rel="{rel}"' for rel, number in pages.items())
    start = (page - 1) * size
    return list(items[start : start + size]), {"Link": links} if links else {}


def paginated(request: Request, items: Sequence[Any]) -> Reply:
    """A list endpoint's answer."""
    page, headers = page_of(request, items)
    return Reply(body=page, headers=headers)


def _number(request: Request, name: str, default: int) -> int:
    text = request.query.get(name, "")
    return int(text) if text.isdecimal() else default


def _url(request: Request, page: int) -> str:
    return f"{request.api}{request.path}?{urlencode({**request.query, 'page': page})}"
