"""What an approval asks of GitHub: the pull request as it is now, and whether a run said success."""

from gate.adapters.github.answer import Refused
from gate.adapters.github.models import JsonPull, JsonStatus, PullRequest, parse_json, pull_request
from gate.adapters.github.reading import GitHubRepository


async def read_pull(repository: GitHubRepository, number: int) -> PullRequest:
    """A pull request as it is now. Raises Refused and ReadFailed."""
    what = f"pull request #{number} of {repository.name}"
    answer = await repository.client.send("GET", f"{repository.path}/pulls/{number}", what=what)
    return pull_request(parse_json(JsonPull, answer.body, what))


async def said_success(repository: GitHubRepository, commit: str, context: str, run_url: str) -> bool:
    """Whether the run of this page gave a commit (its full id) a success of this context, whatever was said since.

    A page that is not https stands in no status: there any success of the context counts. Raises Refused and
    ReadFailed; that there is no such commit is no success.
    """
    what = f"commit statuses of {commit[:12]} of {repository.name}"
    try:
        items = await repository.client.pages(f"{repository.path}/commits/{commit}/statuses", what=what)
    except Refused as refused:
        if refused.status in (404, 422):
            return False
        raise
    expected = run_url if run_url.startswith("https://") else None
    found = [parse_json(JsonStatus, item, what) for item in items]
    said = ((one.state, one.context.lower(), one.target_url) for one in found)
    return ("success", context.lower(), expected) in said
