"""What was read from GitHub, as models of ours, and the raw JSON it is read from."""

from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from gate.adapters.failures import Cause, ReadFailed
from gate.facts.moment import RawCommit
from gate.facts.upstream import Time
from gate.observed import Frozen

FullId = Annotated[str, StringConstraints(pattern=r"^(?:[0-9a-f]{40}|[0-9a-f]{64})$")]
Relation = Literal["ahead", "behind", "identical", "diverged"]


class CommitFound(Frozen):
    """A commit by its full id. ``commit.files`` is None where not all of them were listed."""

    id: FullId
    commit: RawCommit


class RelationFound(Frozen):
    """How ``head`` stands to ``base``; ``ahead`` means that ``base`` is an ancestor of it.

    ``commits`` are those of ``head`` that ``base`` has not, oldest first; ``files`` the paths that
    differ between the merge base and ``head`` (renamed ones by both names). ``truncated``: commits
    or files were left off. ``merge_base`` is None for unrelated histories.
    """

    base: FullId
    head: FullId
    relation: Relation
    merge_base: FullId | None
    commits: tuple[CommitFound, ...] = ()
    files: tuple[str, ...] = ()
    truncated: bool = False


class PullRequest(Frozen):
    """A pull request. ``head_repository`` is None when the fork is gone; ``merged_at`` None when not merged."""

    number: int
    state: Literal["open", "closed"]
    head: FullId
    head_branch: str
    head_repository: str | None
    base_branch: str
    merged_at: datetime | None
    merge_commit: FullId | None


class PullRequestFound(Frozen):
    """Which pull request a comment belongs on. ``number`` None: on none, and ``note`` says why.

    ``how`` it was found: given as an input, named by the event, named in the commit's message (and
    verified), or by GitHub's index of commits.
    """

    number: int | None
    how: Literal["input", "event", "message", "index", "nowhere"]
    note: str = ""


class Json(BaseModel):
    """Base of the raw models: strict, frozen, only the keys the gate uses."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, hide_input_in_errors=True)


class JsonObjectId(Json):
    """Anything with an object id."""

    sha: FullId


class JsonPerson(Json):
    """Author or committer as Git has them."""

    name: str = ""
    date: Time | None = None


class JsonGitCommit(Json):
    """The Git part of a commit."""

    message: str
    tree: JsonObjectId
    author: JsonPerson | None = None
    committer: JsonPerson | None = None


class JsonFile(Json):
    """A file that differs."""

    filename: str
    previous_filename: str | None = None


class JsonCommit(Json):
    """A commit; ``files`` only where one commit was asked for."""

    sha: FullId
    commit: JsonGitCommit
    parents: list[JsonObjectId]
    files: list[JsonFile] | None = None


class JsonComparison(Json):
    """Two commits compared."""

    status: Relation
    merge_base_commit: JsonObjectId
    total_commits: Annotated[int, Field(ge=0)]
    commits: list[JsonCommit]
    files: list[JsonFile] | None = None


class JsonContent(Json):
    """A file by its path."""

    type: str
    sha: str
    size: Annotated[int, Field(ge=0)]
    encoding: str | None = None
    content: str | None = None


class JsonRepository(Json):
    """A repository by its name."""

    full_name: str


class JsonBranch(Json):
    """Head or base of a pull request; the repository of a deleted fork is null."""

    ref: str
    sha: FullId
    repo: JsonRepository | None = None


class JsonPull(Json):
    """A pull request, in the full form and in that of lists."""

    number: int
    state: Literal["open", "closed"]
    head: JsonBranch
    base: JsonBranch
    merged_at: Time | None = None
    merge_commit_sha: FullId | None = None


class JsonUser(Json):
    """Who wrote something."""

    login: str
    type: str = ""


class JsonComment(Json):
    """A comment on a pull request; the user of a deleted account is null."""

    id: int
    body: str | None = None
    user: JsonUser | None = None
    html_url: str = ""


class JsonStatus(Json):
    """A commit status; the creator of a deleted account is null."""

    id: int
    state: str
    context: str
    description: str | None = None
    target_url: str | None = None
    creator: JsonUser | None = None


Model = TypeVar("Model", bound=Json)


def parse_json(model: type[Model], raw: Any, what: str) -> Model:
    """A raw answer to its model; raises ReadFailed naming the first field that is wrong."""
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "the answer"
        raise ReadFailed(what, f"{field}: {first['msg']}", cause=Cause.MALFORMED) from None


def commit_found(raw: JsonCommit, *, with_files: bool) -> CommitFound:
    """A raw commit to ours; its time is when it was committed, not authored."""
    author, committer = raw.commit.author, raw.commit.committer
    when = committer if committer is not None else author
    commit = RawCommit(
        tree=raw.commit.tree.sha,
        parents=tuple(parent.sha for parent in raw.parents),
        message=raw.commit.message,
        author="" if author is None else author.name,
        committed_at=None if when is None else when.date,
        files=paths(raw.files) if with_files and raw.files is not None else None,
    )
    return CommitFound(id=raw.sha, commit=commit)


def paths(files: list[JsonFile]) -> tuple[str, ...]:
    """The paths that differ, both names of a renamed file, sorted."""
    both = {name for file in files for name in (file.filename, file.previous_filename) if name is not None}
    return tuple(sorted(both))


def pull_request(raw: JsonPull) -> PullRequest:
    """A raw pull request to ours."""
    return PullRequest(
        number=raw.number,
        state=raw.state,
        head=raw.head.sha,
        head_branch=raw.head.ref,
        head_repository=None if raw.head.repo is None else raw.head.repo.full_name,
        base_branch=raw.base.ref,
        merged_at=raw.merged_at,
        merge_commit=raw.merge_commit_sha,
    )
