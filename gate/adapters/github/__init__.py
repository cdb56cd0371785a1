"""Talking to GitHub: commits, files and pull requests are read, statuses and comments published.

PyGithub authenticates, paces and sends; what it brings back is read from raw JSON into our own
strict models at once, because its objects fetch what they miss the moment somebody looks at it.
"""

from gate.adapters.github.access import GitHubAccess, GitHubApp
from gate.adapters.github.address import parse_repository
from gate.adapters.github.client import GitHubClient
from gate.adapters.github.comment import CommentPublisher
from gate.adapters.github.commit import CommitPublisher
from gate.adapters.github.commit_models import Committed, Edit, FilesAt, Proposed
from gate.adapters.github.marker import Marker
from gate.adapters.github.models import CommitFound, PullRequest, PullRequestFound, RelationFound
from gate.adapters.github.proposal import PullRequestPublisher
from gate.adapters.github.pulls import find_pull_request
from gate.adapters.github.reading import GitHubRepository
from gate.adapters.github.results import PublishOutcome, PublishResult
from gate.adapters.github.status import StatusPublisher

__all__ = [
    "CommentPublisher",
    "CommitFound",
    "CommitPublisher",
    "Committed",
    "Edit",
    "FilesAt",
    "GitHubAccess",
    "GitHubApp",
    "GitHubClient",
    "GitHubRepository",
    "Marker",
    "Proposed",
    "PublishOutcome",
    "PublishResult",
    "PullRequest",
    "PullRequestFound",
    "PullRequestPublisher",
    "RelationFound",
    "StatusPublisher",
    "find_pull_request",
    "parse_repository",
]
