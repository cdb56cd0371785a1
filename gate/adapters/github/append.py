"""Adding files to a branch that only ever grows: one commit for each addition, and nothing changed or removed."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from gate.adapters.failures import ReadFailed, one_line
from gate.adapters.github.address import check_path, quoted
from gate.adapters.github.answer import NotConfirmed, Refused
from gate.adapters.github.branch import STALE_WAITS, Branch
from gate.adapters.github.commit_models import JsonNewCommit
from gate.adapters.github.commit_refusals import not_committed
from gate.adapters.github.models import FullId, Json, JsonObjectId, parse_json
from gate.adapters.github.reading import GitHubRepository
from gate.adapters.github.tree import PLAIN
from gate.errors import CommitError
from gate.observed import Frozen

TIME: Final = 60.0
ROUNDS: Final = 20
"""How often others may be faster: one of all that race for a place gets it each time."""

_MOST_LISTED = 1000  # GitHub lists no more of a directory


class Addition(NamedTuple):
    """Files for ``folder``, all of one ``stem``: ``texts`` maps what follows it in their names to their text.

    ``message`` makes the commit's message of the path of the first one.
    """

    folder: str
    stem: str
    texts: Mapping[str, str]
    message: Callable[[str], str]

    def path(self, stem: str) -> str:
        """The path of the first file."""
        return f"{self.folder}/{stem}{next(iter(self.texts))}"


class Appended(Frozen):
    """Where the first file stands, and a commit that holds it. ``made``: by this call, else it was there already."""

    path: str
    commit: FullId
    made: bool


class JsonListed(Json):
    """One name in a directory."""

    name: str
    sha: FullId


class AppendOnlyBranch:
    """A branch of a repository, made with its first addition: it has no history in common with any other."""

    def __init__(self, repository: GitHubRepository, name: str) -> None:
        self._repository = repository
        self._name = name

    async def append(self, addition: Addition, within: float = TIME) -> Appended:
        """Add the files in one commit, forward only, whoever else adds at the same time.

        Where other files of that stem are there, the new ones get a number; where the same ones are, there is
        nothing to add. ``within`` is in seconds. Raises CommitError, UsageError for names that cannot be.
        """
        check_path(addition.folder)
        branch = Branch(self._repository, self._name, self._repository.client.patience.deadline(within))
        try:
            return await self._append(branch, addition)
        except (Refused, ReadFailed, NotConfirmed) as failure:
            raise not_committed(branch.what, failure) from failure

    async def _append(self, branch: Branch, addition: Addition) -> Appended:
        tip = await branch.read_tip()
        for _ in range(ROUNDS):
            there = {} if tip is None else await self._listed(branch, addition.folder, tip)
            stem, known = _place(addition, there)
            if known and tip is not None:
                return Appended(path=addition.path(stem), commit=tip, made=False)
            commit = await self._commit(branch, addition, stem, tip)
            done = await branch.create(commit) if tip is None else await branch.move(commit, tip)
            if done:
                return Appended(path=addition.path(stem), commit=commit, made=True)
            tip = await _appeared(branch) if tip is None else await branch.next_tip(tip)
        raise CommitError(
            f"{branch.what} moved on {ROUNDS} times while evidence was added.",
            means="very many runs end at the same time.",
            change="run the job again.",
        )

    async def _listed(self, branch: Branch, folder: str, tip: str) -> dict[str, str]:
        """Name to object id of what stands in a folder."""
        what = f"{folder} on {branch.what}"
        path = f"{self._repository.path}/contents/{quoted(folder)}"
        client = self._repository.client
        try:
            answer = await client.send("GET", path, what=what, query={"ref": tip}, deadline=branch.deadline)
        except Refused as refused:
            if refused.status == 404:
                return {}
            raise
        if not isinstance(answer.body, list) or len(answer.body) >= _MOST_LISTED:
            raise CommitError(
                f"{one_line(what, 200)} is no folder, or holds {_MOST_LISTED} files or more.",
                means="what is added could take the place of something that is there.",
                change="use another branch for evidence.",
            )
        found = [parse_json(JsonListed, one, what) for one in answer.body]
        return {one.name: one.sha for one in found}

    async def _commit(self, branch: Branch, addition: Addition, stem: str, tip: str | None) -> str:
        """A commit on top of the tip, or of nothing, that no branch holds yet."""
        entries = [
            {"path": f"{addition.folder}/{stem}{suffix}", "mode": PLAIN, "type": "blob", "content": text}
            for suffix, text in addition.texts.items()
        ]
        base = {} if tip is None else {"base_tree": await self._tree_of(branch, tip)}
        tree = parse_json(JsonObjectId, await self._post(branch, "trees", {**base, "tree": entries}), "new tree")
        parents = [] if tip is None else [tip]
        body = {"message": addition.message(addition.path(stem)), "tree": tree.sha, "parents": parents}
        return parse_json(JsonNewCommit, await self._post(branch, "commits", body), "new commit").sha

    async def _tree_of(self, branch: Branch, tip: str) -> str:
        path = f"{self._repository.path}/git/commits/{tip}"
        answer = await self._repository.client.send("GET", path, what=branch.what, deadline=branch.deadline)
        return parse_json(JsonNewCommit, answer.body, branch.what).tree.sha

    async def _post(self, branch: Branch, kind: str, body: Mapping[str, object]) -> object:
        path = f"{self._repository.path}/git/{kind}"
        what = f"new {kind.removesuffix('s')} in {self._repository.name}"
        answer = await self._repository.client.send("POST", path, what=what, body=body, deadline=branch.deadline)
        return answer.body


def _place(addition: Addition, there: Mapping[str, str]) -> tuple[str, bool]:
    """The stem to use, and whether the files stand there by that stem already."""
    for number in range(1, len(there) + 2):
        stem = addition.stem if number == 1 else f"{addition.stem}.{number}"
        names = {f"{stem}{suffix}": text for suffix, text in addition.texts.items()}
        if not any(name in there for name in names):
            return stem, False
        if all(name in there and there[name] == _blob(text, len(there[name])) for name, text in names.items()):
            return stem, True
    raise AssertionError("each name that is there takes one number at most")


def _blob(text: str, length: int) -> str:
    """The Git object id of a file; ``length`` of an id tells which kind of ids the repository has."""
    content = text.encode()
    whole = b"blob %d\x00%b" % (len(content), content)
    made = hashlib.sha1(whole, usedforsecurity=False) if length == 40 else hashlib.sha256(whole)
    return made.hexdigest()


async def _appeared(branch: Branch) -> str:
    """Where a branch points that somebody else has just made; waits for that to show."""
    for wait in (0.0, *STALE_WAITS):
        if wait > 0:
            await branch.repository.client.patience.sleep(wait)
        tip = await branch.read_tip()
        if tip is not None:
            return tip
    raise CommitError(
        f"GitHub says that {branch.what} is there, and does not show it.",
        means="GitHub is behind with its own data.",
        change="run the job again in a minute.",
    )
