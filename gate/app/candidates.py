"""The open pull requests that promote from one environment to the next, and what each would promote."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass

from gate.adapters.failures import ReadFailed
from gate.adapters.github.answer import Refused
from gate.adapters.github.models import PullRequest
from gate.adapters.github.pulls import list_open_pulls
from gate.adapters.github.reading import GitHubRepository
from gate.app.apart import find_obstacle
from gate.app.comparison import compare, open_target
from gate.app.configuration import Chosen
from gate.app.intended import resolve_intended
from gate.app.promotion import no_pin, read_promotion
from gate.app.repositories import RemoteRepository
from gate.errors import AccessError, GateError
from gate.pin.promotion import Promotion, Side, pinned_in
from gate.reasons import Reason


@dataclass(frozen=True)
class Candidate:
    """An open pull request that promotes; ``error``: what it promotes cannot be found out."""

    pull: PullRequest
    promotion: Promotion | None = None
    error: GateError | None = None


async def read_candidates(repository: GitHubRepository, chosen: Chosen, base: str) -> list[Candidate]:
    """Every open pull request that promotes to the environment behind the chosen one.

    ``base`` is the branch that they go into where the environments stand on one. Raises UsageError and
    AccessError; what only one pull request is to blame for is its candidate's ``error``.
    """
    following = chosen.following
    if following is None:
        return []
    if following.settings.branch is not None and following.settings.apart(chosen.settings):
        pulls = await _open(repository, following.settings.branch)
        return [await _guarded(pull, _of_branch(repository, chosen, following, pull)) for pull in pulls]
    if not pinned_in(following.settings):
        raise no_pin(following.name)
    here, base = Side(name=chosen.name, settings=chosen.settings), following.settings.branch or base
    pulls = await _open(repository, base)
    if not pulls:
        return []
    target = await open_target(repository, base)

    async def promoted(pull: PullRequest) -> Promotion:
        return await read_promotion(await compare(target, pull.head), here, following)

    found = [await _guarded(pull, promoted(pull)) for pull in pulls]
    return [one for one in found if one.promotion is None or one.promotion.reason is not Reason.NOTHING_TO_GATE]


async def _open(repository: GitHubRepository, base: str) -> list[PullRequest]:
    try:
        return await list_open_pulls(repository, base)
    except (Refused, ReadFailed) as failure:
        said = f"HTTP {failure.status}" if isinstance(failure, Refused) else failure.error
        raise AccessError(
            f"The open pull requests into {base} of {repository.name} cannot be listed: {said}.",
            means="the token may not see pull requests, or GitHub did not answer.",
            change="grant the job pull-requests: write (read, with comment: false).",
        ) from failure


async def _guarded(pull: PullRequest, promoted: Awaitable[Promotion]) -> Candidate:
    try:
        return Candidate(pull, await promoted)
    except GateError as error:
        return Candidate(pull, error=error)


async def _of_branch(repository: GitHubRepository, chosen: Chosen, following: Side, pull: PullRequest) -> Promotion:
    """With a branch for each environment, what a head promotes is what it pins for the environment before."""
    obstacle = await find_obstacle(repository, chosen, following, pull.head)
    if obstacle is not None:
        return obstacle
    files = RemoteRepository(repository)
    revision = await resolve_intended(None, chosen.settings, pull.head, files, files)
    message = f"the change would promote {revision} to {following.name} ({pull.head_branch} into {pull.base_branch})"
    return Promotion(following=following.name, message=message, revision=revision)
