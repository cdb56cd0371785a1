"""Verdicts to render: one for every word, with the objects and messages of a real release, and hostile texts."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from gate.notes import SCOPE
from gate.outcomes import LAYERS, Layer, Outcome, VerdictWord
from gate.reasons import Reason
from gate.render.publication import Publication
from gate.verdict import Evidence, LayerResult, Verdict
from tests.support import release


def publication(**changes: Any) -> Publication:
    """Links of a run on github.example."""
    values: dict[str, Any] = {
        "server_url": "https://github.example",
        "repository": "shop/environments",
        "revision_repository": "shop/environments",
        "docs_url": "https://github.example/tools/promotion-gate/blob/v1/docs",
        "run_url": "https://github.example/shop/environments/actions/runs/42/attempts/1",
        "reported": release.REPORTED,
        "pull": 7,
        "version": "0.1.0",
    }
    return Publication(**(values | changes))


def verdict(word: VerdictWord, reason: Reason, message: str, others: Mapping[str, Any]) -> Verdict:
    """A verdict about the commit above; ``others`` overrides any field.

    The model would refuse a pass over layers that have not passed; words must refuse it as well.
    """
    values: dict[str, Any] = {
        "word": word,
        "reason": reason,
        "message": message,
        "final": True,
        "environment": "staging",
        "intended": release.BAD,
        "at": release.AT,
        "applications": ("argocd/orders",),
        "commit": release.commit(),
        "changes": release.changes(),
        "notes": (SCOPE,),
    }
    return Verdict.model_construct(**(values | dict(others)))


def passed(**others: Any) -> Verdict:
    """All four layers passed."""
    values: dict[str, Any] = {
        "layers": (release.INTENT, release.SYNC, release.READY, release.ANSWERED),
        "timeline": release.TIMELINE[:4],
        "notes": ("Deployment shop/orders: container web uses registry.example/web:2: tag, content not pinned.", SCOPE),
    }
    message = "all four layers agree about this commit, in two bundles of evidence"
    return verdict(VerdictWord.PASSED, Reason.ALL_LAYERS_AGREE, message, values | others)


def failed(**others: Any) -> Verdict:
    """Readiness path broken, rolling update: the old Pod still answers."""
    values: dict[str, Any] = {
        "failed_layer": Layer.READINESS,
        "layers": (release.INTENT, release.SYNC, release.NOT_READY, release.WAITING[Layer.REQUEST]),
        "timeline": release.TIMELINE,
    }
    return verdict(VerdictWord.FAILED, Reason.PROGRESS_DEADLINE_EXCEEDED, release.NOT_READY.message, values | others)


def _one(
    word: VerdictWord, outcome: Outcome, layer: Layer, reason: Reason, message: str, others: Mapping[str, Any]
) -> Verdict:
    """A verdict that one layer gives, with passed layers before it and waiting ones behind."""
    good = {
        Layer.INTENT: release.INTENT,
        Layer.SYNC: release.SYNC,
        Layer.READINESS: release.READY,
        Layer.REQUEST: release.ANSWERED,
    }
    place = LAYERS.index(layer)
    final = bool(others.get("final", True))
    own = LayerResult(
        layer=layer,
        outcome=outcome,
        reason=reason,
        message=message,
        final=final,
        since=release.AT - timedelta(seconds=40),
    )
    layers = (*(good[one] for one in LAYERS[:place]), own, *(release.WAITING[one] for one in LAYERS[place + 1 :]))
    return verdict(word, reason, message, {"failed_layer": layer, "layers": layers} | dict(others))


def held(**others: Any) -> Verdict:
    """Autosync is off: final, and only a person can move it."""
    message = (
        f"{release.APPLICATION}: OutOfSync at {release.BAD} and no operation at it has run; "
        "spec.syncPolicy.automated is off, so a person has to start the sync"
    )
    return _one(VerdictWord.HELD, Outcome.HELD, Layer.SYNC, Reason.AUTOSYNC_OFF, message, others)


def held_open(**others: Any) -> Verdict:
    """Evidence is missing: held, but not final."""
    message = "Service shop/orders: no ready endpoint; its selector is app=nobody"
    word, outcome = VerdictWord.HELD, Outcome.HELD
    return _one(word, outcome, Layer.READINESS, Reason.NO_READY_ENDPOINTS, message, {"final": False} | others)


def pending(**others: Any) -> Verdict:
    """Pushed, not pinned."""
    message = (
        f"{release.APPLICATION} spec.source.targetRevision is {release.GOOD}; "
        f"expected {release.BAD}: it is not pinned to it"
    )
    word, outcome = VerdictWord.PENDING, Outcome.PENDING
    return _one(word, outcome, Layer.INTENT, Reason.NOT_PINNED, message, {"final": False} | others)


def timed_out(**others: Any) -> Verdict:
    """Still not pinned when time was up."""
    values = {"word": VerdictWord.HELD, "timed_out": True, "final": True, "timeline": release.TIMELINE[:1]}
    return pending().model_copy(update=values | others)


def superseded(**others: Any) -> Verdict:
    """A descendant is pinned."""
    message = f"{release.APPLICATION} is pinned to {release.NEWER}, a descendant of the intended {release.BAD}"
    word, outcome = VerdictWord.SUPERSEDED, Outcome.SUPERSEDED
    return _one(word, outcome, Layer.INTENT, Reason.NEWER_COMMIT_PINNED, message, {"newer": release.NEWER} | others)


def could_not_run(**others: Any) -> Verdict:
    """The configuration cannot be used."""
    values: dict[str, Any] = {"commit": None, "changes": None, "applications": (), "notes": ()}
    message = "promotion-gate.yaml, line 7, environments.staging.timeuot: unknown key; did you mean timeout?"
    return verdict(VerdictWord.COULD_NOT_RUN, Reason.BAD_CONFIGURATION, message, values | others)


def cancelled(**others: Any) -> Verdict:
    """The run was told to end."""
    message = "The run was cancelled by signal 15."
    return verdict(VerdictWord.CANCELLED, Reason.CANCELLED, message, {"changes": None, "notes": ()} | others)


def internal_error(**others: Any) -> Verdict:
    """A fault of the gate itself."""
    message = "A fault of the gate itself: KeyError in gate.decide, line 12 (gate 0.1.0)."
    return verdict(VerdictWord.INTERNAL_ERROR, Reason.INTERNAL_ERROR, message, {"changes": None} | others)


def every() -> dict[str, Verdict]:
    """One verdict for every word and every way to be held, by name."""
    return {
        "passed": passed(),
        "pending": pending(),
        "held": held(),
        "held-not-final": held_open(),
        "timed-out": timed_out(),
        "failed": failed(),
        "superseded": superseded(),
        "could-not-run": could_not_run(),
        "cancelled": cancelled(),
        "internal-error": internal_error(),
    }


def hostile(text: str) -> Verdict:
    """A failed verdict with this text wherever text from outside can stand."""
    evidence = (
        Evidence(label="declared", subject=text, field=text, value=text, expected=text),
        Evidence(label="observed", subject=text, field=text, value=text, expected=f"{text} other"),
        release.observed(text, text, text),
    )
    layers = tuple(one.model_copy(update={"message": text, "evidence": evidence}) for one in failed().layers)
    author = release.commit(subject=text, author=text)
    return failed(
        message=text,
        environment=text,
        intended=text,
        applications=(text, text),
        newer=text,
        layers=layers,
        notes=(text, text),
        commit=author,
        changes=release.changes(since=text, commits=(author, release.commit(id=text)), files=(text, text)),
    )
