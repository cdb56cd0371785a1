"""What a bump says in Git: the message of its commit, and the text of its pull request. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from gate.facts.upstream import is_full_id
from gate.render.text import clean, code


@dataclass(frozen=True)
class Proposal:
    """One bump. ``before`` are the present pins, each with the name of its Application.

    ``given`` is the name that a person gave the revision, ``run_url`` the page of the workflow run and
    ``compare_url`` that of the repository's comparisons, where there are such.
    """

    environment: str
    revision: str
    before: Sequence[tuple[str, str]]
    given: str | None = None
    run_url: str | None = None
    compare_url: str | None = None

    @property
    def title(self) -> str:
        """One line for the commit and the pull request."""
        return f"Pin {self.environment} to {self.revision[:12]}"

    @property
    def moved(self) -> list[tuple[str, str]]:
        """The pins that change, each with the name of its Application."""
        return [(name, clean(pin, 80)) for name, pin in self.before if pin != self.revision]


def render_commit_message(proposal: Proposal) -> str:
    """The message of the commit: what is pinned to what, what it was before, and who asked for it."""
    given = "" if proposal.given in (None, proposal.revision) else f" (given as {clean(str(proposal.given), 80)})"
    lines = [proposal.title, "", f"Revision: {proposal.revision}{given}"]
    lines += [f"Application: {name}, before: {pin}" for name, pin in proposal.moved]
    lines += [] if proposal.run_url is None else [f"Run: {proposal.run_url}"]
    return "\n".join(lines)


def render_pull_request(proposal: Proposal) -> str:
    """The body of the pull request, as Markdown."""
    rows = [f"| {code(name)} | {code(pin)} |" for name, pin in proposal.moved]
    lines = [
        f"Pins {code(proposal.environment)} to {code(proposal.revision)}.",
        "",
        "| Application | pinned before to |",
        "| --- | --- |",
        *rows,
    ]
    old = {pin for _, pin in proposal.moved}
    if proposal.compare_url is not None and len(old) == 1 and all(map(is_full_id, old)):
        lines += ["", f"[What changes]({proposal.compare_url}/{old.pop()}...{proposal.revision})"]
    lines += ["", "Nothing is deployed before this is merged, and nothing of it has been checked yet."]
    lines += [] if proposal.run_url is None else [f"Proposed by [this run]({proposal.run_url})."]
    return "\n".join(lines)
