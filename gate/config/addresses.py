"""Where a request goes: Service and workload addresses, URLs and paths. Pure, looks nothing up."""

import re
from typing import ClassVar, Self
from urllib.parse import unquote, urlsplit

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from gate.config.shapes import SERVICE, WORKLOAD, Shape

_PLAIN = re.compile(r"[\u0021-\u007e]+")


class _Address(str):
    """A text with parts, so that it reads in messages as it stands in the file."""

    __slots__ = ()
    shape: ClassVar[Shape] = WORKLOAD

    @classmethod
    def parse(cls, text: str) -> Self:
        """The address; raises ValueError with an example."""
        return cls(cls.shape.check(text))

    @property
    def namespace(self) -> str:
        """The part before the slash."""
        return self.partition("/")[0]

    @property
    def name(self) -> str:
        """The part after the slash, without a port."""
        return self.partition("/")[2].partition(":")[0]

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Parse a text, or an address that was parsed before."""
        return core_schema.no_info_after_validator_function(cls.parse, core_schema.str_schema(strict=True))

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Tell editors the pattern."""
        return cls.shape.__get_pydantic_json_schema__(schema, handler)


class WorkloadAddress(_Address):
    """``namespace/name`` of a Deployment."""

    __slots__ = ()


class ServiceAddress(_Address):
    """``namespace/service:port``; the port is a name or a number."""

    __slots__ = ()
    shape: ClassVar[Shape] = SERVICE

    @classmethod
    def parse(cls, text: str) -> Self:
        """The address; raises ValueError with an example, also for a port over 65535."""
        address = super().parse(text)
        if address.port.isdigit() and not 0 < int(address.port) <= 65535:
            raise ValueError("a port number is between 1 and 65535")
        return address

    @property
    def port(self) -> str:
        """The port as it is written, a name or a number."""
        return self.partition(":")[2]


def check_path(path: str) -> str:
    """The path with its query; raises ValueError unless it stays below the host it is sent to."""
    before_query = path.partition("?")[0]
    if not path.startswith("/") or path.startswith("//"):
        raise ValueError("a path starts with one slash, for example /version")
    if _PLAIN.fullmatch(path) is None or any(letter in path for letter in "\\#"):
        raise ValueError("a path holds no blanks, backslashes, # or letters outside ASCII; percent-encode them")
    if any(letter in path for letter in "{}"):
        raise ValueError("a path holds no braces: templates belong in expect")
    if any(unquote(part) in (".", "..") or "/" in unquote(part) for part in before_query.split("/")):
        raise ValueError("a path holds no . or .. segments and no encoded slashes")
    return path


def check_url(url: str) -> str:
    """The URL; raises ValueError, without repeating it, unless it names a host and carries no credentials."""
    if _PLAIN.fullmatch(url) is None:
        raise ValueError("a URL holds no blanks and no letters outside ASCII")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError("not a URL; write for example https://shop.example.org/version") from None
    if parts.scheme not in ("http", "https") or parts.hostname is None or parts.hostname == "" or port == 0:
        raise ValueError("expected https://HOST or http://HOST, with a path where wanted")
    if "@" in parts.netloc:
        raise ValueError("credentials do not belong in a URL; send them with headers")
    if "#" in url:
        raise ValueError("a URL is written without a fragment (#)")
    if parts.path != "" or parts.query != "":
        check_path(("/" if parts.path == "" else parts.path) + (f"?{parts.query}" if parts.query != "" else ""))
    return url


def has_path(url: str) -> bool:
    """Whether the URL says more than scheme, host and port."""
    parts = urlsplit(url)
    return parts.path not in ("", "/") or parts.query != ""
