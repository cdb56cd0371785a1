"""``gate check``: wait for one environment's verdict on one commit."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.app.signals import remember_signals
from gate.commands.access import cluster_access, cluster_options, read_duration, secret
from gate.commands.formats import echo_result, format_option

if TYPE_CHECKING:
    from gate.app.options import CheckOptions


@click.command("check")
@click.option("--environment", "-e", required=True, metavar="NAME", help="The environment to judge.")
@click.option("--config", default="promotion-gate.yaml", show_default=True, metavar="FILE", help="Configuration file.")
@click.option("--revision", metavar="COMMIT", help="Intended commit: an id, branch or tag, resolved once.")
@click.option("--repo", type=click.Path(path_type=Path), metavar="DIR", help="A local clone to read Git facts from.")
@cluster_access
@click.option("--timeout", callback=read_duration, metavar="TIME", help="How long to wait, such as 15m.")
@click.option("--publish/--no-publish", default=True, show_default=True, help="Write status and comment on GitHub.")
@click.option("--comment/--no-comment", default=True, show_default=True, help="Keep a comment on the pull request.")
@click.option(
    "--comment-author",
    default="github-actions[bot]",
    show_default=True,
    metavar="LOGIN",
    help="The account behind the token, by which its own comment is found again.",
)
@click.option(
    "--evidence",
    type=click.Path(path_type=Path),
    default=Path("evidence"),
    show_default=True,
    metavar="DIR",
    help="The folder that evidence files are written below.",
)
@click.option(
    "--evidence-branch", metavar="NAME", help="In a workflow, a branch to keep them on, such as gate-evidence."
)
@format_option("json prints the verdict as one JSON object on standard output.")
def command(**given: Any) -> int:
    """Wait until four layers of evidence agree about one commit, and give one verdict.

    From a laptop: gate check --no-publish --environment staging --repo . (no GitHub token is needed).
    In a workflow, use the action, or set GITHUB_TOKEN (or GATE_APP_ID and GATE_APP_PRIVATE_KEY, for a
    GitHub App) and let the runner's variables say the rest.

    \b
    Exit code:
       0 passed        1 failed           2 held             3 superseded
      64 could not run 65 not published  70 internal error 129/130/143 cancelled
    """  # noqa: D301  # click reads the backspace character
    remember_signals()
    from gate.commands.workflow import find_run, run_check

    environ = os.environ
    options = make_options(given, environ)
    run = find_run(options, environ) if options.publish else None
    check, code = run_check(options, environ, run)
    echo_result(check.verdict, given["form"])
    return code


def make_options(given: Mapping[str, Any], environ: Mapping[str, str]) -> "CheckOptions":
    """The options of a check from those of the command line."""
    from gate.app.options import CheckOptions

    return CheckOptions(
        environment=given["environment"],
        config=given["config"],
        revision=given["revision"],
        cluster=cluster_options(given, environ),
        timeout=given["timeout"],
        publish=bool(given["publish"]),
        comment=bool(given["comment"]),
        comment_author=given["comment_author"],
        repo=given["repo"],
        evidence=given["evidence"],
        evidence_branch=given["evidence_branch"],
        github_token=secret(environ.get("GITHUB_TOKEN")),
        app_id=environ.get("GATE_APP_ID") or None,
        app_private_key=secret(environ.get("GATE_APP_PRIVATE_KEY")),
    )
