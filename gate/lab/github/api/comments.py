"""Comments on pull requests (which are issues to this part of the API)."""

from __future__ import annotations

from gate.lab.github import shapes
from gate.lab.github.exchange import Reply, invalid, not_found
from gate.lab.github.paging import paginated
from gate.lab.github.routing import REPOSITORY, Call, Router
from gate.lab.github.state import Comment, now

router = Router()
LIST = f"{REPOSITORY}/issues/{{issue_number}}/comments"
ONE = f"{REPOSITORY}/issues/comments/{{comment_id}}"
BODY_LIMIT = 65536
# Either permission serves for pull requests: ynab/ynab-sdk-ruby#95,
# https://docs.github.com/en/rest/issues/comments
READ = (("pull-requests", "read"), ("issues", "read"))
WRITE = (("pull-requests", "write"), ("issues", "write"))


def checked_body(call: Call) -> str:
    """The text, if GitHub would take it.

    Rule: 65536 characters, on create and on edit. Sources:
    danger/danger#424, joonvena/robotframework-reporter-action#30.
    """
    call.expect(body=str)
    call.required("IssueComment", "body")
    body: str = call.body["body"]
    if not body.strip():
        raise invalid("IssueComment", "custom", field="body", message="body can't be blank")
    if len(body) > BODY_LIMIT:
        message = "Body is too long (maximum is 65536 characters)"
        raise invalid("IssueComment", "custom", field="body", message=message)
    return body


def existing(call: Call) -> Comment:
    """The comment in the path."""
    text = call.parameters["comment_id"]
    comment = call.repository.comments.get(int(text)) if text.isdecimal() else None
    if comment is None:
        raise not_found()
    return comment


@router.add("GET", LIST, *READ)
def listing(call: Call) -> Reply:
    """A pull request's comments by ascending id, from `since` on."""
    number, since = call.pull("issue_number").number, call.request.query.get("since", "")
    found = [
        shapes.comment(call, comment)
        for _, comment in sorted(call.repository.comments.items())
        if comment.number == number and comment.updated_at >= since
    ]
    return paginated(call.request, found)


@router.add("POST", LIST, *WRITE)
def create(call: Call) -> Reply:
    """Write a comment."""
    number, body, at = call.pull("issue_number").number, checked_body(call), now()
    comment = Comment(next(call.world.ids), number, body, call.identity, at, at)
    call.repository.comments[comment.id] = comment
    shape = shapes.comment(call, comment)
    return Reply(201, shape, {"Location": shape["url"]})


@router.add("GET", ONE, *READ)
def get(call: Call) -> Reply:
    """One comment."""
    return Reply(body=shapes.comment(call, existing(call)))


@router.add("PATCH", ONE, *WRITE)
def edit(call: Call) -> Reply:
    """Change a comment's text."""
    comment = existing(call)
    comment.body, comment.updated_at = checked_body(call), now()
    return Reply(body=shapes.comment(call, comment))


@router.add("DELETE", ONE, *WRITE)
def delete(call: Call) -> Reply:
    """Remove a comment."""
    del call.repository.comments[existing(call).id]
    return Reply(204)
