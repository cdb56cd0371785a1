"""What a workflow run is about: the event's payload and ``GITHUB_*`` as one model. Pure."""

import json
import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, ValidationError

from gate.config.about import FULL_ID, About, about_event, bad_event, full_id
from gate.config.payload import Payload
from gate.config.problems import printable
from gate.errors import UsageError
from gate.observed import Frozen

_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*/(?!\.{1,2}$)[A-Za-z0-9_.-]+")
_ADDRESS = re.compile(r"https?://[A-Za-z0-9._:\[\]-]+(?:/[A-Za-z0-9._/-]*)?")
_READ_ONLY_FOR_FORKS = frozenset({"pull_request", "pull_request_review", "pull_request_review_comment"})
_ABOUT_ITS_SHA = frozenset({"push", "merge_group", "workflow_dispatch", "repository_dispatch", "schedule"})
_DEPENDABOT = "dependabot[bot]"


class Run(Frozen):
    """One attempt of one workflow run.

    ``commit`` names the reported commit, which the status goes on: a full id, or another name where a
    person gave one, to be resolved once. ``configuration_ref`` is where the configuration is read: always of
    the default branch, since nothing may loosen its own gate. ``proposed_to`` is that branch (or ``HEAD``)
    for a commit that is, or may be, a change to it; None for a commit of the branch itself.
    ``base_branch`` is what a pull request or merge group goes into, or the branch that was pushed.
    ``pull_request`` is the number that the event names; the commit may belong to one all the same.
    ``message`` is the commit's, where the event tells it.
    ``read_only`` says that the token of this event cannot write, ``maybe_read_only`` that it cannot unless
    the workflow grants it (Dependabot's).
    """

    event: str
    repository: str
    server_url: str
    api_url: str
    run_id: Annotated[int, Field(ge=1)]
    attempt: Annotated[int, Field(ge=1)]
    commit: str
    configuration_ref: str
    proposed_to: str | None = None
    base_branch: str | None = None
    head_branch: str | None = None
    pull_request: Annotated[int, Field(ge=1)] | None = None
    is_fork: bool = False
    read_only: bool = False
    maybe_read_only: bool = False
    message: str = ""

    @property
    def reported(self) -> str | None:
        """The reported commit as a full id; None while ``commit`` is a name to be resolved."""
        return self.commit if FULL_ID.fullmatch(self.commit) is not None else None

    @property
    def run_url(self) -> str:
        """The page of this attempt."""
        return f"{self.server_url}/{self.repository}/actions/runs/{self.run_id}/attempts/{self.attempt}"


def parse_payload(text: str | bytes, where: str) -> Payload:
    """The content of the event file; ``where`` names it in errors. Raises UsageError."""
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise bad_event(f"The event file {printable(where, 200)} is not JSON.") from error
    if not isinstance(raw, dict):
        raise bad_event(f"The event file {printable(where, 200)} holds no JSON object.")
    try:
        return Payload.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise bad_event(f"In the event file {printable(where, 200)}, {field}: {first['msg']}.") from None


def parse_run(
    environment: Mapping[str, str], payload: Payload, *, commit: str | None = None, pull_request: int | None = None
) -> Run:
    """The run that the runner's variables and the event's payload describe.

    ``commit`` and ``pull_request``, where a person gave them, win over what the event says. Raises
    UsageError for a variable or field that is missing or wrong, and for an event that names no commit.
    """
    event = _variable(environment, "GITHUB_EVENT_NAME")
    about = about_event(event, payload, environment)
    reported = commit if commit is not None else about.commit
    if reported is None:
        raise UsageError(
            f"The event {printable(event)} names no commit to judge.",
            means="which commit is meant is known for push, pull_request, pull_request_target, merge_group,"
            " workflow_run, deployment, schedule and the dispatch events only.",
            change="run the gate on one of these.",
        )
    return Run(
        event=event,
        repository=_repository(environment),
        server_url=_address(environment, "GITHUB_SERVER_URL", "https://github.com"),
        api_url=_address(environment, "GITHUB_API_URL", "https://api.github.com"),
        run_id=_number(environment, "GITHUB_RUN_ID"),
        attempt=_number(environment, "GITHUB_RUN_ATTEMPT"),
        commit=reported,
        configuration_ref=_configuration_ref(event, about, payload, environment),
        proposed_to=_proposed_to(about, payload, given=commit is not None),
        base_branch=about.base,
        head_branch=about.head,
        pull_request=pull_request if pull_request is not None else about.number,
        is_fork=about.is_fork,
        read_only=about.is_fork and event in _READ_ONLY_FOR_FORKS,
        maybe_read_only=environment.get("GITHUB_ACTOR") == _DEPENDABOT,
        message=_message(payload, reported),
    )


def parse_bare_run(environment: Mapping[str, str]) -> Run | None:
    """The run by the runner's variables alone, to put an error on: for an event whose payload cannot be read.

    None for an event that is about another commit than ``GITHUB_SHA`` (that of a pull request is the test
    merge), and where the variables are no better.
    """
    event = environment.get("GITHUB_EVENT_NAME", "")
    if event not in _ABOUT_ITS_SHA:
        return None
    try:
        return Run(
            event=event,
            repository=_repository(environment),
            server_url=_address(environment, "GITHUB_SERVER_URL", "https://github.com"),
            api_url=_address(environment, "GITHUB_API_URL", "https://api.github.com"),
            run_id=_number(environment, "GITHUB_RUN_ID"),
            attempt=_number(environment, "GITHUB_RUN_ATTEMPT"),
            commit=full_id(_variable(environment, "GITHUB_SHA"), event, "GITHUB_SHA"),
            configuration_ref="HEAD",
            proposed_to="HEAD",
        )
    except UsageError:
        return None


def _message(payload: Payload, reported: str) -> str:
    """What the event says that the reported commit's message is; empty where it says nothing of it."""
    head = payload.head_commit
    return head.message if head is not None and head.id == reported else ""


def _configuration_ref(event: str, about: About, payload: Payload, environment: Mapping[str, str]) -> str:
    """What may be trusted: a commit of the default branch, else its tip.

    A status belongs to a commit, not to a pull request. That of a push to another branch stands on the head
    of the pull request that is opened a moment later, and that of a pull request stays when its author has
    it go into another branch: so neither the commit nor the base that somebody chose decides.
    """
    if about.commit is not None and about.on_default:
        return about.commit
    if about.commit is not None and (about.base is not None or not about.of_pull_request):
        default = _default_branch(payload)
        return default if default == "HEAD" else f"refs/heads/{default}"
    # For every other event this is the tip of the default branch.
    return full_id(_variable(environment, "GITHUB_SHA"), event, "GITHUB_SHA")


def _proposed_to(about: About, payload: Payload, *, given: bool) -> str | None:
    return None if about.on_default and not given else _default_branch(payload)


def _default_branch(payload: Payload) -> str:
    """Its name; ``HEAD``, which GitHub takes for it, where the event does not tell."""
    named = None if payload.repository is None else payload.repository.default_branch
    return "HEAD" if named is None else named


def _variable(environment: Mapping[str, str], name: str) -> str:
    value = environment.get(name, "")
    if value == "":
        raise bad_event(f"The variable {name} is not set.")
    return value


def _number(environment: Mapping[str, str], name: str) -> int:
    value = _variable(environment, name)
    if not value.isascii() or not value.isdecimal() or not 1 <= len(value) <= 18 or int(value) == 0:
        raise bad_event(f"The variable {name} is {printable(value)!r}, which is no number from 1 on.")
    return int(value)


def _repository(environment: Mapping[str, str]) -> str:
    value = _variable(environment, "GITHUB_REPOSITORY")
    if _REPOSITORY.fullmatch(value) is None:
        raise bad_event(f"The variable GITHUB_REPOSITORY is {printable(value)!r}, which is not owner/name.")
    return value


def _address(environment: Mapping[str, str], name: str, usual: str) -> str:
    """A web address without credentials and without a slash at the end."""
    value = environment.get(name, "") or usual
    if _ADDRESS.fullmatch(value) is None:
        raise bad_event(f"The variable {name} is no web address.")
    return value.rstrip("/")
