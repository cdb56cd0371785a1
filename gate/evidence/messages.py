"""What a commit of the evidence branch says, so that verdicts can be listed without reading every file. Pure."""

import re
from datetime import datetime

from pydantic import ValidationError

from gate.evidence.entries import Entry
from gate.evidence.record import EvidenceFile
from gate.outcomes import VerdictWord

UNKNOWN_COMMIT = "unknown-commit"
"""The folder of verdicts whose run ended before the commit was known."""

_PLACE = re.compile(r"(?P<environment>[^/]+)/(?P<commit>[0-9a-f]{40}|[0-9a-f]{64}|unknown-commit)/(?P<run>[^/]+)\.json")
_TRAILER = re.compile(r"(?P<key>Evidence|Verdict|Reason|Recorded-At|Digest): (?P<value>\S+)")


def folder_of(environment: str, commit: str) -> str:
    """The folder of an environment's verdicts on one commit."""
    return f"{environment}/{commit or UNKNOWN_COMMIT}"


def render_message(evidence: EvidenceFile, path: str) -> str:
    """The message of the commit that stores this file at ``path``."""
    verdict = evidence.verdict
    word, reason, commit = verdict.word.value, verdict.reason.value, verdict.intended[:12] or "no commit"
    return (
        f"{verdict.environment}: {word} ({reason}) at {commit}\n\n"
        f"Evidence: {path}\nVerdict: {word}\nReason: {reason}\n"
        f"Recorded-At: {evidence.plain['recorded-at']}\nDigest: {evidence.digest}\n"
    )


def parse_message(message: str) -> Entry | None:
    """The verdict that a commit stored, by its message; None where that is not the gate's."""
    found = [match for line in message.splitlines() if (match := _TRAILER.fullmatch(line)) is not None]
    said = {match["key"]: match["value"] for match in found}
    place = _PLACE.fullmatch(said.get("Evidence", ""))
    if place is None or len(said) != len(found) or len(said) != 5:
        return None
    try:
        return Entry(
            environment=place["environment"],
            commit=place["commit"].removeprefix(UNKNOWN_COMMIT),
            run=place["run"],
            recorded_at=datetime.fromisoformat(said["Recorded-At"]),
            word=VerdictWord(said["Verdict"]),
            reason=said["Reason"],
            path=said["Evidence"],
            digest=said["Digest"],
        )
    except (ValueError, ValidationError):
        return None
