"""The JSON of accounts, repositories, statuses and comments."""

from __future__ import annotations

import base64
from typing import Any

from gate.lab.github.identity import Identity
from gate.lab.github.routing import Call
from gate.lab.github.state import Comment, Status

USER_LINKS = {
    "followers_url": "followers",
    "following_url": "following{/other_user}",
    "gists_url": "gists{/gist_id}",
    "starred_url": "starred{/owner}{/repo}",
    "subscriptions_url": "subscriptions",
    "organizations_url": "orgs",
    "repos_url": "repos",
    "events_url": "events{/privacy}",
    "received_events_url": "received_events",
}
REPOSITORY_LINKS = {
    "archive_url": "{archive_format}{/ref}",
    "assignees_url": "assignees{/user}",
    "blobs_url": "git/blobs{/sha}",
    "branches_url": "branches{/branch}",
    "collaborators_url": "collaborators{/collaborator}",
    "comments_url": "comments{/number}",
    "commits_url": "commits{/sha}",
    "compare_url": "compare/{base}...{head}",
    "contents_url": "contents/{+path}",
    "contributors_url": "contributors",
    "deployments_url": "deployments",
    "downloads_url": "downloads",
    "events_url": "events",
    "forks_url": "forks",
    "git_commits_url": "git/commits{/sha}",
    "git_refs_url": "git/refs{/sha}",
    "git_tags_url": "git/tags{/sha}",
    "hooks_url": "hooks",
    "issue_comment_url": "issues/comments{/number}",
    "issue_events_url": "issues/events{/number}",
    "issues_url": "issues{/number}",
    "keys_url": "keys{/key_id}",
    "labels_url": "labels{/name}",
    "languages_url": "languages",
    "merges_url": "merges",
    "milestones_url": "milestones{/number}",
    "notifications_url": "notifications{?since,all,participating}",
    "pulls_url": "pulls{/number}",
    "releases_url": "releases{/id}",
    "stargazers_url": "stargazers",
    "statuses_url": "statuses/{sha}",
    "subscribers_url": "subscribers",
    "subscription_url": "subscription",
    "tags_url": "tags",
    "teams_url": "teams",
    "trees_url": "git/trees{/sha}",
}
COUNTERS = (
    "forks", "forks_count", "network_count", "open_issues", "open_issues_count", "size",
    "stargazers_count", "subscribers_count", "watchers", "watchers_count",
)  # fmt: skip
SWITCHES = {
    "archived": False,
    "disabled": False,
    "fork": False,
    "has_discussions": False,
    "has_downloads": False,
    "has_issues": True,
    "has_pages": False,
    "has_projects": False,
    "has_wiki": False,
    "private": True,
}


def node_id(kind: str, number: int | str) -> str:
    """An opaque id, as GraphQL has them."""
    return base64.b64encode(f"{kind}:{number}".encode()).decode()


def account(call: Call, login: str, number: int, kind: str) -> dict[str, Any]:
    """A user, bot or organisation."""
    server, url = call.request.server, f"{call.request.api}/users/{login}"
    return {
        "login": login,
        "id": number,
        "node_id": node_id(kind, number),
        "avatar_url": f"{server}/avatars/{number}",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{server}/{login}",
        **{name: f"{url}/{path}" for name, path in USER_LINKS.items()},
        "type": kind,
        "user_view_type": "public",
        "site_admin": False,
    }


def user(call: Call, identity: Identity) -> dict[str, Any]:
    """A caller as an account."""
    return account(call, identity.login, identity.id, identity.type)


def repository(call: Call) -> dict[str, Any]:
    """The full repository; the smaller shapes are subsets of it."""
    found, url, web = call.repository, call.url, call.web
    return {
        "id": found.id,
        "node_id": node_id("Repository", found.id),
        "name": found.name,
        "full_name": found.full_name,
        "owner": account(call, found.owner, found.id + 1, "Organization"),
        "html_url": web,
        "description": None,
        "url": url,
        **{name: f"{url}/{path}" if path[0] != "{" else url + "/" + path for name, path in REPOSITORY_LINKS.items()},
        "clone_url": f"{web}.git",
        "git_url": f"{web}.git",
        "ssh_url": f"{web}.git",
        "svn_url": web,
        "mirror_url": None,
        "homepage": None,
        "language": None,
        "license": None,
        "visibility": "private",
        "default_branch": found.git.default_branch(),
        "created_at": found.created_at,
        "updated_at": found.created_at,
        "pushed_at": found.created_at,
        **dict.fromkeys(COUNTERS, 0),
        **SWITCHES,
    }


def status(call: Call, found: Status) -> dict[str, Any]:
    """A commit status with its creator."""
    return {
        "url": f"{call.url}/statuses/{found.sha}",
        "avatar_url": f"{call.request.server}/avatars/{found.creator.id}",
        "id": found.id,
        "node_id": node_id("StatusContext", found.id),
        "state": found.state,
        "description": found.description,
        "target_url": found.target_url,
        "context": found.context,
        "created_at": found.created_at,
        "updated_at": found.created_at,
        "creator": user(call, found.creator),
    }


def comment(call: Call, found: Comment) -> dict[str, Any]:
    """A comment on a pull request."""
    bot = found.user.type == "Bot"
    return {
        "id": found.id,
        "node_id": node_id("IssueComment", found.id),
        "url": f"{call.url}/issues/comments/{found.id}",
        "html_url": f"{call.web}/pull/{found.number}#issuecomment-{found.id}",
        "issue_url": f"{call.url}/issues/{found.number}",
        "body": found.body,
        "user": user(call, found.user),
        "created_at": found.created_at,
        "updated_at": found.updated_at,
        "author_association": "NONE" if bot else "MEMBER",
        "performed_via_github_app": app(call, found.user),
    }


def app(call: Call, identity: Identity) -> dict[str, Any] | None:
    """The GitHub App behind a caller, if there is one."""
    if identity.app_id is None:
        return None
    slug = identity.login.removesuffix("[bot]")
    return {
        "id": identity.app_id,
        "slug": slug,
        "node_id": node_id("App", identity.app_id),
        "client_id": f"Iv1.{identity.app_id}",
        "owner": account(call, "github", 9919, "Organization"),
        "name": slug,
        "description": "",
        "external_url": f"{call.request.server}/apps/{slug}",
        "html_url": f"{call.request.server}/apps/{slug}",
        "created_at": "2018-07-30T09:30:17Z",
        "updated_at": "2018-07-30T09:30:17Z",
        "permissions": {},
        "events": [],
    }
