"""What a branch requires by its rulesets, the repository itself, and whether something can be read at all."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import Field

from gate.adapters.failures import ReadFailed
from gate.adapters.github.address import check_ref, quoted
from gate.adapters.github.answer import Answer, Refused
from gate.adapters.github.models import Json, parse_json
from gate.adapters.github.reading import GitHubRepository, said
from gate.observed import Absent, Observed, Present, Unreadable

GITHUB_ACTIONS = 15368
"""The App behind every workflow's own token."""


class RequiredCheck(NamedTuple):
    """A context that a branch requires. ``app``: the only App it is taken from; None: from anybody."""

    context: str
    app: int | None
    ruleset: int | None


class BranchRules(NamedTuple):
    """The rules in force on a branch that bear on the gate. ``queue_minutes``: how long a merge queue waits."""

    checks: tuple[RequiredCheck, ...]
    queue_minutes: int | None = None

    def requires(self, context: str) -> bool:
        """Whether a commit status of this name is required; upper and lower case are the same."""
        return any(one.context.lower() == context.lower() for one in self.checks)


class RepositoryFound(NamedTuple):
    """``default_branch``, and the ``scopes`` of a classic token; None for every other kind of token."""

    default_branch: str
    scopes: tuple[str, ...] | None


class _Check(Json):
    context: str
    integration_id: int | None = None


class _Parameters(Json):
    required_status_checks: list[_Check] = Field(default_factory=list)
    check_response_timeout_minutes: int | None = None


class _Rule(Json):
    type: str
    parameters: _Parameters | None = None
    ruleset_id: int | None = None


class _Repository(Json):
    default_branch: str


async def read_branch_rules(repository: GitHubRepository, branch: str) -> Observed[BranchRules]:
    """What the rulesets ask of a branch, which need not exist. Classic branch protection does not show here."""
    what = f"rules of branch {branch} of {repository.name}"
    path = f"{repository.path}/rules/branches/{quoted(check_ref(branch))}"
    try:
        items = await repository.client.pages(path, what=what)
        rules = [parse_json(_Rule, item, what) for item in items]
    except Refused as refused:
        return _refused(what, refused)
    except ReadFailed as failure:
        return Unreadable(what=what, error=failure.error, status=failure.status)
    checks = tuple(
        RequiredCheck(check.context, check.integration_id, rule.ruleset_id)
        for rule in rules
        if rule.type == "required_status_checks" and rule.parameters is not None
        for check in rule.parameters.required_status_checks
    )
    queues = [rule.parameters for rule in rules if rule.type == "merge_queue" and rule.parameters is not None]
    minutes = next((one.check_response_timeout_minutes for one in queues), None)
    return Present(value=BranchRules(checks, minutes))


async def read_repository(repository: GitHubRepository) -> Observed[RepositoryFound]:
    """The repository itself; Absent where it is not there as far as the token sees."""
    what = f"repository {repository.name}"
    answer = await _get(repository, "", what)
    if not isinstance(answer, Answer):
        return answer
    try:
        found = parse_json(_Repository, answer.body, what)
    except ReadFailed as failure:
        return Unreadable(what=what, error=failure.error)
    # GitHub names the scopes of a classic token only; an empty list is one that has none.
    told = answer.headers.get("x-oauth-scopes")
    scopes = None if told is None else tuple(one.strip() for one in told.split(",") if one.strip() != "")
    return Present(value=RepositoryFound(found.default_branch, scopes))


async def probe(repository: GitHubRepository, path: str, what: str) -> Absent | Unreadable | None:
    """Read one thing for the sake of its permission; None where it could be read."""
    answer = await _get(repository, path, what, {"per_page": 1})
    return None if isinstance(answer, Answer) else answer


async def _get(
    repository: GitHubRepository, path: str, what: str, query: Mapping[str, Any] | None = None
) -> Answer | Absent | Unreadable:
    try:
        return await repository.client.send("GET", f"{repository.path}{path}", what=what, query=query)
    except Refused as refused:
        return _refused(what, refused)
    except ReadFailed as failure:
        return Unreadable(what=what, error=failure.error, status=failure.status)


def _refused(what: str, refused: Refused) -> Absent | Unreadable:
    if refused.status == 404:
        return Absent(what=what)
    return Unreadable(what=what, error=said(refused), status=refused.status)
