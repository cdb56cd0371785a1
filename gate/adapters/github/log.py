"""A branch's history by path, and files that are too large for the contents API."""

import base64
import binascii

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.github.address import check_path, quoted
from gate.adapters.github.answer import Refused
from gate.adapters.github.branch import Branch
from gate.adapters.github.models import Json, JsonCommit, JsonContent, parse_json
from gate.adapters.github.reading import GitHubRepository, said
from gate.errors import UsageError

_PAGE = 100
_TIME = 60.0


class JsonBlob(Json):
    """A file's content by its object id."""

    encoding: str
    content: str


async def read_tip(repository: GitHubRepository, branch: str) -> str:
    """The full id of a branch's newest commit.

    Raises UsageError where there is no such branch or repository as far as the token sees, ReadFailed.
    """
    where = Branch(repository, branch, repository.client.patience.deadline(_TIME))
    try:
        tip = await where.read_tip()
    except Refused as refused:
        raise _denied(where.what, refused) from refused
    if tip is None:
        raise UsageError(
            f"There is no {where.what}.",
            means="no verdict was ever stored on it, it has another name, or the token does not see the repository.",
            change="check the name, and give the token contents: read.",
        )
    return tip


async def read_messages(repository: GitHubRepository, commit: str, path: str, most: int) -> tuple[str, ...]:
    """The messages of the commits down from ``commit`` that touched a path, newest first, at most ``most``.

    Raises ReadFailed.
    """
    what = f"history of {path} in {repository.name}"
    messages: list[str] = []
    for page in range(1, most // _PAGE + 2):
        query = {"sha": commit, "path": check_path(path), "per_page": _PAGE, "page": page}
        try:
            answer = await repository.client.send("GET", f"{repository.path}/commits", what=what, query=query)
        except Refused as refused:
            raise _denied(what, refused) from refused
        if not isinstance(answer.body, list):
            raise ReadFailed(what, "the answer is not a list", cause=Cause.MALFORMED)
        messages += [parse_json(JsonCommit, one, what).commit.message for one in answer.body]
        if len(answer.body) < _PAGE:
            break
    return tuple(messages[:most])


async def read_large_file(repository: GitHubRepository, path: str, commit: str) -> str | None:
    """The text of a file at a commit, whatever its size; None where it is not there. Raises ReadFailed."""
    what = f"file {path} at {commit[:12]} of {repository.name}"
    url = f"{repository.path}/contents/{quoted(check_path(path))}"
    client = repository.client
    try:
        answer = await client.send("GET", url, what=what, query={"ref": commit})
        if isinstance(answer.body, list):
            raise ReadFailed(what, "is a directory", cause=Cause.MALFORMED)
        found = parse_json(JsonContent, answer.body, what)
        if found.type != "file":
            raise ReadFailed(what, "is no file", cause=Cause.MALFORMED)
        content = found.content
        if found.encoding != "base64" or content is None:  # above 1 MiB GitHub leaves it out
            blob = await client.send("GET", f"{repository.path}/git/blobs/{quoted(found.sha)}", what=what)
            content = parse_json(JsonBlob, blob.body, what).content
    except Refused as refused:
        if refused.status == 404:
            return None
        raise _denied(what, refused) from refused
    try:
        return base64.b64decode(content).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise ReadFailed(what, "is not UTF-8 text", cause=Cause.MALFORMED) from None


def _denied(what: str, refused: Refused) -> ReadFailed:
    return ReadFailed(what, said(refused), refused.status)
