"""The commands of the program ``gate``: one file a command, named in one table.

The table is all that ``gate --help`` needs, so that no command pays for another one's imports.
Each module has a ``command`` (a click command) whose callback returns the exit code.
"""

from typing import NamedTuple


class Entry(NamedTuple):
    """Where a command stands and what it does, in one line."""

    module: str
    help: str


COMMANDS: dict[str, Entry] = {
    "init": Entry("gate.commands.init", "Write a first configuration from a live Application."),
    "doctor": Entry("gate.commands.doctor", "Say what a check lacks, with the line to add; writes nothing."),
    "check": Entry("gate.commands.check", "Wait for one environment's verdict on one commit, and publish it."),
    "rehearse": Entry("gate.commands.rehearse", "Prove that a configuration refuses what it must refuse."),
    "bump": Entry("gate.commands.bump", "Pin an environment to a commit in Git, then check it."),
    "approve": Entry("gate.commands.approve", "Approve a promotion by stored evidence and a second look."),
    "recheck": Entry("gate.commands.recheck", "Renew the verdict on every open promotion pull request."),
    "replay": Entry("gate.commands.replay", "Judge saved evidence offline and print the verdict of each document."),
    "lab": Entry("gate.commands.lab", "Play releases that go well and wrong, with no cluster and no GitHub."),
    "evidence": Entry("gate.commands.evidence", "Verify evidence files, show what they say, print their page."),
    "history": Entry("gate.commands.history", "List the stored verdicts of an environment, newest first."),
    "report": Entry("gate.commands.report", "Report a recovery: good, bad and recovered commit by their evidence."),
    "explain": Entry("gate.commands.explain", "Say what a reason means and what to do about it."),
    "schema": Entry("gate.commands.schema", "Print the JSON Schema of the configuration or of the evidence."),
}

ACTION_MODULE = "gate.commands.action"
"""Its ``main(environ) -> int`` runs when the program is started as a GitHub Action."""
