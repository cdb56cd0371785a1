"""The client of the GitHub that a run belongs to, and what publishes there by it."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from gate.adapters.github.access import GitHubAccess
from gate.adapters.github.client import GitHubClient
from gate.app.announce import Announcer, Say
from gate.app.options import CheckOptions
from gate.config.event import Run


def connect_github(options: CheckOptions, run: Run | None, environ: Mapping[str, str]) -> GitHubClient:
    """A client by the token that was given, for the workflow's own server where there is a workflow."""
    api_url = run.api_url if run is not None else environ.get("GITHUB_API_URL") or "https://api.github.com"
    ca_file = environ.get("REQUESTS_CA_BUNDLE") or environ.get("SSL_CERT_FILE")
    authority = None if not ca_file else Path(ca_file)
    return GitHubClient(GitHubAccess(api_url=api_url, token=options.github_token, ca_file=authority))


def make_announcer(
    options: CheckOptions, run: Run, client: GitHubClient, began: datetime, say: Say
) -> Announcer | None:
    """What publishes the verdict on the run's reported commit; None where that is not known as a full id."""
    if run.reported is None:
        return None
    return Announcer(
        client=client,
        run=run,
        commit=run.reported,
        environment=options.environment,
        began=began,
        comment=options.comment,
        author=options.comment_author,
        say=say,
    )
