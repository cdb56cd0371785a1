"""The evidence file of one verdict: what was decided, and every piece of evidence it rests on.

Recording is by allow-list: the file is made from the verdict model alone, into which whole
bodies, headers, tokens and kubeconfigs never enter. The digest shows damage; it does not show forgery,
for whoever changes the file can compute it anew.
"""

import hashlib
import json
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints, ValidationError

from gate.errors import UsageError
from gate.outcomes import LAYERS, Outcome, VerdictWord, merge
from gate.verdict import Answered, Verdict

Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]


class EvidenceFile(Answered):
    """``evidence/<environment>/<commit>/<run>.json``.

    ``configuration_digest`` is the SHA-256 of the environment's settings that were in force.
    ``run`` tells runs for one commit apart. ``digest`` is the SHA-256 of the canonical JSON of
    everything else (keys sorted, no blanks, UTF-8).
    """

    model_config = ConfigDict(title="Evidence of the promotion gate")

    schema_name: Literal["promotion-gate/evidence/v1"] = Field(alias="schema")
    tool_version: str
    recorded_at: datetime
    run: str
    configuration_digest: Digest
    verdict: Verdict
    digest: Digest


def canonical(values: dict[str, Any]) -> bytes:
    """JSON that is the same for the same values: sorted keys, no blanks, UTF-8."""
    return json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def sha256(content: bytes) -> str:
    """``sha256:`` and 64 hex digits."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def record_verdict(
    verdict: Verdict, *, version: str, run: str, configuration_digest: str, at: datetime
) -> EvidenceFile:
    """The evidence file of a verdict, with its digest."""
    draft = EvidenceFile(
        schema_name="promotion-gate/evidence/v1",
        tool_version=version,
        recorded_at=at,
        run=run,
        configuration_digest=configuration_digest,
        verdict=verdict,
        digest=sha256(b""),
    )
    return draft.model_copy(update={"digest": digest_of(draft.model_dump(mode="json", by_alias=True))})


def digest_of(values: dict[str, Any]) -> str:
    """The digest of an evidence file as plain data; its own ``digest`` does not count."""
    return sha256(canonical({key: value for key, value in values.items() if key != "digest"}))


def is_evidence(raw: object) -> bool:
    """Whether a parsed document says that it is an evidence file."""
    return isinstance(raw, dict) and isinstance(raw.get("schema"), str) and "verdict" in raw


def parse_evidence(raw: object) -> EvidenceFile:
    """A parsed evidence file whose digest fits and whose verdict is the one its layers make.

    Raises UsageError for a file that is damaged, of another schema, or contradicts itself.
    """
    try:
        evidence = EvidenceFile.model_validate_json(json.dumps(raw))
        fits = isinstance(raw, dict) and evidence.digest == digest_of(raw)
    except (ValidationError, TypeError, ValueError) as error:
        where = ""
        if isinstance(error, ValidationError):
            first = error.errors(include_url=False, include_input=False)[0]
            where = f": {'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
        raise _damaged(f"The evidence file cannot be read{where}") from error
    if not fits:
        raise _damaged("The evidence file's digest does not fit its content")
    verdict = evidence.verdict
    words = tuple(layer.layer for layer in verdict.layers)
    merged = merge(layer.outcome for layer in verdict.layers)
    if verdict.word is VerdictWord.PASSED and (words != LAYERS or merged is not Outcome.PASSED or not verdict.final):
        raise _damaged("The evidence file says passed, and its layers do not")
    return evidence


def _damaged(happened: str) -> UsageError:
    return UsageError(
        f"{happened}.",
        means="it was changed or cut after it was written, or is of another version",
        change="take the file as the run wrote it",
    )
