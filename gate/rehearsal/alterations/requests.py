"""What comes back: alterations of the answers to one request (layer 4)."""

import json
from collections.abc import Callable
from datetime import timedelta

from gate.config.model import Allow
from gate.rehearsal.answers import Values, bodies, mistaken_body
from gate.rehearsal.names import rfc3339
from gate.rehearsal.scene import Alteration, CannotTry, DoesNotApply, Json, Scene, time_of
from gate.rehearsal.subjects import RequestSubject

Change = Callable[[Scene, RequestSubject], None]

_ALLOWED = f"allow: [{Allow.ANSWERS_WITHOUT_IDENTITY.value}]"
_DEFAULT_BACKEND = "<html><body><h1>It works!</h1></body></html>\n"


def _body(answer: Json, body: str | None) -> None:
    """Give a sample another body, and forget what was seen of the one before; None: it is to stay."""
    if body is None:
        return
    answer["body"] = body
    answer["seen"] = None


def _of_another(scene: Scene, request: RequestSubject, theirs: Values) -> str | None:
    """What another release answers: if it can, something that is taken for the intended one's; None: what was seen.

    Raises DoesNotApply where the policy allows answers without identity, and the expectation has none.
    """
    expect = request.request.expect
    mistaken = mistaken_body(expect, request.ours, theirs)
    same = all(request.ours.get(one.key) == theirs.get(one.key) for one in expect.templates)
    allowed = scene.asked.settings.policy.allows(Allow.ANSWERS_WITHOUT_IDENTITY)
    if allowed and (mistaken is not None or same):
        raise DoesNotApply(f"{request.what}: any release may answer so, which {_ALLOWED} lets pass")
    scene.accepts_both = mistaken is not None or same
    if mistaken is None and same:
        return None
    made = mistaken if mistaken is not None else next(iter(bodies(expect, theirs)), None)
    return _in_its_place(scene, request, theirs) if made is None else made


def _in_its_place(scene: Scene, request: RequestSubject, theirs: Values) -> str:
    """The answer that was seen, with the other release's values in place of the intended one's."""
    seen = next((answer["body"] for answer in scene.answers(request.request.name) if answer["body"]), "")
    made = str(seen)
    for template in request.request.expect.templates:
        ours, other = request.ours.get(template.key), theirs.get(template.key)
        made = made.replace(ours, other) if ours and other else made
    if made == seen:
        raise CannotTry(
            f"{request.what}: no answer of another release can be made up for its expectation",
            "rehearse with --live, or with --from and a recording, which hold what was answered.",
        )
    return made


def _answered_by(which: Callable[[RequestSubject], Values]) -> Change:
    def change(scene: Scene, request: RequestSubject) -> None:
        body = _of_another(scene, request, which(request))
        for answer in scene.answers(request.request.name):
            _body(answer, body)

    return change


def _one_of_before(scene: Scene, request: RequestSubject) -> None:
    if request.request.samples < 2:
        raise DoesNotApply(f"{request.what} asks for one sample")
    body = _of_another(scene, request, request.before)
    for moment in scene.moments:
        answer = next(one for one in moment["responses"] if one["request"] == request.request.name)
        _body(answer, body)


def _default_backend(scene: Scene, request: RequestSubject) -> None:
    if not request.request.expect.texts:
        raise DoesNotApply(f"{request.what} expects nothing of the body")
    for answer in scene.answers(request.request.name):
        _body(answer, _DEFAULT_BACKEND)


def _status(status: int) -> Change:
    def change(scene: Scene, request: RequestSubject) -> None:
        if request.request.expect.status == status:
            raise DoesNotApply(f"{request.what} expects the status {status}")
        for answer in scene.answers(request.request.name):
            answer["status"] = status

    return change


def _redirected(scene: Scene, request: RequestSubject) -> None:
    _status(302)(scene, request)
    for answer in scene.answers(request.request.name):
        answer["headers"] = {"location": "https://elsewhere.example/login"}


def _unanswered(scene: Scene, request: RequestSubject) -> None:
    for answer in scene.answers(request.request.name):
        answer |= {"status": None, "body": None, "seen": None, "error": "connection refused"}


def _by_api_server(scene: Scene, request: RequestSubject) -> None:
    if request.request.by_route != "service-proxy":
        raise DoesNotApply(f"{request.what} does not go through the API server")
    said = {"kind": "Status", "apiVersion": "v1", "message": "no endpoints available for service"}
    for answer in scene.answers(request.request.name):
        answer["status"] = 503
        _body(answer, json.dumps(said))


def _fewer(left: Callable[[int], int]) -> Change:
    """Leave only so many of the samples that are asked for."""

    def change(scene: Scene, request: RequestSubject) -> None:
        for moment in scene.moments:
            ours = [one for one in moment["responses"] if one["request"] == request.request.name]
            others = [one for one in moment["responses"] if one["request"] != request.request.name]
            moment["responses"] = [*others, *ours[: left(request.request.samples)]]

    return change


def _stale(scene: Scene, request: RequestSubject) -> None:
    finished = [
        time_of(raw["status"]["operationState"]["finishedAt"])
        for app in scene.subjects.applications
        for raw in scene.applications(app.place)
    ]
    for answer in scene.answers(request.request.name):
        answer["at"] = rfc3339(max(finished) - timedelta(seconds=1))


def _other_route(scene: Scene, request: RequestSubject) -> None:
    for answer in scene.answers(request.request.name):
        answer["route"] = "cluster" if request.request.by_route != "cluster" else "external"


def _cut(scene: Scene, request: RequestSubject) -> None:
    for answer in scene.answers(request.request.name):
        answer["truncated"] = True


def _unreadable(scene: Scene, request: RequestSubject) -> None:
    scene.refuse(request.what, "the request could not be sent")


IDENTITY: tuple[Alteration[RequestSubject], ...] = (
    Alteration(
        "previous-release-answers",
        "the commit before answers, with the expected status",
        _answered_by(lambda request: request.before),
    ),
    Alteration(
        "another-release-answers",
        "a release that nobody knows answers, with the expected status",
        _answered_by(lambda request: request.stranger),
    ),
    Alteration("one-answer-of-previous-release", "one of the samples is of the commit before", _one_of_before),
)
REQUESTS: tuple[Alteration[RequestSubject], ...] = (
    Alteration("default-backend-answers", "a default backend answers, with the expected status", _default_backend),
    Alteration("server-error", "the answer is 503", _status(503)),
    Alteration("not-found", "the answer is 404", _status(404)),
    Alteration("redirected", "the answer is a redirect to a login page", _redirected),
    Alteration("not-answered", "the connection is refused", _unanswered),
    Alteration("api-server-answers", "the API server answers itself, because nobody is there", _by_api_server),
    Alteration("no-response", "there is no sample of the request", _fewer(lambda _: 0)),
    Alteration("too-few-samples", "one sample less than asked for", _fewer(lambda samples: samples - 1)),
    Alteration("answer-stale", "the answers are older than the end of the operation", _stale),
    Alteration("answer-by-another-route", "the answers came by another route", _other_route),
    Alteration("answer-cut", "the answers are longer than 1 MiB and were cut", _cut),
    Alteration("request-unreadable", "the request could not be sent at all", _unreadable),
)
