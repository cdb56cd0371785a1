"""The one comment on a pull request for each environment: found, updated, and kept the only one.

GitHub has no compare-and-set for comments. What two runs can do to each other is undone by whoever
sees it: the lowest id stays, the newest content wins, our own duplicates go. The moment between
reading and writing remains; a concurrency group in the workflow closes it.
"""

from typing import Any, Final, NamedTuple

from gate.adapters.failures import ReadFailed
from gate.adapters.github.answer import NotConfirmed, Refused
from gate.adapters.github.client import Repeat
from gate.adapters.github.marker import Marker, is_marked, parse_marker
from gate.adapters.github.models import JsonComment, parse_json
from gate.adapters.github.reading import GitHubRepository
from gate.adapters.github.results import PublishOutcome, PublishResult, not_published
from gate.observed import Present
from gate.render.fitting import COMMENT_LIMIT, cut_markdown

GITHUB_ACTIONS: Final = "github-actions[bot]"
CUT: Final = "*Cut here, because GitHub takes no longer comment. The job summary has all of it.*"
COMMENT_TIME: Final = 150.0
_ROUNDS = 4


class _Own(NamedTuple):
    """A comment of ours. ``marker`` is None where its details cannot be read."""

    id: int
    body: str
    marker: Marker | None
    url: str


class CommentPublisher:
    """Keeps one comment for one environment on one pull request; never raises for GitHub's sake.

    ``marker`` says which run publishes. ``author`` is the login of the account behind the token: a
    comment is ours only if that account wrote it, whatever marker it begins with. ``read_only`` says
    that the token is known to be unable to write, so that nothing is attempted.
    """

    def __init__(
        self,
        repository: GitHubRepository,
        pull: int,
        marker: Marker,
        *,
        author: str = GITHUB_ACTIONS,
        read_only: bool = False,
    ) -> None:
        self._repository = repository
        self._client = repository.client
        self._list = f"{repository.path}/issues/{pull}/comments"
        self._marker = marker
        self._author = author.lower()
        self._read_only = read_only
        self.what = f"comment for {marker.environment} on pull request #{pull}"

    async def publish(self, body: str, *, within: float = COMMENT_TIME, create: bool = True) -> PublishResult:
        """Make the comment say ``body`` (Markdown), unless a run for a newer commit has written it.

        What is longer than GitHub takes is cut from the end. ``within`` is in seconds. Without ``create``
        only a comment that is there already is changed.
        """
        if self._read_only:
            return self._result(PublishOutcome.NOT_ATTEMPTED, "the token of this event is read-only")
        deadline = self._client.patience.deadline(within)
        try:
            if not create and not await self._read_own(deadline):
                return self._result(PublishOutcome.NOT_ATTEMPTED)
            return await self._settle(self._fitted(body), deadline)
        except (Refused, ReadFailed, NotConfirmed) as failure:
            return not_published(self.what, failure)

    def _fitted(self, body: str) -> str:
        """Marker and body, in the one place where the length is limited."""
        whole = f"{self._marker.line}\n{body}".encode(errors="replace").decode()
        return cut_markdown(whole, COMMENT_LIMIT, CUT)

    async def _settle(self, text: str, deadline: float) -> PublishResult:
        """List, create where there is none, list again, keep one; anew where the ground moved."""
        patience, unsure = self._client.patience, None
        for round_ in range(1, _ROUNDS + 1):
            own, created = await self._read_own(deadline), None
            if not own:
                try:
                    created = await self._create(text, deadline)
                except NotConfirmed as failure:
                    # It may be there all the same: only another look can tell.
                    unsure = failure
                    await patience.sleep(patience.wait_after(failure.failure, round_))
                    continue
                own = await self._read_own(deadline)
                if all(comment.id != created.id for comment in own):
                    own.append(created)  # the list is behind
            result = await self._keep_one(own, text, deadline)
            if result is not None:
                new = result.outcome is PublishOutcome.UNCHANGED and (created is not None or unsure is not None)
                return result.model_copy(update={"outcome": PublishOutcome.PUBLISHED}) if new else result
        if unsure is not None:
            raise unsure
        return self._result(PublishOutcome.REFUSED, "other runs kept changing it")

    async def _read_own(self, deadline: float) -> list[_Own]:
        """Our comments for this environment, by ascending id, which is the order of their creation."""
        own: dict[int, _Own] = {}  # a list that grows while it is read shows some twice
        for item in await self._client.pages(self._list, what=self.what, deadline=deadline):
            comment = self._parse(item)
            if comment is not None:
                own[comment.id] = comment
        return [own[number] for number in sorted(own)]

    def _parse(self, item: Any) -> _Own | None:
        try:
            raw = parse_json(JsonComment, item, self.what)
        except ReadFailed:
            return None  # whatever it is, it is none of ours
        if raw.user is None or raw.user.login.lower() != self._author:
            return None
        if self._author.endswith("[bot]") and raw.user.type != "Bot":
            return None
        body = raw.body if raw.body is not None else ""
        if not is_marked(body, self._marker.environment):
            return None
        return _Own(raw.id, body, parse_marker(body, self._marker.environment), raw.html_url)

    async def _create(self, text: str, deadline: float) -> _Own:
        answer = await self._client.send(
            "POST",
            self._list,
            what=self.what,
            body={"body": text},
            repeat=Repeat.WHEN_NOT_CARRIED_OUT,
            deadline=deadline,
        )
        raw = parse_json(JsonComment, answer.body, self.what)
        return _Own(raw.id, text, self._marker, raw.html_url)

    async def _keep_one(self, own: list[_Own], text: str, deadline: float) -> PublishResult | None:
        """One comment with the newest content; None when it was gone before it could be written."""
        kept, others = own[0], own[1:]
        newer = [comment for comment in own if await self._is_newer(comment.marker, deadline)]
        if newer:
            ours = [one for one in others if one.marker is not None and one.marker.same_run(self._marker)]
            await self._delete(ours, deadline)
            return self._result(PublishOutcome.NEWER_STANDS, "a run for a newer commit wrote it", newer[-1].url)
        written = kept.body != text
        if written and not await self._update(kept, text, deadline):
            return None
        await self._delete(others, deadline)
        outcome = PublishOutcome.PUBLISHED if written else PublishOutcome.UNCHANGED
        return self._result(outcome, url=kept.url)

    async def _is_newer(self, theirs: Marker | None, deadline: float) -> bool:
        """Whether a comment is of a newer commit by Git's history, else of a run that began later."""
        ours = self._marker
        if theirs is None or theirs.same_run(ours):
            return False
        if theirs.commit != ours.commit:
            found = await self._repository.read_relation(ours.commit, theirs.commit, deadline=deadline)
            relation = found.value.relation if isinstance(found, Present) else None
            if relation in ("ahead", "behind"):
                return relation == "ahead"
        return theirs.began_after(ours)

    async def _update(self, comment: _Own, text: str, deadline: float) -> bool:
        path = f"{self._repository.path}/issues/comments/{comment.id}"
        try:
            await self._client.send("PATCH", path, what=self.what, body={"body": text}, deadline=deadline)
        except Refused as refused:
            if refused.status == 404:
                return False
            raise
        return True

    async def _delete(self, comments: list[_Own], deadline: float) -> None:
        """Remove our own duplicates; one that stays is untidy and no reason to say "not published"."""
        for comment in comments:
            path = f"{self._repository.path}/issues/comments/{comment.id}"
            try:
                await self._client.send("DELETE", path, what=self.what, deadline=deadline)
            except (Refused, ReadFailed):
                continue

    def _result(self, outcome: PublishOutcome, detail: str = "", url: str | None = None) -> PublishResult:
        url = url if url is not None and url.startswith(("https://", "http://")) else None
        return PublishResult(what=self.what, outcome=outcome, detail=detail, url=url)
