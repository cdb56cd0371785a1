"""What ``gate check`` was asked to do, wherever it was asked from."""

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from pydantic import SecretStr


@dataclass(frozen=True)
class ClusterOptions:
    """How to reach the clusters. ``kubeconfig`` is a path or content; ``laptop`` takes kubectl's own files.

    ``oidc_audience`` is that of a GitHub OIDC token in place of ``server_token``.
    """

    kubeconfig: SecretStr | None = field(default=None, repr=False)
    context: str | None = None
    server: str | None = None
    server_token: SecretStr | None = field(default=None, repr=False)
    oidc_audience: str | None = None
    server_ca: str | None = field(default=None, repr=False)
    in_cluster: bool = False
    laptop: bool = False


@dataclass(frozen=True)
class CheckOptions:
    """One check.

    ``config`` is a path in the workspace or repository; ``revision`` the intended commit as a
    person gave it; ``approving`` says that stored evidence is asked for as well; ``repo`` a local clone to
    read Git facts from; ``comment_author`` the login behind the token; ``evidence`` the folder that evidence
    files go below, ``evidence_branch`` the branch that they are kept on as well. A GitHub App (``app_id`` and
    ``app_private_key``) acts in place of the token. ``github_ca`` is the authority of a private GitHub
    server, path or PEM; ``paced`` keeps the pauses between requests that GitHub asks for, which no stand-in needs.
    """

    environment: str
    config: str = "promotion-gate.yaml"
    revision: str | None = None
    approving: bool = False
    cluster: ClusterOptions = ClusterOptions()
    timeout: timedelta | None = None
    publish: bool = True
    comment: bool = True
    comment_author: str = "github-actions[bot]"
    repo: Path | None = None
    evidence: Path = Path("evidence")
    evidence_branch: str | None = None
    github_token: SecretStr | None = field(default=None, repr=False)
    app_id: str | None = None
    app_private_key: SecretStr | None = field(default=None, repr=False)
    github_ca: str | None = field(default=None, repr=False)
    paced: bool = True

    @property
    def has_github(self) -> bool:
        """Whether somebody is named who can act on GitHub."""
        return self.github_token is not None or self.app_private_key is not None


@dataclass(frozen=True)
class ApproveOptions:
    """What an approval rests on: ``stored`` is an evidence file or a folder of them, None for the evidence branch.

    ``max_age`` takes the place of the configuration's.
    """

    stored: Path | None = None
    max_age: timedelta | None = None


@dataclass(frozen=True)
class BumpOptions:
    """What a bump does beside its check.

    ``application`` is the only one to pin, None for all of the environment; ``dry_run`` shows the change
    and writes nothing; ``check`` waits for the verdict afterwards; ``allow_older`` pins an ancestor of
    the present pin too.
    """

    application: str | None = None
    dry_run: bool = False
    check: bool = True
    allow_older: bool = False
