"""``gate evidence``: does an evidence file hold, what does it say, and its page made again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from gate.evidence.record import EvidenceFile

_WHAT_A_DIGEST_SHOWS = """\
A digest shows damage, not forgery: whoever can change a file can compute its digest anew, and can make up
records from which a verdict follows. Only a signature shows forgery, where the run had the file attested:
  gh attestation verify FILE --repo OWNER/REPOSITORY \\
    --predicate-type https://in-toto.io/attestation/test-result/v0.1"""


def _read(path: str) -> EvidenceFile:
    """The one evidence file at a path; raises UsageError where there is none, EvidenceRefused for a damaged one."""
    from gate.evidence.entries import parse_text
    from gate.evidence.folder import read_evidence_text

    text = read_evidence_text(Path(path))
    if text is None:
        raise UsageError(
            f"There is no file {path}.",
            change="name files that `gate check` wrote below evidence/; `gate history --folder evidence` lists them",
        )
    return parse_text(text, path)


def _checked(path: str) -> tuple[EvidenceFile, str]:
    """An evidence file that holds, and how far that was checked. Raises as ``_read``, and for one that does not."""
    from gate.evidence.redecide import ENDED, check_verdict

    evidence = _read(path)
    decided, verdict = check_verdict(evidence), evidence.verdict
    said = f"{verdict.environment} {verdict.word.value} ({verdict.reason.value}) at {verdict.intended or 'no commit'}"
    looks = f"{len(evidence.polls)} recorded looks"
    if not decided:
        return evidence, f"{said}; the run ended before it had judged anything, so there is nothing to decide again"
    if verdict.word in ENDED:
        return evidence, f"{said}; the run ended early, its layers were decided again from {looks}"
    cut = "" if evidence.cut is None else f"; {evidence.cut.polls} older ones were cut and cannot be judged again"
    return evidence, f"{said}; decided again from {looks}, it comes out the same{cut}"


def _say(path: str, word: str, text: str, *, to_stderr: bool = False) -> None:
    from gate.render.text import log

    for number, line in enumerate(log(text)):
        click.echo(f"{path}: {word}: {line}" if number == 0 else f"  {line}", err=to_stderr)


@click.group("evidence")
def command() -> None:
    """Check, show and print evidence files (evidence/ENVIRONMENT/COMMIT/RUN.json)."""


@command.command("verify")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
def verify(files: tuple[str, ...]) -> int:
    """Check that each file is whole and that its verdict follows from what it records.

    The schema, the digest and the settings are checked, and the verdict is decided again: word, reason, layers,
    times and notes have to come out the same. Predicates (RUN.predicate.json) are passed over.

    \b
    Exit code:
       0 all are verified   1 one is refused   64 one cannot be read, and none is refused
    """  # noqa: D301  # click reads the backspace character
    from gate.evidence.record import EvidenceRefused

    codes = []
    for path in files:
        if path.endswith(".predicate.json"):  # FILE may be a pattern of the shell, which takes them in
            _say(path, "passed over", "it is made from the evidence file beside it, which is the one to verify")
            continue
        try:
            _, said = _checked(path)
        except EvidenceRefused as error:
            _say(path, "refused", error.diagnostics())
            codes.append(ExitCode.FAILED)
        except UsageError as error:
            _say(path, "not read", error.diagnostics())
            codes.append(ExitCode.COULD_NOT_RUN)
        else:
            _say(path, "verified", said)
            codes.append(ExitCode.PASSED)
    if ExitCode.PASSED in codes:
        click.echo(_WHAT_A_DIGEST_SHOWS)
    return ExitCode.FAILED if ExitCode.FAILED in codes else max(codes, default=ExitCode.COULD_NOT_RUN)


def _held(path: str) -> EvidenceFile | None:
    """The file, if it holds; else why not, said on standard error."""
    from gate.evidence.record import EvidenceRefused

    try:
        evidence, _ = _checked(path)
    except EvidenceRefused as error:
        _say(path, "refused", error.diagnostics(), to_stderr=True)
        return None
    return evidence


@command.command("show")
@click.argument("file", metavar="FILE")
def show(file: str) -> int:
    """Print the verdict in a file as `gate check` prints it. Nothing is shown of a file that is refused (exit 1)."""
    evidence = _held(file)
    if evidence is None:
        return ExitCode.FAILED
    from rich.console import Console

    from gate.render.terminal import render_terminal

    Console().print(render_terminal(evidence.verdict))
    return ExitCode.PASSED


@command.command("page")
@click.argument("file", metavar="FILE")
def page(file: str) -> int:
    """Print the HTML page of a file, as the run wrote it beside it. Exit 1 for a file that is refused."""
    evidence = _held(file)
    if evidence is None:
        return ExitCode.FAILED
    from gate.evidence.page import page_of

    click.echo(page_of(evidence), nl=False)
    return ExitCode.PASSED
