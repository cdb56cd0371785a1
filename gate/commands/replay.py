"""``gate replay``: judge saved evidence offline."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from gate.errors import ExitCode, GateError, UsageError
from gate.evidence.documents import load_documents
from gate.evidence.record import is_evidence, parse_evidence
from gate.evidence.recording import assumed_environment, parse_recording, unwrap
from gate.evidence.redecide import check_verdict
from gate.facts.bundle import Asked
from gate.facts.moment import GitRecord, Moment
from gate.facts.upstream import is_full_id
from gate.judge import judge_moments
from gate.outcomes import VerdictWord
from gate.reasons import Reason
from gate.render.outputs import render_result, render_result_line
from gate.verdict import Verdict

WORST_FIRST = (
    ExitCode.COULD_NOT_RUN,
    ExitCode.FAILED,
    ExitCode.HELD,
    ExitCode.SUPERSEDED,
    ExitCode.PENDING,
    ExitCode.PASSED,
)


@dataclass(frozen=True)
class _Document:
    """One parsed document: ``file`` is how it is shown; ``problem`` why it could not be parsed."""

    file: str
    raw: object = None
    problem: UsageError | None = None


def _documents(paths: tuple[str, ...]) -> Iterator[_Document]:
    for path in paths:
        try:
            text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
            raws = load_documents(text, path)
        except (OSError, UnicodeDecodeError) as error:
            said = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            yield _Document(path, problem=UsageError(f"{path} cannot be read: {said}"))
            continue
        except UsageError as error:
            yield _Document(path, problem=error)
            continue
        for number, raw in enumerate(raws, start=1):
            yield _Document(path if len(raws) == 1 else f"{path}#{number}", raw)


def _could_not_run(error: GateError) -> Verdict:
    return Verdict(
        word=VerdictWord.COULD_NOT_RUN,
        reason=Reason(error.reason),
        message=" ".join(error.diagnostics().split()),
        final=True,
        environment="unknown",
        intended="",
        at=datetime.now(UTC),
    )


def judge_document(raw: object) -> Verdict:
    """The verdict of one parsed document; ``could-not-run`` for one that cannot be judged."""
    try:
        if is_evidence(raw):
            evidence = parse_evidence(raw)
            check_verdict(evidence)
            return evidence.verdict
        recording = parse_recording(raw)
        return judge_moments(recording.asked, recording.git, recording.moments)
    except GateError as error:
        return _could_not_run(error)
    except ValueError as error:
        return _could_not_run(UsageError(str(error)))
    except RecursionError:
        return _could_not_run(UsageError("The document is nested too deeply to be judged."))


def _objects_moment(paths: tuple[str, ...]) -> Moment:
    """All objects of the files as one moment, Applications apart."""
    raws: list[Any] = []
    for document in _documents(paths):
        if document.problem is not None:
            raise document.problem
        raws.extend(unwrap([document.raw]))
    odd = next((raw for raw in raws if not isinstance(raw, dict)), None)
    if odd is not None:
        raise UsageError(
            "A file holds something that is no Kubernetes object.", change="give what `kubectl get -o json` wrote"
        )
    applications = tuple(raw for raw in raws if raw.get("kind") == "Application")
    return Moment(
        now=datetime.now(UTC),
        applications=applications,
        objects=tuple(raw for raw in raws if raw.get("kind") != "Application"),
    )


def _diagnose(intended: str, paths: tuple[str, ...]) -> Verdict:
    if not is_full_id(intended):
        raise UsageError(f"--intended is {intended!r}; expected a full commit id of 40 or 64 lower-case hex digits.")
    moment = _objects_moment(paths)
    asked = Asked(intended, "unknown", assumed_environment((moment,)))
    return judge_moments(asked, GitRecord(), (moment,))


def _print(verdicts: list[tuple[str, Verdict]]) -> ExitCode:
    for file, verdict in verdicts:
        line = render_result_line(render_result(verdict, file))
        click.echo(line if len(verdicts) > 1 else json.dumps(json.loads(line), indent=2))
    codes = [verdict.exit_code if verdict.exit_code in WORST_FIRST else WORST_FIRST[0] for _, verdict in verdicts]
    return min(codes, key=WORST_FIRST.index, default=ExitCode.COULD_NOT_RUN)


@click.command("replay")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--intended", metavar="SHA", help="Full commit id; with --objects, the commit that was to be deployed.")
@click.option("--objects", is_flag=True, help="The files are what kubectl get -o json (or -o yaml) wrote.")
def command(files: tuple[str, ...], intended: str | None, objects: bool) -> int:
    """Judge saved evidence offline and print the verdict of each document as one JSON object.

    FILE is YAML or JSON with one or more documents, or - for standard input. A recording has the
    keys intended, environment, config, git, and either those of one moment (now, application,
    application-again, objects, responses, unreadable, deadline) or polls, a list of moments that
    are judged in order. An evidence file is decided again from what it records: see gate evidence verify.

    With --intended SHA --objects the files hold Kubernetes objects as kubectl wrote them
    (Applications, Deployments, ReplicaSets, Pods, Services, EndpointSlices, Events): a diagnosis,
    which never passes.

    \b
    Exit code, the worst of all documents:
      64 could not be judged   1 failed    2 held
       3 superseded            4 pending   0 passed
    """  # noqa: D301  # click reads the backspace character
    if objects != (intended is not None):
        raise UsageError(
            "--objects and --intended go together.", change="give both, or give recordings with neither of them"
        )
    if intended is not None:
        return int(_print([(" ".join(files), _diagnose(intended, files))]))
    judged = [
        (document.file, judge_document(document.raw) if document.problem is None else _could_not_run(document.problem))
        for document in _documents(files)
    ]
    if not judged:
        raise UsageError("The files hold no document.")
    return int(_print(judged))
