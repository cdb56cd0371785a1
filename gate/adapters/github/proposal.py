"""Changing files by way of a pull request: one branch and one open pull request, used again."""

from collections.abc import Mapping
from typing import NamedTuple

from gate.adapters.failures import ReadFailed
from gate.adapters.github.answer import NotConfirmed, Refused
from gate.adapters.github.branch import Branch
from gate.adapters.github.commit import TIME, CommitPublisher, committed
from gate.adapters.github.commit_models import Committed, Edit, OpenPull, Proposed
from gate.adapters.github.commit_refusals import no_branch, not_committed
from gate.adapters.github.models import RelationFound
from gate.adapters.github.open_pull import find_open_pull, keep_open_pull
from gate.adapters.github.reading import GitHubRepository
from gate.adapters.github.signed import commit_signed
from gate.adapters.github.tree import FilesOfCommit, NewCommit, make_commit
from gate.errors import CommitError
from gate.observed import Present

_TRAILER = "Promotion-Gate-Branch: "
_OTHERS = "Commits of others stand on its branch; the change was put on top of them."


class _Wish(NamedTuple):
    """What the pull request is to propose: changes to the target branch's tip, and the commit's message."""

    files: FilesOfCommit
    changes: Mapping[str, str]
    edit: Edit
    message: str


class PullRequestPublisher:
    """Keeps one pull request from one branch of ours; touches no other. ``signed`` as for CommitPublisher."""

    def __init__(self, repository: GitHubRepository, *, signed: bool = False) -> None:
        self._repository = repository
        self._signed = signed
        self._commits = CommitPublisher(repository, signed=signed)

    async def propose(
        self,
        base: str,
        branch: str,
        edit: Edit,
        message: str,
        *,
        title: str,
        body: str,
        within: float = TIME,
    ) -> Proposed:
        """Make the open pull request from ``branch`` into ``base`` (plain names) propose ``edit`` of ``base``.

        Choose one ``branch`` for each environment (``gate/bump/staging``): it is made where it is
        missing, brought to the newest change where it is there, and its pull request gets ``title``
        and ``body`` (Markdown). A second call with the same wish changes nothing. Commits that others
        put on the branch are kept: the change goes on top of them. Raises as ``CommitPublisher.commit``.
        """
        deadline = self._repository.client.patience.deadline(within)
        target, ours = Branch(self._repository, base, deadline), Branch(self._repository, branch, deadline)
        at = target
        try:
            tip = await target.read_tip()
            if tip is None:
                raise no_branch(target.what)
            files = FilesOfCommit(self._repository, tip, deadline)
            changes = await files.changes(edit)
            at = ours
            pull = await find_open_pull(target, ours)
            if not changes:
                return _nothing_to_propose(Committed(branch=target.name, commit=tip), pull)
            wish = _Wish(files, changes, edit, f"{message.rstrip()}\n\n{_TRAILER}{ours.name}")
            made, note = await self._bring_up_to_date(ours, wish, pull)
            kept, opened = await keep_open_pull(target, ours, pull, title=title, body=body)
        except (Refused, ReadFailed, NotConfirmed) as failure:
            raise not_committed(at.what, failure) from failure
        return Proposed(committed=made, number=kept.number, url=kept.url, opened=opened, note=note)

    async def _bring_up_to_date(self, ours: Branch, wish: _Wish, pull: OpenPull | None) -> tuple[Committed, str]:
        """Our branch with the wish on it, and what a person should know of it."""
        tip = await ours.read_tip()
        if tip is None:
            tip = wish.files.commit if await ours.create(wish.files.commit) else await ours.read_tip()
        if tip is None:
            raise no_branch(ours.what)
        if tip == wish.files.commit:
            return await self._on_top(ours, wish), ""
        relation = await self._relation(wish.files.commit, tip, ours)
        if await self._proposes(tip, wish, relation):
            return Committed(branch=ours.name, commit=tip), ""
        if _is_all_ours(relation, ours):
            return await self._anew(ours, tip, wish, relation), ""
        if pull is None:
            raise CommitError(
                f"{ours.what} holds commits that are not the gate's, and no open pull request.",
                means="somebody uses a branch of this name, or a pull request from it was closed.",
                change="delete the branch, or rename it if it is needed.",
            )
        return await self._commits.commit(ours.name, wish.edit, wish.message, tip=tip), _OTHERS

    async def _on_top(self, ours: Branch, wish: _Wish) -> Committed:
        made = await self._commits.land(ours, wish.files, wish.changes, wish.message)
        if made is None:
            raise _moved(ours)
        return committed(ours, wish.files, wish.changes, made)

    async def _anew(self, ours: Branch, tip: str, wish: _Wish, relation: RelationFound) -> Committed:
        """Our branch with a single new commit on the target's tip, in place of older ones of ours.

        Only this may take commits off a branch: they are ours, by the mark in their messages, and a push
        of somebody else between two requests of this run is the one thing that it could miss.
        """
        made = await self._make(ours, wish)
        if await ours.read_tip() != tip or not await ours.move(
            made.id, tip, force=relation.relation not in ("behind", "identical")
        ):
            raise _moved(ours)
        return committed(ours, wish.files, wish.changes, made)

    async def _make(self, ours: Branch, wish: _Wish) -> NewCommit:
        """The commit on its own; a signed one needs a branch to be made on, for a moment."""
        if not self._signed:
            return await make_commit(wish.files, wish.changes, wish.message)
        scratch = Branch(self._repository, f"{ours.name}-{wish.files.commit[:12]}", ours.deadline)
        if not await scratch.create(wish.files.commit):  # left behind by a run that was killed
            await scratch.delete()
            await scratch.create(wish.files.commit)
        try:
            made = await commit_signed(scratch, wish.files, wish.changes, wish.message)
        finally:
            await scratch.delete()
        if made is None:
            raise _moved(scratch)
        return made

    async def _relation(self, base: str, tip: str, ours: Branch) -> RelationFound:
        found = await self._repository.read_relation(base, tip, deadline=ours.deadline)
        if isinstance(found, Present):
            return found.value
        raise CommitError(
            f"{ours.what} cannot be compared with its target branch.",
            means="GitHub is behind with its own data.",
            change="run the job again in a minute.",
        )

    async def _proposes(self, tip: str, wish: _Wish, relation: RelationFound) -> bool:
        """Whether the branch changes just what it is to change, to just that, and from what is there now."""
        if relation.truncated or relation.merge_base is None or relation.files != tuple(sorted(wish.changes)):
            return False
        theirs = FilesOfCommit(self._repository, tip, wish.files.deadline)
        before = FilesOfCommit(self._repository, relation.merge_base, wish.files.deadline)
        for path, text in wish.changes.items():
            if await theirs.read(path) != text or await before.read(path) != await wish.files.read(path):
                return False
        return True


def _is_all_ours(relation: RelationFound, ours: Branch) -> bool:
    """Whether every commit that the branch has over its target carries our mark."""
    mark = f"{_TRAILER}{ours.name}"
    known = not relation.truncated and relation.merge_base is not None
    return known and all(mark in found.commit.message.splitlines() for found in relation.commits)


def _nothing_to_propose(at: Committed, pull: OpenPull | None) -> Proposed:
    if pull is None:
        return Proposed(committed=at)
    note = f"{at.branch} has it already; pull request #{pull.number} is still open and proposes something else."
    return Proposed(committed=at, note=note)


def _moved(branch: Branch) -> CommitError:
    return CommitError(
        f"{branch.what} was changed by somebody else while the change was made.",
        means="two runs for one environment, or a person, wrote to it at the same time.",
        change="serialise the runs with a concurrency group, then run the job again.",
    )
