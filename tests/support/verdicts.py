"""Verdicts to render: one for every word, with the objects and messages of a real release, and hostile texts."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from gate.outcomes import LAYERS, Layer, Outcome, VerdictWord
from gate.reasons import Reason
from gate.render.publication import Publication
from gate.render.words import SCOPE
from gate.verdict import Changes, CommitSummary, Evidence, LayerResult, Transition, Verdict

GOOD = "27263c2b595175eb50dde6b0532a9d18be364666"
BAD = "c7581a78778e71a8bc6599b6cc68639be988fe46"
NEWER = "dc6b6b757d2ea3784f129f865d9710d6f7ec828d"
REPORTED = "1527d52bf6d3b01e32e6cd3275d73bf3eac90108"
AT = datetime(2026, 12, 1, 5, 39, 18, tzinfo=UTC)

HOSTILE = (
    "boom\n```\n## Gate passed\n@team [approve](https://x.example)\n<!-- promotion-gate -->",
    "fix`|pass",
    "a | b | c\r\n| --- | --- |\r\n| x | y |",
    "</details></summary><img src=x onerror=alert(1)><script>1</script>",
    "Fixes #12, GH-34, octo/repo#5, see http://a.example www.b.example mail@c.example",
    ":white_check_mark: ***passed*** __passed__ ~~no~~ ![ok](https://d.example/x.png)",
    "````\n~~~~\n`````",
    "\x1b[32mpassed\x1b[0m \x1b]8;;https://e.example\x07link\x1b]8;;\x07 \x9b31m",
    "\u202egnp.exe\u202c \u2066x\u2069 \u200bz\ufeff \U000e0041",
    "::error::x\n##[add-mask]y\n::set-output name=verdict::passed",
    "$\\color{red}{passed}$ $$x$$ [^1] [x]: https://f.example",
    "> [!IMPORTANT]\n> passed\n\n- [x] done\n/approve\n@dependabot merge",
    "kubectl delete $(whoami) && Pod shop/$(id) Pod shop/-x Deployment a;b/c",
    "\u2028\u2029\x85\x0b\x0c\x00\x7f",
    "x" * 5000,
    "word " * 2000,
)
"""Texts as they may come from a condition, a branch, an author or a body."""


def publication(**changes: Any) -> Publication:
    """Links of a run on github.example."""
    values: dict[str, Any] = {
        "server_url": "https://github.example",
        "repository": "shop/environments",
        "revision_repository": "shop/environments",
        "docs_url": "https://github.example/tools/promotion-gate/blob/v1/docs",
        "run_url": "https://github.example/shop/environments/actions/runs/42/attempts/1",
        "reported": REPORTED,
        "pull": 7,
        "version": "0.1.0",
    }
    return Publication(**(values | changes))


def commit(**changes: Any) -> CommitSummary:
    """The commit that changed the readiness path."""
    values: dict[str, Any] = {
        "id": BAD,
        "tree": "9f8960b1cf372b28bb5fbde7b4ae95b42af8e152",
        "parents": (GOOD,),
        "subject": "Release 2.1.0: readiness path that does not exist",
        "author": "Release Manager",
        "committed_at": AT - timedelta(seconds=30),
    }
    return CommitSummary(**(values | changes))


def changes(**others: Any) -> Changes:
    """What that commit changed since the good release."""
    values: dict[str, Any] = {
        "since": GOOD,
        "relation": "ahead",
        "commits": (commit(),),
        "files": ("workloads/orders/deployment.yaml",),
    }
    return Changes(**(values | others))


def observed(subject: str, field: str, value: str, expected: str | None = None) -> Evidence:
    """A piece of evidence from a live object."""
    return Evidence(label="observed", subject=subject, field=field, value=value, expected=expected)


_APPLICATION = "Application argocd/orders"
_DEPLOYMENT = "Deployment shop/orders"

INTENT = LayerResult(
    layer=Layer.INTENT,
    outcome=Outcome.PASSED,
    reason=Reason.PINNED_TO_INTENDED,
    message=f"{_APPLICATION} is pinned to {BAD}",
    since=AT - timedelta(seconds=17),
    evidence=(
        Evidence(label="declared", subject=_APPLICATION, field="spec.source.targetRevision", value=BAD, expected=BAD),
        Evidence(label="declared", subject=f"commit {BAD}", field="tree", value=commit().tree),
    ),
)
SYNC = LayerResult(
    layer=Layer.SYNC,
    outcome=Outcome.PASSED,
    reason=Reason.SYNCED_AT_INTENDED,
    message=f"{_APPLICATION} is Synced at {BAD}",
    since=AT - timedelta(seconds=16),
    evidence=(
        observed(_APPLICATION, "status.sync.status", "Synced", "Synced"),
        observed(_APPLICATION, "status.sync.revision", BAD, BAD),
        observed(_APPLICATION, "status.operationState.phase", "Succeeded", "Succeeded"),
    ),
)


def _deployment(replicas: str) -> tuple[Evidence, ...]:
    return (
        Evidence(label="declared", subject=_DEPLOYMENT, field="spec.replicas", value="1"),
        observed(_DEPLOYMENT, "status.observedGeneration", "2", "2"),
        observed(_DEPLOYMENT, "status.replicas", replicas, "1"),
        observed(_DEPLOYMENT, "status.readyReplicas", "1", "1"),
        observed(_DEPLOYMENT, "status.conditions[Progressing]", "False ProgressDeadlineExceeded"),
        observed(
            _DEPLOYMENT,
            "Pods",
            "Pod shop/orders-7667fd7fc7-45z2f (current), Pod shop/orders-dbbdd858f-xjtg7 (old)",
        ),
        observed(
            "Pod shop/orders-7667fd7fc7-45z2f",
            "status.containerStatuses[web].imageID",
            "sha256:fac12f2f11360d11a31cf6d49de5e157daf27ae035586a65c23807525e0acac7",
            "registry.example/web:2 (tag, content not pinned)",
        ),
    )


READY = LayerResult(
    layer=Layer.READINESS,
    outcome=Outcome.PASSED,
    reason=Reason.REPLICAS_READY,
    message=f"{_DEPLOYMENT}: 1 of 1 replicas ready",
    since=AT - timedelta(seconds=9),
    evidence=_deployment("1"),
)
NOT_READY = LayerResult(
    layer=Layer.READINESS,
    outcome=Outcome.FAILED,
    reason=Reason.PROGRESS_DEADLINE_EXCEEDED,
    message=(
        f'{_DEPLOYMENT}: ReplicaSet "orders-7667fd7fc7" has timed out progressing.'
        "; also: Pod shop/orders-7667fd7fc7-45z2f: Readiness probe failed: HTTP probe failed with statuscode: 404"
        "; also: Service shop/orders: Pod shop/orders-dbbdd858f-xjtg7 of an older release still serves"
    ),
    final=True,
    bad=True,
    since=AT - timedelta(seconds=6),
    evidence=_deployment("2"),
)
ANSWERED = LayerResult(
    layer=Layer.REQUEST,
    outcome=Outcome.PASSED,
    reason=Reason.EXPECTED_ANSWER,
    message="version by service-proxy: every sample is of the intended release",
    since=AT - timedelta(seconds=5),
    evidence=(
        observed("request version by service-proxy", "status", "200", "200"),
        observed("request version by service-proxy", "samples that match", "3", "3"),
        observed("request version by service-proxy", "$.release", "2.1.0", "2.1.0"),
    ),
)


def behind(layer: Layer, reason: Reason) -> LayerResult:
    """A layer that waits for the one before it."""
    message = f"not judged before {LAYERS[LAYERS.index(layer) - 1]} has passed"
    return LayerResult(
        layer=layer,
        outcome=Outcome.PENDING,
        reason=reason,
        message=message,
        since=AT - timedelta(seconds=17),
    )


WAITING: Mapping[Layer, LayerResult] = {
    Layer.SYNC: behind(Layer.SYNC, Reason.AWAITING_INTENT),
    Layer.READINESS: behind(Layer.READINESS, Reason.AWAITING_SYNC),
    Layer.REQUEST: behind(Layer.REQUEST, Reason.AWAITING_READINESS),
}
TIMELINE = (
    Transition(at=AT - timedelta(seconds=18), layer=Layer.INTENT, outcome=Outcome.PENDING, reason=Reason.NOT_PINNED),
    Transition(
        at=AT - timedelta(seconds=17), layer=Layer.INTENT, outcome=Outcome.PASSED, reason=Reason.PINNED_TO_INTENDED
    ),
    Transition(
        at=AT - timedelta(seconds=17), layer=Layer.SYNC, outcome=Outcome.PENDING, reason=Reason.OPERATION_RUNNING
    ),
    Transition(
        at=AT - timedelta(seconds=16), layer=Layer.SYNC, outcome=Outcome.PASSED, reason=Reason.SYNCED_AT_INTENDED
    ),
    Transition(
        at=AT - timedelta(seconds=16), layer=Layer.READINESS, outcome=Outcome.PENDING, reason=Reason.PROBE_FAILING
    ),
    Transition(
        at=AT - timedelta(seconds=6),
        layer=Layer.READINESS,
        outcome=Outcome.FAILED,
        reason=Reason.PROGRESS_DEADLINE_EXCEEDED,
    ),
)


def verdict(word: VerdictWord, reason: Reason, message: str, **others: Any) -> Verdict:
    """A verdict about the commit above, with whatever else is given."""
    values: dict[str, Any] = {
        "word": word,
        "reason": reason,
        "message": message,
        "final": True,
        "environment": "staging",
        "intended": BAD,
        "at": AT,
        "applications": ("argocd/orders",),
        "commit": commit(),
        "changes": changes(),
        "notes": (SCOPE,),
    }
    return Verdict(**(values | others))


def passed(**others: Any) -> Verdict:
    """All four layers passed."""
    values: dict[str, Any] = {
        "layers": (INTENT, SYNC, READY, ANSWERED),
        "timeline": TIMELINE[:4],
        "notes": ("Deployment shop/orders: container web uses registry.example/web:2: tag, content not pinned.", SCOPE),
    }
    message = "all four layers agree about this commit, in two bundles of evidence"
    return verdict(VerdictWord.PASSED, Reason.ALL_LAYERS_AGREE, message, **(values | others))


def failed(**others: Any) -> Verdict:
    """Readiness path broken, rolling update: the old Pod still answers."""
    values: dict[str, Any] = {
        "failed_layer": Layer.READINESS,
        "layers": (INTENT, SYNC, NOT_READY, WAITING[Layer.REQUEST]),
        "timeline": TIMELINE,
    }
    return verdict(VerdictWord.FAILED, Reason.PROGRESS_DEADLINE_EXCEEDED, NOT_READY.message, **(values | others))


def _one(word: VerdictWord, outcome: Outcome, layer: Layer, reason: Reason, message: str, **others: Any) -> Verdict:
    """A verdict that one layer gives, with passed layers before it and waiting ones behind."""
    good = {Layer.INTENT: INTENT, Layer.SYNC: SYNC, Layer.READINESS: READY, Layer.REQUEST: ANSWERED}
    place = LAYERS.index(layer)
    final = bool(others.get("final", True))
    own = LayerResult(
        layer=layer, outcome=outcome, reason=reason, message=message, final=final, since=AT - timedelta(seconds=40)
    )
    layers = (*(good[one] for one in LAYERS[:place]), own, *(WAITING[one] for one in LAYERS[place + 1 :]))
    return verdict(word, reason, message, **({"failed_layer": layer, "layers": layers} | others))


def held(**others: Any) -> Verdict:
    """Autosync is off: final, and only a person can move it."""
    message = (
        f"{_APPLICATION}: OutOfSync at {BAD} and no operation at it has run; "
        "spec.syncPolicy.automated is off, so a person has to start the sync"
    )
    return _one(VerdictWord.HELD, Outcome.HELD, Layer.SYNC, Reason.AUTOSYNC_OFF, message, **others)


def held_open(**others: Any) -> Verdict:
    """Evidence is missing: held, but not final."""
    message = "Service shop/orders: no ready endpoint; its selector is app=nobody"
    word, outcome = VerdictWord.HELD, Outcome.HELD
    return _one(word, outcome, Layer.READINESS, Reason.NO_READY_ENDPOINTS, message, **({"final": False} | others))


def pending(**others: Any) -> Verdict:
    """Pushed, not pinned."""
    message = f"{_APPLICATION} spec.source.targetRevision is {GOOD}; expected {BAD}: it is not pinned to it"
    word, outcome = VerdictWord.PENDING, Outcome.PENDING
    return _one(word, outcome, Layer.INTENT, Reason.NOT_PINNED, message, **({"final": False} | others))


def timed_out(**others: Any) -> Verdict:
    """Still not pinned when time was up."""
    values = {"word": VerdictWord.HELD, "timed_out": True, "final": True, "timeline": TIMELINE[:1]}
    return pending().model_copy(update=values | others)


def superseded(**others: Any) -> Verdict:
    """A descendant is pinned."""
    message = f"{_APPLICATION} is pinned to {NEWER}, a descendant of the intended {BAD}"
    word, outcome = VerdictWord.SUPERSEDED, Outcome.SUPERSEDED
    return _one(word, outcome, Layer.INTENT, Reason.NEWER_COMMIT_PINNED, message, **({"newer": NEWER} | others))


def could_not_run(**others: Any) -> Verdict:
    """The configuration cannot be used."""
    values: dict[str, Any] = {"commit": None, "changes": None, "applications": (), "notes": ()}
    message = "promotion-gate.yaml, line 7, environments.staging.timeuot: unknown key; did you mean timeout?"
    return verdict(VerdictWord.COULD_NOT_RUN, Reason.BAD_CONFIGURATION, message, **(values | others))


def cancelled(**others: Any) -> Verdict:
    """The run was told to end."""
    message = "The run was cancelled by signal 15."
    return verdict(VerdictWord.CANCELLED, Reason.CANCELLED, message, **({"changes": None, "notes": ()} | others))


def internal_error(**others: Any) -> Verdict:
    """A fault of the gate itself."""
    message = "A fault of the gate itself: KeyError in gate.decide, line 12 (gate 0.1.0)."
    return verdict(VerdictWord.INTERNAL_ERROR, Reason.INTERNAL_ERROR, message, **({"changes": None} | others))


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
        observed(text, text, text),
    )
    layers = tuple(one.model_copy(update={"message": text, "evidence": evidence}) for one in failed().layers)
    author = commit(subject=text, author=text)
    return failed(
        message=text,
        environment=text,
        intended=text,
        applications=(text, text),
        newer=text,
        layers=layers,
        notes=(text, text),
        commit=author,
        changes=changes(since=text, commits=(author, commit(id=text)), files=(text, text)),
    )
