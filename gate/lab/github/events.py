"""Event payloads as a workflow run finds them, made from what the stand-in holds."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from gate.lab.github import pulls, shapes, shapes_git
from gate.lab.github.exchange import Request
from gate.lab.github.history import Commit, read_changes, read_commit
from gate.lab.github.identity import Identity
from gate.lab.github.routing import Call
from gate.lab.github.state import QueueEntry, Repository, World

Json = dict[str, Any]
NOWHERE = "0" * 40
# What events have of a repository beside what the API shows, and what they have not.
REPOSITORY_EXTRA = {
    "allow_forking": False, "custom_properties": {}, "is_template": False, "topics": [],
    "web_commit_signoff_required": False,
}  # fmt: skip
NOT_IN_EVENTS = {"network_count", "subscribers_count", "has_discussions"}
ACCOUNT_NOT_IN_EVENTS = {"user_view_type"}


class Events:
    """Payloads about one repository, caused by one caller."""

    def __init__(self, world: World, repository: Repository, sender: Identity, server: str, prefix: str) -> None:
        self._repository = repository
        request = Request("GET", "/", {}, {}, None, server, prefix)
        self._call = Call(world, request, sender, {}, repository)

    def push(self, branch: str = "main", before: str | None = None) -> Json:
        """A push that left `branch` where it is; `before` defaults to the tip's first parent."""
        git = self._repository.git
        tip = read_commit(git, git.text("rev-parse", f"refs/heads/{branch}"))
        old = before or (tip.parents[0] if tip.parents else NOWHERE)
        head = self._commit(tip)
        return self._about(
            ref=f"refs/heads/{branch}",
            before=old,
            after=tip.sha,
            created=old == NOWHERE,
            deleted=False,
            forced=old != NOWHERE and not git.is_ancestor(old, tip.sha),
            base_ref=None,
            compare=f"{self._call.web}/compare/{old[:12]}...{tip.sha[:12]}",
            commits=[head],
            head_commit=head,
            pusher={"name": self._call.identity.login, "email": tip.committer.email},
        )

    def pull_request(self, number: int, action: str = "synchronize") -> Json:
        """A pull request was opened, reopened, closed, or got commits (`synchronize`)."""
        pull = pulls.refresh(self._repository, self._repository.pulls[number])
        git = self._repository.git
        changes = read_changes(git, git.merge_base(pull.base_sha, pull.head_sha), pull.head_sha)
        shape = _trimmed(shapes_git.pull_full(self._call, pull, changes))
        shape |= {"active_lock_reason": None}
        for side in ("head", "base"):
            shape[side]["repo"] = self._repository_of(shape[side]["repo"])
        moved = {"before": NOWHERE, "after": pull.head_sha} if action == "synchronize" else {}
        return self._about(action=action, number=number, pull_request=shape, **moved)

    def merge_group(self, entry: QueueEntry, reason: str = "") -> Json:
        """The queue asks for checks of a group; with a reason (`merged`, `invalidated`, `dequeued`) it is gone."""
        head = read_commit(self._repository.git, entry.head_sha)
        group = {
            "head_sha": entry.head_sha,
            "head_ref": entry.head_ref,
            "base_sha": entry.base_sha,
            "base_ref": f"refs/heads/{entry.base}",
            "head_commit": {
                "id": head.sha,
                "tree_id": head.tree,
                "message": head.message,
                "timestamp": head.committer.date,
                "author": {"name": head.author.name, "email": head.author.email},
                "committer": {"name": head.committer.name, "email": head.committer.email},
            },
        }
        if reason:
            return self._about(action="destroyed", reason=reason, merge_group=group)
        return self._about(action="checks_requested", merge_group=group)

    def workflow_dispatch(self, branch: str = "main", inputs: dict[str, str] | None = None) -> Json:
        """A person started a workflow."""
        return self._about(ref=f"refs/heads/{branch}", inputs=inputs, workflow=".github/workflows/gate.yml")

    def schedule(self, cron: str = "*/15 * * * *") -> Json:
        """The clock started it; GitHub describes no payload, runs show these keys.

        Source: https://docs.github.com/en/actions (events that trigger workflows, schedule)
        """
        return self._about(schedule=cron, workflow=".github/workflows/gate.yml")

    def repository_dispatch(self, action: str, client_payload: Json | None = None) -> Json:
        """Somebody called the API to start it."""
        return self._about(
            action=action,
            branch=self._repository.git.default_branch(),
            client_payload=client_payload or {},
            installation={"id": 1, "node_id": shapes.node_id("Installation", 1)},
        )

    def workflow_run(
        self,
        head_sha: str,
        branch: str,
        *,
        event: str = "push",
        conclusion: str = "success",
        numbers: tuple[int, ...] = (),
    ) -> Json:
        """Another workflow's run has ended."""
        head = read_commit(self._repository.git, head_sha)
        url, run_id, at = f"{self._call.url}/actions", 9001, self._repository.created_at
        run = f"{url}/runs/{run_id}"
        actor, lite = self._account(), self._lite()
        person = {"name": head.author.name, "email": head.author.email}
        shape = {
            "id": run_id, "name": "Build", "path": ".github/workflows/build.yml", "display_title": "Build",
            "node_id": shapes.node_id("WorkflowRun", run_id), "check_suite_node_id": shapes.node_id("CheckSuite", 1),
            "check_suite_id": 1, "head_branch": branch, "head_sha": head_sha, "run_number": 1, "run_attempt": 1,
            "event": event, "status": "completed", "conclusion": conclusion, "workflow_id": 1, "url": run,
            "html_url": f"{self._call.web}/actions/runs/{run_id}", "created_at": at, "updated_at": at,
            "run_started_at": at, "referenced_workflows": [], "actor": actor, "triggering_actor": actor,
            "pull_requests": [self._listed(number) for number in numbers],
            **{f"{name}_url": f"{run}/{name}" for name in ("jobs", "logs", "artifacts", "cancel", "rerun")},
            "check_suite_url": f"{self._call.url}/check-suites/1", "workflow_url": f"{url}/workflows/1",
            "previous_attempt_url": None,
            "head_commit": {
                "id": head_sha, "tree_id": head.tree, "message": head.message, "timestamp": head.committer.date,
                "author": person, "committer": person,
            },
            "repository": lite, "head_repository": lite,
        }  # fmt: skip
        workflow = {
            "id": 1, "node_id": shapes.node_id("Workflow", 1), "name": "Build", "path": ".github/workflows/build.yml",
            "state": "active", "created_at": at, "updated_at": at, "url": f"{url}/workflows/1",
            "html_url": f"{self._call.web}/actions/workflows/build.yml", "badge_url": f"{self._call.web}/badge.svg",
        }  # fmt: skip
        return self._about(action="completed", workflow_run=shape, workflow=workflow)

    def _about(self, **fields: Any) -> Json:
        repository = self._repository_of(shapes.repository(self._call))
        return {**fields, "repository": repository, "sender": self._account()}

    def _account(self) -> Json:
        return _trimmed(shapes.user(self._call, self._call.identity))

    def _repository_of(self, shape: Json) -> Json:
        kept = {name: value for name, value in _trimmed(shape).items() if name not in NOT_IN_EVENTS}
        return {**kept, **REPOSITORY_EXTRA}

    def _lite(self) -> Json:
        shape = shapes.repository(self._call)
        names = ("id", "node_id", "name", "full_name", "owner", "private", "html_url", "description", "fork", "url")
        links = {name: value for name, value in shape.items() if name in {**shapes.REPOSITORY_LINKS}}
        return _trimmed({**{name: shape[name] for name in names}, **links})

    def _listed(self, number: int) -> Json:
        pull = pulls.refresh(self._repository, self._repository.pulls[number])
        home = {"id": self._repository.id, "url": self._call.url, "name": self._repository.name}
        sides = {"head": (pull.head, pull.head_sha), "base": (pull.base, pull.base_sha)}
        return {
            "id": pull.id,
            "number": number,
            "url": f"{self._call.url}/pulls/{number}",
            **{side: {"ref": ref, "sha": sha, "repo": home} for side, (ref, sha) in sides.items()},
        }

    def _commit(self, found: Commit) -> Json:
        changes = read_changes(self._repository.git, found.parents[0] if found.parents else None, found.sha)
        return {
            "id": found.sha,
            "tree_id": found.tree,
            "distinct": True,
            "message": found.message,
            "timestamp": found.committer.date,
            "url": f"{self._call.web}/commit/{quote(found.sha)}",
            "author": {"name": found.author.name, "email": found.author.email},
            "committer": {"name": found.committer.name, "email": found.committer.email},
            **{kind: [one.path for one in changes if one.status == kind] for kind in ("added", "removed", "modified")},
        }


def _trimmed(shape: Json) -> Json:
    """A shape of the API without what events leave out of accounts."""
    return {name: _below(value) for name, value in shape.items() if name not in ACCOUNT_NOT_IN_EVENTS}


def _below(value: Any) -> Any:
    if isinstance(value, list):
        return [_below(item) for item in value]
    return _trimmed(value) if isinstance(value, dict) else value
