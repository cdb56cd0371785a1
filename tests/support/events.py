"""Event payloads with the keys that GitHub sends, cut to what tells one event from another."""

from typing import Any

Json = dict[str, Any]

OURS = {"id": 100, "full_name": "acme/environments", "fork": False, "default_branch": "main"}
FORK = {"id": 777, "full_name": "somebody/environments", "fork": True, "default_branch": "main"}


def push(commit: str, *, message: str = "Release 2.0.0", branch: str = "main", before: str = "0" * 40) -> Json:
    """A push to a branch."""
    head = {"id": commit, "message": message, "author": {"name": "Octo Dev"}, "timestamp": "2026-05-04T10:00:00Z"}
    return {
        "ref": f"refs/heads/{branch}",
        "before": before,
        "after": commit,
        "deleted": False,
        "forced": False,
        "repository": OURS,
        "head_commit": head,
        "commits": [head],
    }


def pull_request(head: str, number: int, *, base: str = "main", fork: bool = False) -> Json:
    """A pull request that got new commits."""
    theirs = FORK if fork else OURS
    return {
        "action": "synchronize",
        "number": number,
        "repository": OURS,
        "pull_request": {
            "number": number,
            "head": {"ref": "promote/prod", "sha": head, "repo": theirs},
            "base": {"ref": base, "sha": "b" * 40, "repo": OURS},
            "merged": False,
        },
    }


def merge_group(head: str, number: int, *, base: str = "main") -> Json:
    """A merge queue that wants to know about one group."""
    return {
        "action": "checks_requested",
        "repository": OURS,
        "merge_group": {
            "head_sha": head,
            "head_ref": f"refs/heads/gh-readonly-queue/{base}/pr-{number}-{'c' * 40}",
            "base_sha": "b" * 40,
            "base_ref": f"refs/heads/{base}",
            "head_commit": {"id": "d" * 40, "message": "Merge"},
        },
    }


def workflow_dispatch(inputs: Json | None = None) -> Json:
    """A run that a person started."""
    return {"ref": "refs/heads/main", "inputs": inputs or {}, "repository": OURS, "workflow": ".github/workflows/x.yml"}
