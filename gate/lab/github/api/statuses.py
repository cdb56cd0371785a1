"""Commit statuses."""

from __future__ import annotations

from gate.lab.github import shapes
from gate.lab.github.exchange import Reply, invalid, unprocessable
from gate.lab.github.git import is_id
from gate.lab.github.paging import page_of, paginated
from gate.lab.github.routing import REPOSITORY, Call, Router
from gate.lab.github.state import Repository, Status, now

router = Router()
STATES = {"error", "failure", "pending", "success"}
DESCRIPTION_LIMIT = 140
STATUSES_LIMIT = 1000


def resolve(call: Call, name: str) -> str:
    """The commit behind a `{ref}`.

    Rule: an unknown or ambiguous one is 422 with this text. Sources:
    https://docs.github.com/en/rest/commits/commits#get-a-commit, rust-lang/homu#141.
    """
    sha = call.repository.git.commit(name)
    if sha is None:
        raise unprocessable(f"No commit found for SHA: {name}")
    return sha


@router.add("POST", f"{REPOSITORY}/statuses/{{sha}}", ("statuses", "write"))
def create(call: Call) -> Reply:
    """Publish one status."""
    call.expect(state=str, context=str, description=str, target_url=str)
    call.required("Status", "state")
    sha, body = call.parameters["sha"], call.body
    if not is_id(sha):
        raise unprocessable(f"No commit found for SHA: {sha}")
    resolve(call, sha)
    context = body.get("context") or "default"
    check(call.repository, sha, body["state"], context, body.get("description") or "")
    status = Status(
        next(call.world.ids),
        sha,
        body["state"],
        context,
        body.get("description"),
        body.get("target_url"),
        call.identity,
        now(),
    )
    call.repository.statuses.append(status)
    return Reply(201, shapes.status(call, status), {"Location": f"{call.url}/statuses/{sha}"})


def check(repository: Repository, sha: str, state: str, context: str, description: str) -> None:
    """What GitHub refuses although its description allows it."""
    if state not in STATES:
        raise invalid("Status", "custom", field="state", message="state is not included in the list")
    # Rule: 140 characters. Sources: zalando/zappr#378, vince-riv/argo-diff#49.
    if len(description) > DESCRIPTION_LIMIT:
        message = "description is too long (maximum is 140 characters)"
        raise invalid("Status", "custom", field="description", message=message)
    # Rule: 1000 for one commit and context. Sources: screwdriver-cd/screwdriver#387 (the text),
    # https://docs.github.com/en/rest/commits/statuses#create-a-commit-status
    same = [s for s in repository.statuses_of(sha) if s.context.lower() == context.lower()]
    if len(same) >= STATUSES_LIMIT:
        message = "This SHA and context has reached the maximum number of statuses."
        raise invalid("Status", "custom", message=message)


@router.add("GET", f"{REPOSITORY}/commits/{{ref}}/status", ("statuses", "read"))
def combined(call: Call) -> Reply:
    """The newest status of each context, and what they amount to.

    Rule: failure if any failed or erred, pending if none or any is pending,
    else success. Source: https://docs.github.com/en/rest/commits/statuses
    """
    sha = resolve(call, call.parameters["ref"])
    latest = call.repository.latest_statuses(sha)
    page, headers = page_of(call.request, latest)
    states = {status.state for status in latest}
    state = "pending" if not states or "pending" in states else "success"
    if states & {"error", "failure"}:
        state = "failure"
    body = {
        "state": state,
        "sha": sha,
        "total_count": len(latest),
        "statuses": [without_creator(call, status) for status in page],
        "repository": shapes.repository(call),
        "commit_url": f"{call.url}/commits/{sha}",
        "url": f"{call.url}/commits/{sha}/status",
    }
    return Reply(body=body, headers=headers)


def without_creator(call: Call, status: Status) -> dict[str, object]:
    """A status as the combined answer lists it."""
    return {key: value for key, value in shapes.status(call, status).items() if key != "creator"}


LIST = f"{REPOSITORY}/commits/{{ref}}/statuses"


# The older path lives on: https://docs.github.com/en/rest/commits/statuses (list, note).
@router.add("GET", LIST, ("statuses", "read"), alias=f"{REPOSITORY}/statuses/{{ref}}")
@router.add("GET", LIST, ("statuses", "read"))
def listing(call: Call) -> Reply:
    """Every status of a commit, newest first."""
    sha = resolve(call, call.parameters["ref"])
    found = call.repository.statuses_of(sha)
    return paginated(call.request, [shapes.status(call, status) for status in found])
