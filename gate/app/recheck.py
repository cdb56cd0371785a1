"""A re-check: open promotion pull requests get the verdict that holds now, for a status never expires by itself."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gate.app.check import Check
from gate.app.ending import ended_by, publication_of
from gate.config.load import short_timeout
from gate.errors import AccessError, ExitCode, UsageError
from gate.observed import Present, Unreadable
from gate.outcomes import VerdictWord
from gate.pin.promotion import nothing

if TYPE_CHECKING:
    from gate.adapters.github.models import PullRequest
    from gate.adapters.github.reading import GitHubRepository
    from gate.adapters.github.status import StatusFound
    from gate.app.candidates import Candidate
    from gate.app.configuration import Chosen
    from gate.app.promotion import Question
    from gate.render.publication import Publication
    from gate.verdict import Verdict

_WORST_FIRST = (
    ExitCode.INTERNAL_ERROR,
    ExitCode.COULD_NOT_RUN,
    ExitCode.FAILED,
    ExitCode.HELD,
    ExitCode.SUPERSEDED,
    ExitCode.PASSED,
)


def _promoted(candidate: Candidate) -> str:
    """The commit that it promotes; empty for none."""
    return (None if candidate.promotion is None else candidate.promotion.revision) or ""


@dataclass(frozen=True)
class Rechecked:
    """A pull request with its verdict, and what became of the status on its head, in words."""

    number: int
    head: str
    verdict: Verdict
    status: str


@dataclass
class _Part(Check):
    """The check of one commit, as a part of a run that minds the signals."""

    async def _ask(self, chosen: Chosen) -> Question:  # noqa: ARG002  # what is meant is known
        from gate.app.promotion import Question

        return Question(self.options)

    async def look(self) -> Verdict:
        """Judge, show and record it; an error becomes its verdict."""
        try:
            await self._whole()
        finally:
            if self._client is not None:
                self._client.close()
        assert self.verdict is not None  # noqa: S101  # every end has one
        return self.verdict


@dataclass
class Recheck(Check):
    """One run over all open promotion pull requests. Its verdict is the worst of theirs.

    Outside of a workflow the variable ``GITHUB_REPOSITORY`` says where they are.
    """

    rechecked: list[Rechecked] = field(default_factory=list)
    _not_taken: bool = False
    _looks: dict[str, _Part] = field(default_factory=dict)
    _stood: dict[str, StatusFound | None] = field(default_factory=dict)

    async def _judge(self) -> Verdict:
        self._connect()
        self._announcer = None  # the commit that the run itself is about gets no status
        if self.refused is not None:
            raise self.refused
        repository = self._checked_repository()
        from gate.app.candidates import read_candidates
        from gate.app.configuration import read_chosen
        from gate.app.promotion import ended_promotion

        chosen = await read_chosen(self.options, self.run, self._client, self.screen.say)
        following = chosen.next_environment().name
        candidates = await read_candidates(repository, chosen, await self._base(repository))
        if self.options.publish:
            self._stood = {one.pull.head: await self._status(one.pull.head) for one in candidates}
        for candidate in sorted(candidates, key=_promoted):  # so that what is said was seen a moment ago
            await self._settle(candidate, chosen)
        self.rechecked.sort(key=lambda one: one.number)
        if not self.rechecked:
            none = nothing(following, f"no open pull request promotes to {following}")
            ended = ended_promotion(none, chosen.name, datetime.now(UTC))
            assert ended is not None  # noqa: S101  # there is nothing to look at
            return ended
        return min((one.verdict for one in self.rechecked), key=lambda one: _WORST_FIRST.index(one.exit_code))

    def _checked_repository(self) -> GitHubRepository:
        """Where the pull requests are. Raises UsageError where the run is about a single commit, or about nowhere."""
        from gate.adapters.github.reading import GitHubRepository

        run = self.run
        if run is not None and (run.event.startswith("pull_request") or run.event == "merge_group"):
            raise UsageError(
                "A re-check is not about one commit.",
                means=f"it runs on the event {run.event}, which is about one.",
                change="run mode: recheck on schedule or workflow_dispatch; on a pull request use mode: check.",
            )
        name = self.environ.get("GITHUB_REPOSITORY", "") if run is None else run.repository
        if self._client is None or name == "":
            raise UsageError(
                "Nothing says where the open pull requests are.",
                means="outside of a workflow the repository has to be named, and there has to be a token that may read"
                " it.",
                change="give --repository OWNER/NAME, with the token in GITHUB_TOKEN.",
            )
        return GitHubRepository(self._client, name)

    async def _base(self, repository: GitHubRepository) -> str:
        """The branch that promotions go into where the next environment has none of its own: the default one."""
        from gate.adapters.github.rules import read_repository

        known = None if self.run is None else self.run.proposed_to or self.run.head_branch
        if known not in (None, "HEAD"):
            return known
        found = await read_repository(repository)
        if isinstance(found, Present):
            return found.value.default_branch
        why = found.error if isinstance(found, Unreadable) else "it is not there, or the token does not see it"
        raise AccessError(f"The default branch of {repository.name} cannot be found out: {why}.")

    async def _settle(self, candidate: Candidate, chosen: Chosen) -> None:
        """The verdict of one pull request; what the cluster says of a commit is asked once for all of them."""
        from gate.app.promotion import Question, ended_promotion

        promotion, now = candidate.promotion, datetime.now(UTC)
        source = None
        if promotion is None:
            error = candidate.error if candidate.error is not None else AccessError("Nothing is known of it.")
            verdict = ended_by(error, chosen.name, "", None)
        elif (ended := ended_promotion(promotion, chosen.name, now)) is not None:
            verdict = ended
        else:
            assert promotion.revision is not None  # noqa: S101  # or it had ended
            looked, source = await self._look_once(promotion.revision, chosen)
            verdict = Question(self.options, promotion).told(looked)
        pull, verdict = candidate.pull, verdict.without(self.recording.secrets)
        if not self.options.publish:
            status = "not to be published"
        elif chosen.settings.approval.required and verdict.word is VerdictWord.PASSED and not verdict.nothing_to_gate:
            status = "left as it is: only an approval turns it green"
        else:
            status = await self._publish(candidate.pull, verdict, source)
        self.rechecked.append(Rechecked(pull.number, pull.head, verdict, status))
        self.screen.say(f"Pull request #{pull.number} at {pull.head}: {verdict.word.value} ({status}).")

    async def _look_once(self, revision: str, chosen: Chosen) -> tuple[Verdict, str | None]:
        """The environment's verdict on this commit, and the repository that Argo CD deploys it from."""
        part = self._looks.get(revision)
        if part is None:
            timeout = self.options.timeout or short_timeout(chosen.settings)
            options = replace(self.options, revision=revision, timeout=timeout, publish=False)
            part = self._looks[revision] = _Part(options, self.environ, self.screen, self.run, hide=self.hide)
            part.recording.reports = False
            verdict = await part.look()
            if self.evidence is None or verdict.exit_code is not ExitCode.PASSED:
                self.evidence = part.evidence
        assert part.verdict is not None  # noqa: S101  # it has looked
        return part.verdict, part.source_name

    async def _publish(self, pull: PullRequest, verdict: Verdict, source: str | None) -> str:
        """Say it on the head, where that says something else by now; in words, what became of it."""
        from gate.app.connecting import make_announcer
        from gate.render.status import render_status

        run = self.run
        assert self._client is not None and run is not None  # noqa: S101, PT018  # nobody publishes elsewhere
        said = render_status(verdict)
        found = await self._status(pull.head)
        if found is not None and found.says_the_same(said):
            return f"says {said.state} already"
        if found is not None and found.state == "pending" and verdict.timed_out:
            return "pending: the pull request's own run is under way, or was cut off"
        if said.state == "success" and found != self._stood.get(pull.head):
            return "left as it is: another run has written it since this one began"
        about = run.model_copy(update={"commit": pull.head, "pull_request": pull.number, "message": ""})
        announcer = make_announcer(self.options, about, self._client, self.began, self.screen.say)
        assert announcer is not None  # noqa: S101  # a head is a full id
        results = await announcer.end(verdict, publication_of(about, self.environ, source))
        if any(result.failed for result in results):
            self._not_taken = True
            return "GitHub did not take all of it"
        return f"now says {said.state}"

    async def _status(self, head: str) -> StatusFound | None:
        """The status of ours on a head as it is now."""
        from gate.adapters.github.client import acting_account
        from gate.adapters.github.status import read_status

        assert self._client is not None and self.run is not None  # noqa: S101, PT018  # nobody publishes elsewhere
        author = await acting_account(self._client, self.options.comment_author)
        context = f"gate/{self.options.environment}"
        return await read_status(self._client, self.run.repository, head, context, author)

    async def _end(self, verdict: Verdict) -> ExitCode:
        self.unpublished = self._not_taken and verdict.exit_code is ExitCode.PASSED
        code = await super()._end(verdict)
        return ExitCode.COULD_NOT_PUBLISH if self.unpublished else code

    @property
    def publication(self) -> Publication | None:
        """Where the verdict's links lead; the run's own commit carries no status."""
        made = super().publication
        return None if made is None else made.model_copy(update={"reported": None})
