"""The outputs of the action, and the one JSON object that a verdict is for programs. Pure."""

import json
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from gate.observed import kebab
from gate.render.text import clean
from gate.render.words import short, utc, word_of
from gate.verdict import LayerResult, Verdict

_LONGEST_MESSAGE = 4000


class _Printed(BaseModel):
    """Base of what is printed for programs: frozen, no unknown keys, kebab-case names."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        hide_input_in_errors=True,
        alias_generator=kebab,
        populate_by_name=True,
    )


class ResultLayer(_Printed):
    """One layer's answer. ``since`` is RFC 3339, None when it was seen only now."""

    layer: str
    outcome: str
    reason: str
    message: str
    final: bool
    since: str | None = None


class ResultPull(_Printed):
    """The verdict on one pull request of a re-check; ``status`` says in words what became of the one on its head."""

    number: int
    head: str
    verdict: str
    reason: str
    message: str
    status: str


class Result(_Printed):
    """A verdict for programs. ``failed_layer`` is empty when no layer gives the verdict its reason.

    ``file`` is the judged document of ``gate replay``, ``pull_requests`` are those of ``gate recheck``; None
    elsewhere. ``newer`` is the commit that superseded this one. Times are RFC 3339.
    """

    file: str | None = None
    environment: str
    intended: str
    verdict: str
    reason: str
    failed_layer: str
    message: str
    final: bool
    timed_out: bool
    at: str
    newer: str | None = None
    applications: tuple[str, ...] = ()
    layers: tuple[ResultLayer, ...] = ()
    notes: tuple[str, ...] = ()
    pull_requests: tuple[ResultPull, ...] | None = None


def _time(at: datetime) -> str:
    return utc(at).isoformat().replace("+00:00", "Z")


def _layer(layer: LayerResult) -> ResultLayer:
    return ResultLayer(
        layer=layer.layer.value,
        outcome=layer.outcome.value,
        reason=layer.reason.value,
        message=clean(layer.message, _LONGEST_MESSAGE),
        final=layer.final,
        since=None if layer.since is None else _time(layer.since),
    )


def render_result(verdict: Verdict, file: str | None = None) -> Result:
    """The verdict as the model that is printed, with texts made harmless for logs and terminals."""
    honest = word_of(verdict) is verdict.word
    return Result(
        file=None if file is None else clean(file),
        environment=clean(verdict.environment),
        intended=clean(verdict.intended),
        verdict=word_of(verdict).value,
        reason=verdict.reason.value if honest else "InternalError",
        failed_layer="" if verdict.failed_layer is None else verdict.failed_layer.value,
        message=clean(verdict.message if honest else short(verdict), _LONGEST_MESSAGE),
        final=verdict.final,
        timed_out=verdict.timed_out,
        at=_time(verdict.at),
        newer=None if verdict.newer is None else clean(verdict.newer),
        applications=tuple(clean(name) for name in verdict.applications),
        layers=tuple(_layer(layer) for layer in verdict.layers),
        notes=tuple(clean(note, _LONGEST_MESSAGE) for note in verdict.notes),
    )


def render_result_line(result: Result) -> str:
    """The result on one line of ASCII: safe in a log, in an output and in a pipe."""
    values = result.model_dump(mode="json", by_alias=True)
    for name in ("file", "pull-requests"):
        if values[name] is None:
            del values[name]
    # The runner takes ##[ for a command wherever it stands; inside a JSON text it can be written otherwise.
    return json.dumps(values, ensure_ascii=True, separators=(",", ":")).replace("##[", "##\\u005b")


def render_outputs(verdict: Verdict, evidence: str) -> dict[str, str]:
    """The action's outputs, each on one line. ``evidence`` is the path of the evidence file, empty if none."""
    result = render_result(verdict)
    return {
        "verdict": result.verdict,
        "reason": result.reason,
        "failed-layer": result.failed_layer,
        "evidence": clean(evidence),
        "result": render_result_line(result),
    }
