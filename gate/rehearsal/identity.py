"""Which requests cannot tell releases apart, what to add to them, and what opt-ins let pass. Pure."""

from collections.abc import Iterable, Iterator

from gate.config.model import Allow, Environment, Request
from gate.layers.request.match import shorten
from gate.rehearsal.answers import mistaken_body
from gate.rehearsal.conventions import Names, kept, names, same
from gate.rehearsal.results import Start
from gate.rehearsal.subjects import RequestSubject

_LABEL = "label:app.kubernetes.io/version"

_FREE = ("label:", "annotation:", "image.tag:")
"""Templates whose values may be of any length."""

OPT_INS: dict[Allow, str] = {
    Allow.ANSWERS_WITHOUT_IDENTITY: "an answer of any release is no longer refused where a request expects nothing that"
    " tells them apart; the verdict then rests on the endpoints leading to the new ReplicaSet's Pods only",
    Allow.REFRESH: "nothing less is refused; the gate may write the annotation that has Argo CD compare again, once",
    Allow.PUBLISHES_NOT_READY: "a Service that lists Pods as ready which are not is no longer refused",
    Allow.INSECURE_SKIP_TLS_VERIFY: "an API server that nobody vouches for is no longer refused: whoever is on the way"
    " to it can answer in its place",
    Allow.SAME_HOST_REDIRECTS: "a redirect that stays on its host is no longer refused: another path of it may have"
    " answered",
}
"""What each opt-in lets pass."""


def _example(subject: RequestSubject | None) -> str:
    """A template that has a value here, where that is known."""
    known = {}
    if subject is not None:
        known = {key: value for key, value in subject.ours.items() if key not in subject.selected}
    images = (key for key, value in known.items() if key.startswith("image.tag:") and value)
    return _LABEL if not known or known.get(_LABEL) else next(images, "revision")


def _what_to_add(request: Request, subject: RequestSubject | None) -> str:
    template = f"{{{_example(subject)}}}"
    if request.method == "HEAD" or request.expect.status in (204, 205, 304):
        return (
            "Its answer has no body: ask with GET for a path whose answer names the release, and expect that, "
            f'for example expect: {{json: {{$.release: "{template}"}}}}'
        )
    if request.expect.identity and not _keys(request) <= _same(request, subject):
        return f"Let no alternative do without the template, for example expect: {{regex: 'release {template}'}}"
    if request.expect.body is not None or request.expect.regex is not None:
        return f"Expect what only the intended release says, for example expect: {{regex: 'release {template}'}}"
    return f'Expect what only the intended release says, for example expect: {{json: {{$.release: "{template}"}}}}'


def _shown(request: Request) -> str:
    """What it expects now, in a few words."""
    expect = request.expect
    parts = [f"status {expect.status}"]
    parts += [f"{path} {shorten(text)!r}" for path, text in expect.json_values.items()]
    parts += [f"regex {shorten(expect.regex)!r}"] if expect.regex is not None else []
    parts += [f"body {shorten(expect.body)!r}"] if expect.body is not None else []
    return ", ".join(parts)


def _keys(request: Request) -> set[str]:
    """What its templates stand for."""
    return {one.key for one in request.expect.templates}


def _same(request: Request, subject: RequestSubject | None) -> set[str]:
    """Those of them that are the same in every release."""
    return same(_keys(request), frozenset() if subject is None else subject.selected)


def _listed(keys: Iterable[str]) -> str:
    return ", ".join(f"{{{key}}}" for key in sorted(keys))


def _why_same(request: Request) -> str:
    """Why the templates of a request are the same in every release."""
    usual = {key for key in _keys(request) if names(key) is Names.SAME}
    fixed = _keys(request) - usual
    said = [f"{_listed(usual)}: named after the application, its owner or its place, not a release"] if usual else []
    said += [f"{_listed(fixed)}: in the selector of the workload, which no release can change"] if fixed else []
    return "; ".join(said)


def _taken_longer(request: Request, subject: RequestSubject) -> str | None:
    """Why a release whose name holds the intended one's is taken for it; None where it is not."""
    free = {key for key in _keys(request) - _same(request, subject) if key.startswith(_FREE)}
    for before, after in (("", "0"), ("1", ""), ("", "-rc.1")) if free else ():
        longer = {key: f"{before}{value}{after}" if key in free else value for key, value in subject.ours.items()}
        body = mistaken_body(request.expect, subject.ours, longer)
        if body is not None:
            return (
                f"request {request.name} takes a release with a longer name for the intended one, with "
                f"{shorten(body)!r}: write what stands before and behind the template into the expression."
            )
    return None


def _blind(request: Request, subject: RequestSubject | None) -> str | None:
    """Why this request cannot tell releases apart; None where it can."""
    if not request.expect.identity:
        return f"request {request.name} cannot tell releases apart: any release satisfies {_shown(request)}"
    if _keys(request) <= _same(request, subject):
        return f"request {request.name} cannot tell releases apart: {_why_same(request)}"
    if subject is None:
        return None
    for theirs in (subject.before, subject.stranger):
        body = mistaken_body(request.expect, subject.ours, theirs)
        if body is not None:
            said = shorten(body)
            return f"request {request.name} cannot tell releases apart: another release satisfies it too, with {said!r}"
    return None


def _doubtful(request: Request, subject: RequestSubject | None, start: Start) -> str | None:
    """What this request rests on of which nobody knows whether it changes with each release; None where all is well.

    A value of the release before was seen to be another one in evidence that was read; made up it always is.
    """
    changed = frozenset[str]() if subject is None or start == "generated" else subject.changed
    useless = _same(request, subject)
    doubted = {key for key in _keys(request) - useless - changed if names(key) is Names.UNKNOWN}
    if not doubted or (subject is None and not _keys(request) <= doubted | useless):
        return None
    if subject is not None and not _keys(request) <= doubted | useless:
        others = (kept(theirs, subject.ours, doubted) for theirs in (subject.before, subject.stranger))
        if all(mistaken_body(request.expect, subject.ours, one) is None for one in others):
            return None  # what else it expects tells them apart
    said = f"request {request.name} rests on {_listed(doubted)}"
    if start == "generated":
        return (
            f"{said}: from nothing it is not known whether that changes with each release. Rehearse with --live or "
            "--from, or expect what surely does."
        )
    return (
        f"{said}: no earlier release in this evidence had another value, so that it is not known whether that "
        "changes with each release."
    )


def judge_identity(
    settings: Environment, subjects: tuple[RequestSubject, ...], start: Start
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(advice, warnings) on the requests that cannot tell releases apart; ``subjects`` may be empty.

    It is a warning where the policy allows it, with what the verdict rests on then, and where nobody knows.
    """
    known = {one.request.name: one for one in subjects}
    allowed = settings.policy.allows(Allow.ANSWERS_WITHOUT_IDENTITY)
    advice, warnings = [], []
    for request in settings.requests:
        subject = known.get(request.name)
        why = _blind(request, subject)
        if why is None:
            longer = None if subject is None else _taken_longer(request, subject)
            warnings += [one for one in (longer, _doubtful(request, subject, start)) if one is not None]
            continue
        if allowed:
            warnings.append(
                f"{why}. That is allowed (answers-without-identity): nothing but the endpoints leading to the new "
                "ReplicaSet's Pods shows which release answered."
            )
        else:
            advice.append(f"{why}. {_what_to_add(request, subject)}")
    if not settings.requests:
        advice.append("no request is configured, so that nothing can pass. Add one under requests.")
    return tuple(advice), tuple(warnings)


def opted_in(settings: Environment) -> Iterator[str]:
    """What each opt-in in force lets pass."""
    for allow in settings.policy.allow:
        yield f"allow {allow.value}: {OPT_INS[allow]}."
    if settings.policy.unjudged_kinds:
        kinds = ", ".join(settings.policy.unjudged_kinds)
        yield f"unjudged-kinds: no state of {kinds} is refused any more: it may be broken."
