"""The in-toto predicate of a verdict, for `actions/attest`, whose subject is the evidence file. Pure.

Type: https://in-toto.io/attestation/test-result/v0.1. A Git id is no subject there (only SHA-256 is taken), so
that commit, tree and images stand inside. What is not known fails: ``PASSED`` is said of a passed verdict only.
"""

import re

from gate.evidence.allowed import utc
from gate.evidence.record import EvidenceFile
from gate.facts.moment import Raw
from gate.outcomes import LAYERS, Outcome, VerdictWord

TYPE = "https://in-toto.io/attestation/test-result/v0.1"

EXTENSION = "urn:promotion-gate:verdict:v1"
"""The key of what the predicate type has no field for; extension fields are named by a URI."""

_IMAGE = re.compile(r"status\.containerStatuses\[(.+)\]\.imageID")
_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")


def _images(evidence: EvidenceFile) -> list[Raw]:
    """The contents that ran, by container and digest, each once."""
    found = set()
    for layer in evidence.verdict.layers:
        for one in layer.evidence:
            field, digest = _IMAGE.fullmatch(one.field), _DIGEST.search(one.value)
            if field is not None and digest is not None:
                found.add((field[1], digest[1]))
    return [{"name": name, "digest": {"sha256": digest}} for name, digest in sorted(found)]


def _commit(evidence: EvidenceFile) -> Raw:
    verdict = evidence.verdict
    digest = {} if verdict.intended == "" else {"gitCommit": verdict.intended}
    if verdict.commit is not None:
        digest["gitTree"] = verdict.commit.tree
    return {"name": "intended commit", "digest": digest}


def _settings(evidence: EvidenceFile) -> Raw:
    digest = evidence.asked.settings_digest.removeprefix("sha256:")
    return {"name": f"settings of {evidence.verdict.environment}", "digest": {"sha256": digest}}


def predicate_of(evidence: EvidenceFile) -> Raw:
    """The predicate as plain data: result, settings, the run, layers that passed and those that did not."""
    verdict = evidence.verdict
    passed = {one.layer for one in verdict.layers if one.outcome is Outcome.PASSED}
    url = {} if evidence.run.url is None else {"url": evidence.run.url}
    approves = {} if evidence.run.approves is None else {"approves": evidence.run.approves}
    return {
        "result": "PASSED" if verdict.word is VerdictWord.PASSED and passed == set(LAYERS) else "FAILED",
        "configuration": [_settings(evidence)],
        **url,
        "passedTests": [layer.value for layer in LAYERS if layer in passed],
        "warnedTests": [],
        "failedTests": [layer.value for layer in LAYERS if layer not in passed],
        EXTENSION: {
            "environment": verdict.environment,
            "verdict": verdict.word.value,
            "reason": verdict.reason.value,
            "at": utc(verdict.at),
            "commit": _commit(evidence),
            "images": _images(evidence),
            "evidence": {"schema": evidence.schema_name, "digest": evidence.digest},
            **approves,
        },
    }
