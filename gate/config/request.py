"""One request and what its answer has to be. No reading of files, no sending."""

import re
from datetime import timedelta
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, field_validator, model_validator

from gate.config.addresses import ServiceAddress, WorkloadAddress, check_path, check_url, has_path
from gate.config.duration import Between, Duration
from gate.config.expressions import check_json_path, check_regex, check_text
from gate.config.shapes import HEADER, Configured, Line, Misplaced, Name, Text
from gate.config.templates import Template, templates_in

Route = Literal["service-proxy", "cluster", "external"]

_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
# Names that are credentials themselves: an access key id of a cloud is upper-case letters and digits.
_CREDENTIAL = re.compile(r"A[A-Z]{3}[A-Z0-9]{16}|[A-F0-9]{16,}|[A-Z0-9]{25,}")
_RUNNER_OWN = ("ACTIONS_", "GITHUB_", "INPUT_", "RUNNER_", "KUBECONFIG")
# They belong to the connection, which the gate makes itself.
_CONNECTION = frozenset({"connection", "content-length", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"})


def check_variable(name: str) -> str:
    """The name of an environment variable; raises ValueError, never repeating what may be a secret."""
    if len(name) > 100 or _VARIABLE.fullmatch(name) is None or _CREDENTIAL.fullmatch(name) is not None:
        raise ValueError(
            "expected the NAME of an environment variable that holds the value, for example ORDERS_TOKEN;"
            " if this was the value itself, it is in Git now and has to be replaced"
        )
    if name.startswith(_RUNNER_OWN):
        raise ValueError("this variable belongs to the runner or to the gate and is sent to nobody")
    return name


def check_header(name: str) -> str:
    """The name of a header that a request may set; raises ValueError otherwise."""
    if HEADER.check(name).lower() in _CONNECTION:
        raise ValueError("this header belongs to the connection, which the gate makes itself")
    return name


class Expectation(Configured):
    """What every answer must be. Texts may hold templates such as ``{label:KEY}``.

    All that is given must hold. An expectation with a template tells releases apart.
    """

    status: Annotated[int, Field(ge=200, le=499)] = Field(
        default=200, description="The HTTP status that every answer must have. A 5xx is a fault and never expected."
    )
    json_values: dict[Annotated[Text, AfterValidator(check_json_path)], Annotated[Text, AfterValidator(check_text)]] = (
        Field(
            default_factory=dict,
            alias="json",
            description="JSONPath to the text that it must select in the body. Texts may hold templates.",
        )
    )
    regex: Annotated[Text, AfterValidator(check_regex)] | None = Field(
        default=None,
        description="Python regular expression that must be found in the body. May hold templates; "
        "a brace that is meant as itself is doubled: [0-9]{{3}}.",
    )
    body: Annotated[Text, AfterValidator(check_text)] | None = Field(
        default=None, description="The whole body, to the byte. May hold templates; double other braces."
    )

    @field_validator("json_values")
    @classmethod
    def _not_nothing(cls, values: dict[str, str]) -> dict[str, str]:
        if len(values) == 0:
            raise ValueError("must not be empty: leave the key out, or expect something")
        return values

    @property
    def texts(self) -> tuple[str, ...]:
        """Every text that may hold templates."""
        return (*self.json_values.values(), *(text for text in (self.regex, self.body) if text is not None))

    @property
    def templates(self) -> tuple[Template, ...]:
        """Every template used, each once, in order."""
        return tuple(dict.fromkeys(template for text in self.texts for template in templates_in(text)))

    @property
    def identity(self) -> bool:
        """Whether it holds at least one template, without which it does not tell releases apart."""
        return self.templates != ()


class Request(Configured):
    """One request that has to be answered by the new release, by a named route."""

    name: Name = Field(description="How verdict and evidence call this request; each name once per environment.")
    service: ServiceAddress | None = Field(
        default=None,
        description="namespace/service:port. By route service-proxy it goes through the API server, "
        "by route cluster straight to the Service. Exactly one of service and url.",
    )
    url: Annotated[str, Field(max_length=2048), AfterValidator(check_url)] | None = Field(
        default=None,
        description="Where a user would send it: https://HOST[:PORT][/PATH?QUERY]. Exactly one of service and url.",
    )
    route: Route | None = Field(
        default=None,
        description="How the request goes out. Default: service-proxy for a service, external for a url.",
    )
    workload: WorkloadAddress | None = Field(
        default=None,
        description="namespace/name of the Deployment that a url must reach; templates get their values from its spec. "
        "Required with url, refused with service, behind which the workload is found.",
    )
    method: Literal["GET", "HEAD", "POST"] = Field(default="GET", description="HTTP method. POST sends an empty body.")
    path: Annotated[str, Field(max_length=2048), AfterValidator(check_path)] = Field(
        default="/", description="Path and query. With a url either here or in the url, not in both."
    )
    headers: dict[Annotated[str, AfterValidator(check_header)], Annotated[str, AfterValidator(check_variable)]] = Field(
        default_factory=dict,
        description="Header name to the NAME of the environment variable that holds its value. Never the value itself.",
    )
    expect: Expectation = Field(default_factory=Expectation, description="What every answer must be.")
    samples: Annotated[int, Field(ge=1, le=50)] = Field(
        default=3, description="How many answers are asked for, each over a fresh connection; all must match."
    )
    timeout: Annotated[Duration, Between(timedelta(milliseconds=100), timedelta(minutes=5))] = Field(
        default=timedelta(seconds=5), description="How long one answer may take."
    )
    ca_file: Line | None = Field(
        default=None, description="PEM file with the certificate authorities to trust instead of the usual ones."
    )

    @model_validator(mode="after")
    def _goes_somewhere(self) -> "Request":
        if (self.service is None) == (self.url is None):
            raise ValueError("give exactly one of service (namespace/service:port) and url")
        if self.url is not None:
            if self.route == "service-proxy":
                raise Misplaced("a url goes by route external or cluster, never by service-proxy", "route")
            if self.workload is None:
                raise ValueError("a url needs workload: namespace/name of the Deployment it must reach")
            if has_path(self.url) and self.path != "/":
                raise Misplaced("give the path once: in url or in path", "path")
        else:
            if self.route == "external":
                raise Misplaced("a service goes by route service-proxy or cluster; route external needs a url", "route")
            if self.workload is not None:
                raise Misplaced("workload goes with url; behind a service the gate finds it", "workload")
        return self

    @model_validator(mode="after")
    def _can_be_answered(self) -> "Request":
        if self.expect.texts != () and (self.method == "HEAD" or self.expect.status in (204, 205, 304)):
            raise Misplaced("an answer to HEAD, or with status 204, 205 or 304, has no body", "expect")
        names = [name.lower() for name in self.headers]
        if len(set(names)) != len(names):
            raise Misplaced("one header stands there twice; upper and lower case are the same header", "headers")
        if self.by_route == "service-proxy":
            if any(name == "authorization" or name.startswith("impersonate-") for name in names):
                raise Misplaced(
                    "by route service-proxy the API server takes Authorization and Impersonate-* headers for itself;"
                    " use route cluster or external",
                    "headers",
                )
            if self.ca_file is not None:
                raise Misplaced("by route service-proxy the kubeconfig says whom to trust", "ca-file")
        return self

    @property
    def by_route(self) -> Route:
        """The route in force: what is written, else service-proxy for a Service, external for a URL."""
        if self.route is not None:
            return self.route
        return "service-proxy" if self.service is not None else "external"

    @property
    def full_url(self) -> str | None:
        """Where a ``url`` request goes, path and query included; None for a ``service`` request."""
        if self.url is None or has_path(self.url):
            return self.url
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}{self.path}"
