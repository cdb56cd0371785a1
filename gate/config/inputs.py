"""The inputs of the action: the only reader of ``INPUT_*``. Pure; the environment is passed in.

The runner upper-cases the name of an input and keeps its hyphens, and gives an input that nobody
set as empty text. Here, and only here, empty text becomes "not given".
"""

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError, model_validator

from gate.config.addresses import check_url
from gate.config.duration import Between, parse_duration
from gate.config.problems import MAX_SHOWN, explain, nearest, printable
from gate.config.shapes import Configured, KubernetesName, Line, Misplaced, Name, Shape
from gate.errors import UsageError
from gate.observed import kebab

_PREFIX = "INPUT_"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")

REVISION = Shape(
    r"(?![-/])(?!.*\.\.)[^\s~^:?*\[\\\u0000-\u001f\u007f]+", "a commit id, or the name of a branch or tag", 255
)


APP_ID = Shape(r"[A-Za-z0-9._-]+", "the App ID or client ID of a GitHub App", 64)
AUDIENCE = Shape(r"[\u0021-\u007e]+", "the audience of a token: one word, or a URL", 255)
LOGIN = Shape(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})(?:\[bot\])?", "the login of an account, such as my-app[bot]", 64)


class Mode(StrEnum):
    """What the action is to do."""

    CHECK = "check"
    BUMP = "bump"
    RECHECK = "recheck"
    APPROVE = "approve"


def _mode(value: object) -> Mode:
    if value not in list(Mode):
        near = nearest(value, list(Mode)) if isinstance(value, str) else None
        hint = f"; did you mean {near}?" if near is not None else ""
        raise ValueError(f"expected check, bump, recheck or approve{hint}")
    return Mode(str(value))


def _flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if value not in ("true", "false"):
        raise ValueError("expected true or false, in lower case")
    return value == "true"


def _secret(value: object) -> object:
    return SecretStr(value) if isinstance(value, str) else value


def _token(value: SecretStr) -> SecretStr:
    if re.fullmatch(r"[\u0021-\u007e]+", value.get_secret_value()) is None:
        raise ValueError("a token is one word without blanks; was a file or a quoted text given?")
    return value


def _api_server(url: str) -> str:
    parts = urlsplit(check_url(url))
    if parts.scheme != "https" and parts.hostname not in _LOOPBACK:
        raise ValueError("expected https://HOST[:PORT]; a token is not sent without TLS")
    return url.rstrip("/")


_Flag = Annotated[bool, BeforeValidator(_flag)]
_Secret = Annotated[SecretStr, BeforeValidator(_secret)]


class Inputs(Configured):
    """What the workflow gave to the action; None where it gave nothing. Secrets never show in its repr.

    ``kubeconfig``, ``server_ca`` and ``github_ca`` are a path or the content. ``warnings`` are for the log.
    """

    mode: Annotated[Mode, BeforeValidator(_mode)] = Mode.CHECK
    environment: Name
    config: Line = "promotion-gate.yaml"
    revision: Annotated[str, REVISION] | None = None
    application: KubernetesName | None = None
    allow_older: _Flag = False
    check: _Flag = True
    dry_run: _Flag = False
    evidence: Line | None = None
    evidence_branch: Annotated[str, REVISION] | None = None
    repo: Line | None = None
    github_token: Annotated[_Secret, AfterValidator(_token)] | None = None
    app_id: Annotated[str, APP_ID] | None = None
    app_private_key: _Secret | None = None
    github_ca: Annotated[str, Field(min_length=1)] | None = Field(default=None, repr=False)
    kubeconfig: _Secret | None = None
    context: Line | None = None
    server: Annotated[str, AfterValidator(_api_server)] | None = None
    server_token: Annotated[_Secret, AfterValidator(_token)] | None = None
    oidc_audience: Annotated[str, AUDIENCE] | None = None
    server_ca: Annotated[str, Field(min_length=1)] | None = Field(default=None, repr=False)
    timeout: Annotated[timedelta, BeforeValidator(parse_duration), Between(timedelta(seconds=2))] | None = None
    publish: _Flag = True
    comment: _Flag = True
    comment_author: Annotated[str, LOGIN] = "github-actions[bot]"
    warnings: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _with_bump(self) -> "Inputs":
        if self.mode is not Mode.BUMP:
            for name in ("application", "allow_older", "check", "dry_run"):
                if getattr(self, name) != type(self).model_fields[name].default:
                    raise Misplaced("goes with mode: bump", kebab(name))
        return self

    @model_validator(mode="after")
    def _with_approve(self) -> "Inputs":
        if self.mode is not Mode.APPROVE and self.evidence is not None:
            raise Misplaced("goes with mode: approve", "evidence")
        return self

    @model_validator(mode="after")
    def _recheck_finds_it(self) -> "Inputs":
        if self.mode is Mode.RECHECK and self.revision is not None:
            raise Misplaced("goes with another mode: a re-check reads it from each pull request", "revision")
        return self

    @model_validator(mode="after")
    def _one_way_in(self) -> "Inputs":
        if self.server is None:
            for name in ("server_token", "oidc_audience", "server_ca"):
                if getattr(self, name) is not None:
                    raise Misplaced("goes with server, which is not given", kebab(name))
            return self
        if self.kubeconfig is not None or self.context is not None:
            raise Misplaced("give either server with server-token, or kubeconfig with context", "server")
        if self.server_token is None and self.oidc_audience is None:
            raise Misplaced("needs server-token, or oidc-audience for a GitHub OIDC token", "server")
        if self.server_token is not None and self.oidc_audience is not None:
            raise Misplaced("give either server-token or oidc-audience", "oidc-audience")
        return self

    @model_validator(mode="after")
    def _whole_app(self) -> "Inputs":
        if (self.app_id is None) != (self.app_private_key is None):
            here, missing = ("app-id", "app-private-key")[:: 1 if self.app_private_key is None else -1]
            raise Misplaced(f"goes with {missing}, which is empty; a pull request from a fork gets no secrets", here)
        return self


NAMES: tuple[str, ...] = tuple(kebab(name) for name in Inputs.model_fields if name != "warnings")


def parse_inputs(environ: Mapping[str, str]) -> Inputs:
    """The inputs that a runner put into the environment of the action.

    Raises UsageError that lists everything wrong with them, by the names of ``with:``.
    """
    given: dict[str, str] = {}
    problems: list[str] = []
    warnings: list[str] = []
    for name in NAMES:
        variable = f"{_PREFIX}{name.upper()}"
        other = variable.replace("-", "_")
        value = _given(environ, variable)
        if value is not None:
            given[name] = value
        if other == variable or _given(environ, other) is None:
            continue
        if value is None:
            problems.append(f"{name}: {other} is set and {variable} is not; an input is spelled with hyphens: {name}")
        else:
            warnings.append(f"{other} is ignored; the input is spelled {name}.")
    warnings += _unknown(environ)
    return make_inputs(given, warnings=warnings, problems=problems)


def make_inputs(given: Mapping[str, str], *, warnings: Sequence[str] = (), problems: Sequence[str] = ()) -> Inputs:
    """The inputs from values by name, where ``problems`` were found before.

    Raises UsageError that names every input that is wrong, and repeats no value.
    """
    spelled = {problem.partition(":")[0] for problem in problems}
    try:
        inputs = Inputs.model_validate({**given, "warnings": tuple(warnings)}, by_alias=True, by_name=False)
    except ValidationError as error:
        found = [(str(one.path[0]), one.message) for one in explain(error, Inputs, given, {})]
        problems = [*problems, *(f"{name}: {message}" for name, message in found if name not in spelled)]
    else:
        if len(problems) == 0:
            return inputs
    shown = "\n".join(f"  {problem}" for problem in problems[:MAX_SHOWN])
    raise UsageError(
        f"The inputs of the action cannot be used:\n{shown}",
        means="the step's `with:` leaves out an input, misspells one, or gives it a value of another kind.",
        change="mend the inputs named above; README.md lists them all.",
    )


def _given(environ: Mapping[str, str], variable: str) -> str | None:
    """The value, without blanks around it where it is one line; None when it is missing or blank."""
    value = environ.get(variable, "")
    bare = value.strip()
    if bare == "":
        return None
    return value if "\n" in bare else bare


def _unknown(environ: Mapping[str, str]) -> list[str]:
    known = {f"{_PREFIX}{name.upper()}" for name in NAMES}
    known |= {variable.replace("-", "_") for variable in known}
    warnings = []
    for variable in sorted(environ):
        if not variable.startswith(_PREFIX) or variable in known:
            continue
        name = variable.removeprefix(_PREFIX).lower()
        near = nearest(name, NAMES)
        hint = f"; did you mean {near}?" if near is not None else "."
        warnings.append(f"unknown input {printable(name)} is ignored{hint}")
    return warnings
