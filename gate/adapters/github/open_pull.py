"""The one open pull request from a branch into another: found, opened once, and kept saying what it should."""

from typing import Any, Final

from gate.adapters.failures import one_line
from gate.adapters.github.answer import NotConfirmed, Refused
from gate.adapters.github.branch import Branch
from gate.adapters.github.client import Repeat
from gate.adapters.github.commit_models import JsonOpenPull, OpenPull
from gate.adapters.github.models import parse_json
from gate.render.fitting import COMMENT_LIMIT, cut_markdown

LONGEST_TITLE: Final = 250
_CUT = "*Cut here, because GitHub takes no longer text.*"
_ROUNDS = 4


async def find_open_pull(base: Branch, head: Branch) -> OpenPull | None:
    """The open pull request from ``head`` into ``base``, both of one repository; GitHub allows one."""
    repository = head.repository
    owner = repository.name.partition("/")[0]
    what = f"pull requests of {repository.name}"
    query = {"head": f"{owner}:{head.name}", "base": base.name, "state": "open"}
    items: list[Any] = await repository.client.pages(
        f"{repository.path}/pulls", what=what, query=query, deadline=head.deadline
    )
    for item in items:
        raw = parse_json(JsonOpenPull, item, what)
        home = "" if raw.head.repo is None else raw.head.repo.full_name
        if (raw.state, raw.head.ref, raw.base.ref, home.lower()) == (
            "open", head.name, base.name, repository.name.lower(),
        ):  # fmt: skip
            return _open_pull(raw)
    return None


async def keep_open_pull(
    base: Branch, head: Branch, known: OpenPull | None, *, title: str, body: str
) -> tuple[OpenPull, bool]:
    """The pull request with this title and body, and whether it was opened now."""
    title = one_line(title, LONGEST_TITLE)
    body = cut_markdown(body, COMMENT_LIMIT, _CUT)
    if known is None:
        return await _opened(base, head, title, body)
    if (known.title, known.body) != (title, body):
        path = f"{head.repository.path}/pulls/{known.number}"
        what = f"pull request #{known.number} of {head.repository.name}"
        await head.repository.client.send(
            "PATCH", path, what=what, body={"title": title, "body": body}, deadline=head.deadline
        )
    return known, False


async def _opened(base: Branch, head: Branch, title: str, body: str) -> tuple[OpenPull, bool]:
    """Open it, once: a lost answer, and one that says it is there, are settled by looking."""
    client, unsure = head.repository.client, None
    for round_ in range(1, _ROUNDS + 1):
        try:
            return await _open(base, head, title, body), True
        except NotConfirmed as failure:
            unsure = failure
        except Refused as refused:
            if not any("already exists" in str(error.get("message", "")) for error in refused.errors):
                raise
        found = await find_open_pull(base, head)
        if found is not None:
            return found, unsure is not None
        if unsure is not None:
            await client.patience.sleep(client.patience.wait_after(unsure.failure, round_))
    if unsure is not None:
        raise unsure
    raise Refused(f"pull request from {head.name}", 422, "GitHub says that one is open, and lists none")


async def _open(base: Branch, head: Branch, title: str, body: str) -> OpenPull:
    what = f"pull request from {head.name} into {base.name} of {head.repository.name}"
    answer = await head.repository.client.send(
        "POST",
        f"{head.repository.path}/pulls",
        what=what,
        body={"title": title, "head": head.name, "base": base.name, "body": body},
        repeat=Repeat.WHEN_NOT_CARRIED_OUT,
        deadline=head.deadline,
    )
    return _open_pull(parse_json(JsonOpenPull, answer.body, what))


def _open_pull(raw: JsonOpenPull) -> OpenPull:
    url = raw.html_url if raw.html_url.startswith(("https://", "http://")) else None
    return OpenPull(number=raw.number, url=url, title=raw.title, body="" if raw.body is None else raw.body)
