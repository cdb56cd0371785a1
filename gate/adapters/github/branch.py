"""One branch of one repository: where it points, and moving it without losing anybody's commits."""

from typing import Final

from gate.adapters.failures import ReadFailed
from gate.adapters.github.address import check_ref, quoted
from gate.adapters.github.answer import NotConfirmed, Refused
from gate.adapters.github.client import Repeat
from gate.adapters.github.commit_models import JsonRef
from gate.adapters.github.models import parse_json
from gate.adapters.github.reading import GitHubRepository
from gate.errors import CommitError
from gate.observed import Present

# A ref may be read as it was for up to half a minute after a write.
STALE_WAITS: Final[tuple[float, ...]] = (1, 2, 4, 8, 16)
_ROUNDS = 4


class Branch:
    """A branch by its plain name. Every method raises Refused and ReadFailed as the client does.

    ``deadline`` is a reading of the client's clock.
    """

    def __init__(self, repository: GitHubRepository, name: str, deadline: float) -> None:
        self.repository = repository
        self.name = check_ref(name.removeprefix("refs/heads/"))
        self.deadline = deadline
        self.what = f"branch {self.name} of {repository.name}"
        self._client = repository.client

    async def read_tip(self) -> str | None:
        """The full id of its newest commit; None where there is no such branch."""
        path = f"{self.repository.path}/git/ref/heads/{quoted(self.name)}"
        try:
            answer = await self._client.send("GET", path, what=self.what, deadline=self.deadline)
        except Refused as refused:
            if refused.status == 404:
                return None
            raise
        return parse_json(JsonRef, answer.body, self.what).object.sha

    async def create(self, commit: str) -> bool:
        """Make it, at this commit; False where it is there already, wherever it points."""
        path, body = f"{self.repository.path}/git/refs", {"ref": f"refs/heads/{self.name}", "sha": commit}
        try:
            await self._client.send("POST", path, what=self.what, body=body, deadline=self.deadline)
        except Refused as refused:
            if "already exists" in refused.says:
                return False
            raise
        return True

    async def delete(self) -> None:
        """Remove it; one that is gone is fine."""
        path = f"{self.repository.path}/git/refs/heads/{quoted(self.name)}"
        try:
            await self._client.send("DELETE", path, what=self.what, deadline=self.deadline)
        except Refused as refused:
            if refused.status not in (404, 422):
                raise

    async def move(self, commit: str, parent: str, *, force: bool = False) -> bool:
        """Move it from ``parent`` to ``commit``; False where it has gone elsewhere in the meantime.

        Where the answer is lost, the branch is read: at ``commit`` it has been moved, at ``parent`` the
        same move is made again, which can do no harm; anywhere else history tells. Raises
        CommitError where even that cannot be found out.
        """
        patience, unsure = self._client.patience, None
        for round_ in range(1, _ROUNDS + 1):
            try:
                await self._patch(commit, force=force)
            except NotConfirmed as failure:
                unsure = failure
            except Refused as refused:
                if not _is_not_fast_forward(refused):
                    raise
                return unsure is not None and await self._holds(await self.read_tip(), commit)
            else:
                return True
            tip = await self._tip_after(unsure, commit)
            if tip == commit:
                return True
            if tip != parent:
                return await self._holds(tip, commit)
            await patience.sleep(patience.wait_after(unsure.failure, round_))
        raise self._unknown(commit, unsure)

    async def next_tip(self, left: str) -> str:
        """Where it points after it was found to have left the commit ``left``; waits for that to show."""
        for wait in (0.0, *STALE_WAITS):
            if wait > 0:
                await self._client.patience.sleep(wait)
            tip = await self.read_tip()
            if tip is not None and tip != left:
                return tip
        raise CommitError(
            f"GitHub refuses to move {self.what} on from {left[:12]}, and still shows it there.",
            means="GitHub is behind with its own data, or the branch was deleted.",
            change="run the job again in a minute.",
        )

    async def _patch(self, commit: str, *, force: bool) -> None:
        await self._client.send(
            "PATCH",
            # Only the plural exists for writing.
            f"{self.repository.path}/git/refs/heads/{quoted(self.name)}",
            what=self.what,
            body={"sha": commit, "force": force},
            repeat=Repeat.WHEN_NOT_CARRIED_OUT,
            deadline=self.deadline,
        )

    async def _tip_after(self, unsure: NotConfirmed, commit: str) -> str | None:
        try:
            return await self.read_tip()
        except ReadFailed:
            raise self._unknown(commit, unsure) from unsure

    async def _holds(self, tip: str | None, commit: str) -> bool:
        """Whether ``commit`` is in the history of ``tip``."""
        if tip is None or tip == commit:
            return tip == commit
        found = await self.repository.read_relation(commit, tip, deadline=self.deadline)
        return isinstance(found, Present) and found.value.relation == "ahead"

    def _unknown(self, commit: str, unsure: NotConfirmed | None) -> CommitError:
        seen = "" if unsure is None else f" ({unsure.failure.error})"
        return CommitError(
            f"It is not known whether {self.what} was moved to the new commit {commit}{seen}.",
            means="GitHub took the request and has trouble answering.",
            change=f"see whether the branch holds {commit[:12]}, then run the job again; what stands there is not"
            " committed twice.",
        )


def _is_not_fast_forward(refused: Refused) -> bool:
    return refused.status == 422 and "not a fast forward" in refused.says.lower()
