"""A promotion from branch to branch: what else it would bring than what the environment before is asked about."""

from __future__ import annotations

from gate.adapters.github.reading import GitHubRepository
from gate.app.comparison import compare, open_target
from gate.app.configuration import Chosen
from gate.app.intended import resolve_intended
from gate.app.promotion import read_promotion
from gate.app.repositories import RemoteRepository
from gate.errors import AccessError, UsageError
from gate.pin.promotion import Promotion, Side, pinned_in
from gate.reasons import Reason


async def find_obstacle(
    repository: GitHubRepository, chosen: Chosen, following: Side, commit: str, given: str | None = None
) -> Promotion | None:
    """Why no verdict on the chosen environment could stand for what a commit would promote; None where one can.

    ``following`` has a branch of its own, which the commit is held against. What is judged is the pin of the
    chosen environment there, or the revision that was ``given``; the next one's may be no other. A change of
    more than the pin has been deployed before only where it comes from the chosen environment's own branch; where
    the next one has no pin in a file, so has any change.
    Raises UsageError and AccessError.
    """
    assert following.settings.branch is not None  # noqa: S101  # it is apart
    try:
        target = await open_target(repository, following.settings.branch)
    except AccessError:
        raise
    except UsageError:  # no such branch yet, so that nothing goes into it
        return None
    found = await compare(target, commit)
    if found.began is None or found.contained:  # a source's commit, say: GitHub merges no unrelated histories
        return None
    own = chosen.settings.branch or "HEAD"
    if not pinned_in(following.settings):
        return None if await _is_on(repository, own, commit) else _unseen(following.name, own)
    here = Side(name=chosen.name, settings=chosen.settings)
    promotion = await read_promotion(found, here, following, apart=True)
    if promotion.revision is not None:
        files = RemoteRepository(repository)
        meant = given or await resolve_intended(None, chosen.settings, commit, files, files)
        if meant == promotion.revision:
            return None
        message = f"{promotion.message}, and what was to be judged of {chosen.name} is {meant}"
        return Promotion(following=following.name, message=message, reason=Reason.PROMOTED_PINS_DIFFER)
    deployed = promotion.reason is Reason.PROMOTES_MORE_THAN_THE_PIN and await _is_on(repository, own, commit)
    return None if deployed or promotion.reason is Reason.NOTHING_TO_GATE else promotion


async def _is_on(repository: GitHubRepository, branch: str, commit: str) -> bool:
    return (await compare(await open_target(repository, branch), commit)).contained


def _unseen(following: str, own: str) -> Promotion:
    where = "the default branch" if own == "HEAD" else own
    return Promotion(
        following=following,
        message=f"{following} has no pin.file, so that of what the change brings to it only what is on {where} already"
        " is known to have been deployed; list its Applications by name with pin: {file: ...}, or promote from there",
        reason=Reason.PROMOTES_MORE_THAN_THE_PIN,
    )
