"""What is added to the evidence branch for one verdict. Pure."""

from collections.abc import Mapping

from gate.adapters.github.append import Addition
from gate.evidence.messages import folder_of, render_message
from gate.evidence.record import EvidenceFile

KEPT = (".json", ".predicate.json")
"""The page is left out: it can be made again from the file."""


def addition_of(evidence: EvidenceFile, texts: Mapping[str, str]) -> Addition:
    """The commit for an evidence file; ``texts`` maps the ends of its files' names to their content, byte for byte."""
    return Addition(
        folder_of(evidence.verdict.environment, evidence.verdict.intended),
        evidence.run.id,
        {suffix: texts[suffix] for suffix in KEPT},
        lambda path: render_message(evidence, path),
    )
