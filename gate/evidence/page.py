"""The HTML page of an evidence file."""

from gate.evidence.moments import moment_of
from gate.evidence.record import EvidenceFile
from gate.render.page.page import render_page
from gate.render.page.subject import Subject
from gate.render.words import full_time


def _cut(evidence: EvidenceFile) -> str:
    cut = evidence.cut
    if cut is None:
        return ""
    return (
        f"{cut.polls} looks between {full_time(cut.since)} and {full_time(cut.until)} were cut to bound the "
        "file; what they left behind is kept."
    )


def page_of(evidence: EvidenceFile) -> str:
    """The page of an evidence file that holds; the same file gives the same page."""
    objects = dict(enumerate(evidence.objects))
    plain = evidence.model_dump(mode="json", by_alias=True, include={"polls"})
    return render_page(
        Subject(
            verdict=evidence.verdict,
            settings=evidence.environment,
            moments=tuple(moment_of(poll, objects) for poll in evidence.polls),
            objects=evidence.objects,
            looks=tuple(plain["polls"]),
            raw_settings=evidence.asked.settings,
            settings_digest=evidence.asked.settings_digest,
            cut=_cut(evidence),
            run=evidence.run.id,
            run_url=evidence.run.url,
            recorded_at=evidence.recorded_at,
            versions=tuple(sorted(evidence.run.versions.items())),
            digest=evidence.digest,
            approves=evidence.run.approves,
        )
    )
