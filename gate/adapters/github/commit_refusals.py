"""Why GitHub did not take a change, what that usually means, and what to change."""

from gate.adapters.failures import Cause, ReadFailed
from gate.adapters.github.answer import NotConfirmed, Refused
from gate.errors import CommitError

_PROTECTED = (
    "rule violations",
    "protected branch",
    "reference update failed",
    "cannot update this protected ref",
    "cannot force-push",
    "verified signatures",
)
_DENIED = ("not accessible by", "must have", "not authorized", "does not have the correct permissions")


def not_committed(what: str, failure: Refused | ReadFailed | NotConfirmed) -> CommitError:
    """The error for ``what`` (for example "branch main of acme/environments") that this failure makes."""
    if isinstance(failure, Refused):
        means, change = _advice(failure)
        return CommitError(f"GitHub refused the change to {what}: {_said(failure)}.", means=means, change=change)
    seen = failure.failure if isinstance(failure, NotConfirmed) else failure
    if seen.cause is Cause.THROTTLED:
        means = "this token, or what shares its budget, made too many requests."
        change = "run fewer workflows at a time, or use a GitHub App, which has a budget of its own."
    else:
        means = "GitHub is down, or cannot be reached from this runner."
        change = "run the job again; what stands on the branch by then is not committed twice."
    return CommitError(f"The change to {what} was not made: {seen.error}.", means=means, change=change)


def no_branch(what: str) -> CommitError:
    """The error for a branch that is not there."""
    return CommitError(
        f"There is no {what}.",
        means="the name is misspelt, the branch was never pushed, or the token does not see this repository.",
        change="check the branch and the repository, and give the token contents: write.",
    )


def _said(refused: Refused) -> str:
    details = [str(error["message"]) for error in refused.errors if error.get("message")]
    text = " ".join(dict.fromkeys([refused.says, *details])).strip()
    code = "" if refused.status == 200 else f"HTTP {refused.status}"  # GraphQL refuses with 200
    return ", ".join(part for part in (code, text) if part)


def _advice(refused: Refused) -> tuple[str, str]:
    """Meaning and remedy, by GitHub's words first: its statuses are less exact."""
    said = f"{_said(refused)} {' '.join(str(error.get('type', '')) for error in refused.errors)}".lower()
    if "verified signatures" in said:
        return (
            "this branch takes signed commits only.",
            "ask for signed commits (bump: {signed: true} in the configuration).",
        )
    if "not permitted to create" in said:
        return (
            "GitHub Actions may not open pull requests in this repository or organisation.",
            "allow it under Settings, Actions, General, or use the token of a GitHub App.",
        )
    if any(words in said for words in _PROTECTED):
        return (
            "this branch takes no direct change, at least not by this token; GITHUB_TOKEN cannot bypass its rules.",
            (
                "let the gate open a pull request instead (bump: {pull-request: true} in the configuration), or give it"
                " the id and key of a GitHub App on the bypass list."
            ),
        )
    if refused.status == 401:
        return (
            "the token is wrong, was revoked, or outlived its hour.",
            "pass another github-token, or leave it out and use the job's own.",
        )
    if "forbidden" in said or any(words in said for words in _DENIED):
        return (
            "the token may not write here.",
            "grant the job contents: write, and pull-requests: write where the change goes through a pull request.",
        )
    if refused.status == 404 or "does not exist" in said or "not_found" in said or "no such branch" in said:
        return (
            "the branch or the repository is not there, or the token does not see it.",
            "check the names, and give the token contents: write.",
        )
    return (
        "GitHub, or a rule of this repository, takes none of it; what it said stands above.",
        "see what the message asks for, then run the job again.",
    )
