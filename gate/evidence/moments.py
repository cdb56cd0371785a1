"""One moment as evidence keeps it, and back again. Pure."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

from gate.decide import Decision
from gate.evidence.allowed import AllowList, metadata_of
from gate.evidence.record import Poll, Sample
from gate.evidence.relevant import relevant
from gate.facts.application import Application
from gate.facts.bundle import API_VERSION, Asked
from gate.facts.cluster import MODELS, Cluster, Entry
from gate.facts.moment import GitRecord, Moment, Raw, RawCommit, RawResponse, UnreadableRead
from gate.facts.upstream import parse
from gate.layers.finding import Missing
from gate.layers.request.judge import identity_values, see_answer
from gate.observed import Present

_VERSIONS = {kind: version for version, kind in MODELS}
_REDIRECTS = range(300, 400)
_REVERTS = re.compile(r"^This reverts commit (?:[0-9a-f]{64}|[0-9a-f]{40})\b", re.MULTILINE)


@dataclass(frozen=True)
class Kept:
    """A moment by allow-list: raw objects that hold nothing but what the gate reads."""

    moment: Moment
    git: GitRecord
    repeated: int = 0


def _entry(entry: Entry, allowed: AllowList) -> Raw:
    if isinstance(entry.fact, Present):
        return {"apiVersion": _VERSIONS[entry.kind], "kind": entry.kind, **allowed.dump(entry.fact.value)}
    if entry.namespace is None:  # it was no object that could be looked up, and is none again
        return {"apiVersion": _VERSIONS.get(entry.kind, ""), "kind": entry.kind}
    why = {"field": getattr(entry.fact, "field", ""), "error": getattr(entry.fact, "error", "")}
    place = {"namespace": entry.namespace, "name": entry.name}
    return {"apiVersion": _VERSIONS[entry.kind], "kind": entry.kind, "metadata": place, "unreadable": why}


def _applications(raws: tuple[Raw, ...], allowed: AllowList) -> tuple[Raw, ...]:
    made = []
    for raw in raws:
        version = raw.get("apiVersion")
        if raw.get("kind") != "Application" or (isinstance(version, str) and version not in ("", API_VERSION)):
            continue
        head = {"apiVersion": API_VERSION if version == API_VERSION else "", "kind": "Application"}
        fact = parse(Application, raw, "Application")
        if isinstance(fact, Present):
            made.append({**head, **allowed.dump(fact.value)})
        else:
            why = {"field": getattr(fact, "field", ""), "error": getattr(fact, "error", "")}
            made.append({**head, "metadata": allowed.dump(metadata_of(raw)), "unreadable": why})
    return tuple(made)


def kept_message(message: str) -> str:
    """The first line of a commit's message, and of the rest only where Git wrote what it reverts."""
    whole = message.strip()
    lines = [whole.partition("\n")[0], *dict.fromkeys(_REVERTS.findall(whole))]
    return "\n\n".join(lines) if len(lines) > 1 else lines[0]


def _in_utc(at: datetime | None) -> datetime | None:
    """The time of a commit, which names the zone of whoever made it; None for one at the end of time."""
    try:
        return None if at is None else at.astimezone(UTC)
    except OverflowError:
        return None


def _models(raws: tuple[Raw, ...]) -> list[Application]:
    facts = [parse(Application, raw, "Application") for raw in raws]
    return [fact.value for fact in facts if isinstance(fact, Present)]


def _origin(location: str) -> str:
    """Scheme and host of a redirect; its path may hold a secret."""
    try:
        parts = urlsplit(location)
    except ValueError:
        return "an address that is none"
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if parts.netloc else "a path of the same host"


class Keeper:
    """Makes kept moments of judged ones; ``clean`` makes a text from outside fit to be kept."""

    def __init__(self, asked: Asked, clean: Callable[[str], str]) -> None:
        self._asked = asked
        self._clean = clean
        templates = [one for request in asked.settings.requests for one in request.expect.templates]
        named = frozenset(one.argument for one in templates if one.name == "annotation" and one.argument is not None)
        self._allowed = AllowList(named, clean)

    def keep(self, moment: Moment, decision: Decision) -> Kept:
        """The moment with what the decision about it looked at."""
        allowed, facts = self._allowed, decision.facts
        again = moment.applications_again
        apps = _models(moment.applications) + _models(again or ())
        settings = self._asked.settings

        def chosen(cluster: Cluster) -> tuple[Raw, ...]:
            return tuple(_entry(one, allowed) for one in relevant(cluster.entries, apps, settings))

        kept = Moment(
            now=moment.now,
            applications=_applications(moment.applications, allowed),
            applications_again=None if again is None else _applications(again, allowed),
            objects=chosen(facts.cluster),
            objects_again=None if facts.cluster_again is None else chosen(facts.cluster_again),
            responses=tuple(self._response(one, decision) for one in moment.responses),
            unreadable=tuple(self._unreadable(one) for one in moment.unreadable),
            deadline=moment.deadline,
        )
        return Kept(kept, self.git(facts.git))

    def git(self, git: GitRecord) -> GitRecord:
        """What Git said, each commit with the first line of its message, and which commits it says it reverts."""
        clean = self._clean
        return GitRecord(
            commits={commit: self._commit(raw) for commit, raw in git.commits.items()},
            relations=dict(git.relations),
            files={pair: tuple(clean(file) for file in files) for pair, files in git.files.items()},
        )

    def _commit(self, raw: RawCommit) -> RawCommit:
        clean = self._clean
        return RawCommit(
            tree=clean(raw.tree),
            parents=raw.parents,
            message=clean(kept_message(raw.message)),
            author=clean(raw.author),
            committed_at=_in_utc(raw.committed_at),
            files=None if raw.files is None else tuple(clean(file) for file in raw.files),
        )

    def _unreadable(self, read: UnreadableRead) -> UnreadableRead:
        return read.model_copy(update={"what": self._clean(read.what), "error": self._clean(read.error)})

    def _response(self, response: RawResponse, decision: Decision) -> RawResponse:
        """The response with what was seen of its body in the body's place."""
        request = next((one for one in self._asked.settings.requests if one.name == response.request), None)
        seen = None
        if request is not None:
            try:
                values = identity_values(request, decision.facts, self._asked, decision.releases)
            except Missing:
                values = {}
            seen = see_answer(request, response, values)
        location = response.headers.get("location") or response.headers.get("Location")
        redirected = response.status in _REDIRECTS and location is not None
        return response.model_copy(
            update={
                "body": None,
                "seen": None if seen is None else seen.model_validate(self._cleaned(seen.model_dump())),
                "headers": {"location": self._clean(_origin(location or ""))} if redirected else {},
                "error": None if response.error is None else self._clean(response.error),
            }
        )

    def _cleaned(self, seen: Raw) -> Raw:
        """What was seen, its texts from outside made fit to be kept."""
        values = seen["json_values"]
        if values is not None:
            seen["json_values"] = {path: {**one, "text": self._clean(one["text"])} for path, one in values.items()}
        said = seen["server_said"]
        return {**seen, "server_said": None if said is None else self._clean(said)}


def sample_of(response: RawResponse) -> Sample:
    """A kept response for the file."""
    return Sample(
        request=response.request,
        route=response.route,
        at=response.at,
        status=response.status,
        error=response.error,
        took=response.took,
        truncated=response.truncated,
        redirected_to=response.headers.get("location"),
        seen=response.seen,
    )


def _response_of(sample: Sample) -> RawResponse:
    return RawResponse(
        request=sample.request,
        route=sample.route,
        at=sample.at,
        status=sample.status,
        headers={} if sample.redirected_to is None else {"location": sample.redirected_to},
        error=sample.error,
        took=sample.took,
        truncated=sample.truncated,
        seen=sample.seen,
    )


def moment_of(poll: Poll, objects: Mapping[int, Raw]) -> Moment:
    """A recorded look as the moment that is judged; raises KeyError for an object that is not there."""

    def picked(numbers: tuple[int, ...]) -> tuple[Raw, ...]:
        return tuple(objects[number] for number in numbers)

    return Moment(
        now=poll.now,
        applications=picked(poll.applications),
        applications_again=None if poll.applications_again is None else picked(poll.applications_again),
        objects=picked(poll.objects),
        objects_again=None if poll.objects_again is None else picked(poll.objects_again),
        responses=tuple(_response_of(one) for one in poll.responses),
        unreadable=poll.unreadable,
        deadline=poll.deadline,
    )
