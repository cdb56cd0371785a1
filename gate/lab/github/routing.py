"""From a method and a path to the function that answers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from gate.lab.github.exchange import ApiError, Reply, Request, invalid, not_found, unprocessable
from gate.lab.github.identity import Identity
from gate.lab.github.state import Pull, Repository, World

# Parameters that may hold slashes, sent raw or as %2F.
MULTI_SEGMENT = {"ref", "path", "basehead", "branch"}
REPOSITORY = "/repos/{owner}/{repo}"
JSON_TYPES = {str: "a string", bool: "a boolean", list: "an array", dict: "an object"}


@dataclass(frozen=True)
class Call:
    """One request on its way through: who asks what, about which repository."""

    world: World
    request: Request
    identity: Identity
    parameters: dict[str, str]
    known_repository: Repository | None

    @property
    def repository(self) -> Repository:
        """The repository in the path."""
        if self.known_repository is None:
            raise not_found()
        return self.known_repository

    @property
    def url(self) -> str:
        """The repository's API address."""
        return f"{self.request.api}/repos/{self.repository.full_name}"

    @property
    def web(self) -> str:
        """The repository's address for people."""
        return f"{self.request.server}/{self.repository.full_name}"

    @property
    def body(self) -> dict[str, Any]:
        """The request's JSON object."""
        if not isinstance(self.request.body, dict):
            raise ApiError(400, "Problems parsing JSON")
        return self.request.body

    def required(self, resource: str, *names: str) -> None:
        """Refuse a body without these fields.

        Rule: 422 with code "missing_field". Source:
        https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
        """
        for name in names:
            if self.body.get(name) is None:
                raise invalid(resource, "missing_field", field=name)

    def expect(self, **kinds: type) -> None:
        """Refuse fields of the wrong JSON type; null counts as not given.

        Rule: 422 that names the field. Source:
        https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
        """
        for name, kind in kinds.items():
            value = self.body.get(name)
            if value is not None and not isinstance(value, kind):
                message = f"Invalid request.\n\nFor 'properties/{name}', {value!r} is not {JSON_TYPES[kind]}."
                raise unprocessable(message)

    def pull(self, parameter: str) -> Pull:
        """The pull request with the number in the path."""
        text = self.parameters[parameter]
        pull = self.repository.pulls.get(int(text)) if text.isdecimal() else None
        if pull is None:
            raise not_found()
        return pull


Handler = Callable[[Call], Reply]


@dataclass(frozen=True)
class Route:
    """One operation: `template` is the description's path, `needs` any one permission of it.

    `for_app`: the caller proves to be an App by a JSON web token instead of a token.
    """

    method: str
    template: str
    pattern: re.Pattern[str]
    needs: tuple[tuple[str, str], ...]
    handler: Handler
    for_app: bool = False

    def match(self, method: str, path: str) -> dict[str, str] | None:
        """The path's parameters, decoded, if this operation is meant."""
        found = self.pattern.fullmatch(path) if method == self.method else None
        if found is None:
            return None
        return {name: unquote(value) for name, value in found.groupdict().items()}


class Router:
    """A list of routes, filled by decorators, tried in order."""

    def __init__(self) -> None:
        self.routes: list[Route] = []

    def add(
        self,
        method: str,
        template: str,
        *needs: tuple[str, str],
        alias: str | None = None,
        for_app: bool = False,
    ) -> Callable[[Handler], Handler]:
        """Register a handler; `alias` is a path GitHub also answers but does not describe."""

        def register(handler: Handler) -> Handler:
            pattern = compile_template(alias or template)
            self.routes.append(Route(method, template, pattern, needs, handler, for_app))
            return handler

        return register

    def find(self, method: str, path: str) -> tuple[Route, dict[str, str]] | None:
        """The first route that fits."""
        for route in self.routes:
            parameters = route.match(method, path)
            if parameters is not None:
                return route, parameters
        return None


def compile_template(template: str) -> re.Pattern[str]:
    """A path template as a regular expression."""

    def group(match: re.Match[str]) -> str:
        name = match[1]
        return f"(?P<{name}>{'.*' if name in MULTI_SEGMENT else '[^/]+'})"

    return re.compile(re.sub(r"\{(\w+)\}", group, template))
