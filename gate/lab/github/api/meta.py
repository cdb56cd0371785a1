"""The repository itself, the caller, rules and rate limit."""

from __future__ import annotations

from typing import Any

from gate.lab.github import shapes
from gate.lab.github.exchange import ApiError, Reply
from gate.lab.github.paging import paginated
from gate.lab.github.routing import REPOSITORY, Call, Router

router = Router()
PROFILE = ("bio", "blog", "company", "email", "hireable", "location", "name")
NUMBERS = (
    "followers", "following", "public_gists", "public_repos", "collaborators", "disk_usage",
    "owned_private_repos", "private_gists", "total_private_repos",
)  # fmt: skip


@router.add("GET", REPOSITORY, ("metadata", "read"))
def repository(call: Call) -> Reply:
    """One repository."""
    return Reply(body=shapes.repository(call))


@router.add("GET", f"{REPOSITORY}/rules/branches/{{branch}}", ("metadata", "read"))
def branch_rules(call: Call) -> Reply:
    """Active rules of a branch, which need not exist."""
    return paginated(call.request, call.repository.rules.get(call.parameters["branch"], []))


@router.add("GET", "/user")
def authenticated_user(call: Call) -> Reply:
    """The caller.

    Rule: an installation token has no user; 403. Sources:
    https://docs.github.com/en/rest/users/users#get-the-authenticated-user,
    actions/create-github-app-token#258.
    """
    if call.identity.type == "Bot":
        raise ApiError(403, "Resource not accessible by integration")
    at = "2020-01-01T00:00:00Z"
    body: dict[str, Any] = shapes.user(call, call.identity)
    body |= dict.fromkeys(PROFILE, None) | dict.fromkeys(NUMBERS, 0)
    body |= {"blog": "", "created_at": at, "updated_at": at, "two_factor_authentication": True}
    return Reply(body={**body, "user_view_type": "private"})


@router.add("GET", "/rate_limit")
def rate_limit(call: Call) -> Reply:
    """The limit as it stands; asking costs nothing."""
    world = call.world
    rate = {
        "limit": world.rate_limit,
        "used": world.requests_used,
        "remaining": max(world.rate_limit - world.requests_used, 0),
        "reset": int(world.reset_at),
    }
    search = {"limit": 30, "used": 0, "remaining": 30, "reset": int(world.reset_at)}
    return Reply(body={"resources": {"core": rate, "search": search}, "rate": rate})
