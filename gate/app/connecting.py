"""The client of the GitHub that a run belongs to, and what publishes there by it."""

import atexit
import tempfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from pydantic import SecretStr

from gate.adapters.github.access import GitHubAccess, GitHubApp
from gate.adapters.github.client import GitHubClient
from gate.app.announce import Announcer, Say
from gate.app.leaving import leave
from gate.app.options import CheckOptions
from gate.config.event import Run
from gate.errors import AccessError

DEFAULT_API = "https://api.github.com"


def connect_github(options: CheckOptions, run: Run | None, environ: Mapping[str, str]) -> GitHubClient:
    """A client by the App or token that was given, for the workflow's own server where there is a workflow.

    Raises AccessError for what cannot be used.
    """
    api_url = run.api_url if run is not None else environ.get("GITHUB_API_URL") or DEFAULT_API
    authority = _authority(options.github_ca, environ)
    if options.app_private_key is None:
        access = GitHubAccess(api_url=api_url, token=options.github_token, ca_file=authority, paced=options.paced)
        return GitHubClient(access)
    repository = run.repository if run is not None else environ.get("GITHUB_REPOSITORY", "")
    app = _app(options.app_id, options.app_private_key, repository)
    return GitHubClient(GitHubAccess(api_url=api_url, app=app, ca_file=authority, paced=options.paced))


def _app(id_: str | None, key: SecretStr, repository: str) -> GitHubApp:
    if id_ is None or repository == "":
        raise AccessError(
            "A GitHub App was named without " + ("its id." if id_ is None else "a repository that it is installed on."),
            means="an input or a variable is empty, for example GITHUB_REPOSITORY outside of a workflow.",
            change="give the App's id and key together, and GITHUB_REPOSITORY as owner/name.",
        )
    return GitHubApp(id=id_, private_key=key, repository=repository)


def _authority(given: str | None, environ: Mapping[str, str]) -> Path | None:
    """The file with the authority of a private server; text that was given becomes a file until the process ends."""
    if given is None:
        named = environ.get("REQUESTS_CA_BUNDLE") or environ.get("SSL_CERT_FILE")
        return Path(named) if named else None
    text = given.strip()
    if not text.startswith("-----BEGIN") and "\n" not in text:
        return Path(text)
    with tempfile.NamedTemporaryFile("w", prefix="gate-ca-", suffix=".pem", delete=False) as file:
        file.write(f"{text}\n")
    path = Path(file.name)
    atexit.register(path.unlink, missing_ok=True)
    return path


def make_announcer(
    options: CheckOptions,
    run: Run,
    client: GitHubClient,
    began: datetime,
    say: Say,
    environ: Mapping[str, str] | None = None,
) -> Announcer | None:
    """What publishes the verdict on the run's reported commit; None where that is not known as a full id.

    ``environ`` names the runner's files, where the run waits and may be killed.
    """
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
        leave=leave({} if environ is None else environ, say),
    )
