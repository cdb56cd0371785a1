"""The JSON of commits, files, refs, trees and pull requests."""

from __future__ import annotations

import re
import zlib
from dataclasses import asdict
from typing import Any
from urllib.parse import quote

from gate.lab.github import shapes
from gate.lab.github.history import Commit, FileChange, Signature
from gate.lab.github.merging import is_behind, obstacle
from gate.lab.github.routing import Call
from gate.lab.github.state import Pull

NOREPLY = re.compile(r"(?:(\d+)\+)?(.+)@users\.noreply\.github\.com")


def verification(call: Call, sha: str) -> dict[str, Any]:
    """Whether GitHub calls the commit's signature valid."""
    verified = sha in call.repository.verified
    return {
        "verified": verified,
        "reason": "valid" if verified else "unsigned",
        "signature": "-----BEGIN PGP SIGNATURE-----" if verified else None,
        "payload": "tree" if verified else None,
        "verified_at": call.repository.created_at if verified else None,
    }


def linked_account(call: Call, person: Signature) -> dict[str, Any] | None:
    """The account a commit's e-mail address belongs to; only no-reply addresses are known."""
    found = NOREPLY.fullmatch(person.email)
    if found is None:
        return None
    login = found[2]
    number = int(found[1]) if found[1] else zlib.crc32(login.encode())
    return shapes.account(call, login, number, "Bot" if login.endswith("[bot]") else "User")


def parents(call: Call, commit: Commit, section: str) -> list[dict[str, str]]:
    """The parents' ids and addresses."""
    return [
        {
            "sha": sha,
            "url": f"{call.url}/{section}/{sha}",
            "html_url": f"{call.web}/commit/{sha}",
        }
        for sha in commit.parents
    ]


def commit(call: Call, found: Commit) -> dict[str, Any]:
    """A commit as the commits endpoints show it."""
    url = f"{call.url}/commits/{found.sha}"
    return {
        "sha": found.sha,
        "node_id": shapes.node_id("Commit", found.sha),
        "commit": {
            "author": asdict(found.author),
            "committer": asdict(found.committer),
            "message": found.message,
            "tree": {"sha": found.tree, "url": f"{call.url}/git/trees/{found.tree}"},
            "url": f"{call.url}/git/commits/{found.sha}",
            "comment_count": 0,
            "verification": verification(call, found.sha),
        },
        "url": url,
        "html_url": f"{call.web}/commit/{found.sha}",
        "comments_url": f"{url}/comments",
        "author": linked_account(call, found.author),
        "committer": linked_account(call, found.committer),
        "parents": parents(call, found, "commits"),
    }


def git_commit(call: Call, found: Commit) -> dict[str, Any]:
    """A commit as the Git database shows it."""
    return {
        "sha": found.sha,
        "node_id": shapes.node_id("Commit", found.sha),
        "url": f"{call.url}/git/commits/{found.sha}",
        "html_url": f"{call.web}/commit/{found.sha}",
        "author": asdict(found.author),
        "committer": asdict(found.committer),
        "tree": {"sha": found.tree, "url": f"{call.url}/git/trees/{found.tree}"},
        "message": found.message,
        "parents": parents(call, found, "git/commits"),
        "verification": verification(call, found.sha),
    }


def changed_file(call: Call, change: FileChange, ref: str) -> dict[str, Any]:
    """One entry of a list of changed files."""
    path = quote(change.path)
    entry: dict[str, Any] = {
        "sha": change.sha,
        "filename": change.path,
        "status": change.status,
        "additions": change.additions,
        "deletions": change.deletions,
        "changes": change.additions + change.deletions,
        "blob_url": f"{call.web}/blob/{ref}/{path}",
        "raw_url": f"{call.web}/raw/{ref}/{path}",
        "contents_url": f"{call.url}/contents/{path}?ref={ref}",
    }
    if change.patch:
        entry["patch"] = change.patch
    if change.previous is not None:
        entry["previous_filename"] = change.previous
    return entry


def reference(call: Call, name: str, sha: str, kind: str) -> dict[str, Any]:
    """A Git ref."""
    return {
        "ref": name,
        "node_id": shapes.node_id("Ref", name),
        "url": f"{call.url}/git/{quote(name)}",
        "object": {"sha": sha, "type": kind, "url": f"{call.url}/git/{kind}s/{sha}"},
    }


def pull_links(call: Call, pull: Pull) -> dict[str, str]:
    """The addresses below `_links`."""
    url, issue = f"{call.url}/pulls/{pull.number}", f"{call.url}/issues/{pull.number}"
    return {
        "self": url,
        "html": f"{call.web}/pull/{pull.number}",
        "issue": issue,
        "comments": f"{issue}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": f"{call.url}/pulls/comments{{/number}}",
        "commits": f"{url}/commits",
        "statuses": f"{call.url}/statuses/{pull.head_sha}",
    }


def pull_simple(call: Call, pull: Pull) -> dict[str, Any]:
    """A pull request as lists show it; there is no `merged` here."""
    links = pull_links(call, pull)
    return {
        "id": pull.id,
        "node_id": shapes.node_id("PullRequest", pull.id),
        "url": links["self"],
        "html_url": links["html"],
        "diff_url": f"{links['html']}.diff",
        "patch_url": f"{links['html']}.patch",
        **{f"{name}_url": url for name, url in links.items() if name not in {"self", "html"}},
        "number": pull.number,
        "state": pull.state,
        "locked": False,
        "title": pull.title,
        "user": shapes.user(call, pull.user),
        "body": pull.body,
        **{name: getattr(pull, name) for name in ("created_at", "updated_at", "closed_at", "merged_at")},
        "merge_commit_sha": pull.merge_commit_sha,
        **dict.fromkeys(("assignee", "milestone", "auto_merge")),
        **{name: [] for name in ("assignees", "requested_reviewers", "requested_teams", "labels")},
        "draft": pull.draft,
        "head": _side(call, pull.owner, pull.head, pull.head_sha),
        "base": _side(call, call.repository.owner, pull.base, pull.base_sha),
        "_links": {name: {"href": url} for name, url in links.items()},
        "author_association": "CONTRIBUTOR",
    }


def pull_full(call: Call, pull: Pull, changes: list[FileChange]) -> dict[str, Any]:
    """A pull request by its number."""
    git, merged = call.repository.git, pull.merged_at is not None
    comments = [c for c in call.repository.comments.values() if c.number == pull.number]
    return {
        **pull_simple(call, pull),
        "merged": merged,
        "mergeable": None if pull.state == "closed" else pull.merge_commit_sha is not None,
        "rebaseable": None,
        "mergeable_state": mergeable_state(call, pull),
        "merged_by": shapes.user(call, pull.merged_by) if pull.merged_by else None,
        "comments": len(comments),
        "review_comments": 0,
        "maintainer_can_modify": False,
        "commits": git.count(pull.base_sha, pull.head_sha),
        "additions": sum(change.additions for change in changes),
        "deletions": sum(change.deletions for change in changes),
        "changed_files": len(changes),
    }


def mergeable_state(call: Call, pull: Pull) -> str:
    """GitHub's word for what stands in the way."""
    if pull.state == "closed":
        return "unknown"
    if pull.merge_commit_sha is None:
        return "dirty"
    if pull.draft:
        return "draft"
    if is_behind(call.repository, pull):
        return "behind"
    return "blocked" if obstacle(call.repository, pull, call.identity) else "clean"


def _side(call: Call, owner: str, ref: str, sha: str) -> dict[str, Any]:
    """Head or base; a head in a fork names the fork's repository."""
    repository = shapes.repository(call)
    if owner != call.repository.owner:
        repository["owner"] = shapes.account(call, owner, zlib.crc32(owner.encode()), "User")
        repository["full_name"] = f"{owner}/{call.repository.name}"
        repository["fork"], repository["id"] = True, zlib.crc32(repository["full_name"].encode())
    return {
        "label": f"{owner}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": repository["owner"],
        "repo": repository,
    }
