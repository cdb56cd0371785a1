"""One bundle of facts: everything that one moment saw, typed. Pure."""

from dataclasses import dataclass
from datetime import datetime

from gate.config.model import ApplicationTarget, Environment
from gate.facts.application import Application
from gate.facts.cluster import Cluster
from gate.facts.commit import read_commit_fact
from gate.facts.moment import GitRecord, Moment, Raw, RawResponse
from gate.facts.upstream import parse
from gate.observed import DENIED, Absent, Observed, Unreadable
from gate.verdict import CommitSummary


@dataclass(frozen=True)
class Asked:
    """What the gate was asked: which commit, in which environment, until when.

    ``intended`` is a full commit id; ``deadline_at`` None means that there is no deadline.
    """

    intended: str
    environment: str
    settings: Environment
    deadline_at: datetime | None = None


@dataclass(frozen=True)
class ApplicationFacts:
    """One Application: read at the start of the bundle, and again at its end (None: not read again).

    ``what`` is how messages name it; ``source`` chooses one of several sources by index or name.
    """

    what: str
    source: int | str | None
    first: Observed[Application]
    again: Observed[Application] | None


@dataclass(frozen=True)
class Facts:
    """What one moment saw. ``deadline``: time is up now. ``cluster_again`` of None: not read a second time."""

    now: datetime
    applications: tuple[ApplicationFacts, ...]
    cluster: Cluster
    cluster_again: Cluster | None
    responses: tuple[RawResponse, ...]
    refused_requests: dict[str, Unreadable]
    commit: Observed[CommitSummary]
    git: GitRecord
    denied: bool
    deadline: bool


API_VERSION = "argoproj.io/v1alpha1"


def _place(raw: Raw) -> tuple[object, object, object]:
    """Kind, namespace and name; the kind of another group of APIs is not ours, whatever it is called."""
    metadata = raw.get("metadata")
    place = metadata if isinstance(metadata, dict) else {}
    version = raw.get("apiVersion")
    foreign = isinstance(version, str) and version not in ("", API_VERSION)
    return None if foreign else raw.get("kind"), place.get("namespace"), place.get("name")


def _find(raws: tuple[Raw, ...], moment: Moment, namespace: str, name: str) -> Observed[Application]:
    what = f"Application {namespace}/{name}"
    for read in moment.unreadable:
        kind, _, place = read.what.partition(" ")
        if kind == "Application" and place in ("", name, namespace, f"{namespace}/", f"{namespace}/{name}"):
            return Unreadable(what=what, error=read.error, status=read.status)
    matches = [raw for raw in raws if _place(raw) == ("Application", namespace, name)]
    if not matches:
        return Absent(what=what)
    if len(matches) > 1:
        return Unreadable(what=what, error="was read more than once in one moment")
    if matches[0].get("apiVersion") != API_VERSION:
        return Unreadable(what=what, field="apiVersion", error="is not a text, or empty")
    return parse(Application, matches[0], what)


def _selected(target: ApplicationTarget, raws: tuple[Raw, ...], namespace: str) -> list[str]:
    """The names of the Applications that a selector finds, in order."""
    wanted = {} if target.selector is None else target.selector.match_labels
    names = set()
    for raw in raws:
        kind, place, name = _place(raw)
        metadata = raw.get("metadata")
        labels = metadata.get("labels") if isinstance(metadata, dict) else None
        if (kind, place) != ("Application", namespace) or not isinstance(labels, dict) or not isinstance(name, str):
            continue
        if all(labels.get(key) == value for key, value in wanted.items()):
            names.add(name)
    return sorted(names)


def _names(target: ApplicationTarget, moment: Moment, namespace: str) -> list[str]:
    """Whom a selector finds in either read, and who could not be read: nobody knows their labels."""
    found = {*_selected(target, moment.applications, namespace)}
    found.update(_selected(target, moment.applications_again or (), namespace))
    for read in moment.unreadable:
        kind, _, place = read.what.partition(" ")
        if kind != "Application" or place in ("", namespace):
            continue
        # A place without a slash may be a name: whose namespace is not told is counted in.
        if place.startswith(f"{namespace}/") or "/" not in place:
            found.add(place.removeprefix(f"{namespace}/"))
    return sorted(found - {""})


def _applications(target: ApplicationTarget, moment: Moment, default: str) -> list[ApplicationFacts]:
    """The Applications of one target; fewer than a selector's ``minimum`` are made up for by absent ones."""
    namespace = target.namespace if target.namespace is not None else default
    again = moment.applications_again
    names = [target.name] if target.name is not None else _names(target, moment, namespace)
    found = [
        ApplicationFacts(
            what=f"Application {namespace}/{name}",
            source=target.source,
            first=_find(moment.applications, moment, namespace, name),
            again=None if again is None else _find(again, moment, namespace, name),
        )
        for name in names
    ]
    if target.selector is not None:
        shown = ",".join(f"{key}={value}" for key, value in target.selector.match_labels.items())
        for number in range(len(found) + 1, (target.minimum or 1) + 1):
            what = f"Application {number} of {target.minimum} with labels {shown} in {namespace}"
            refused = next((read for read in moment.unreadable if read.what.partition(" ")[0] == "Application"), None)
            lost: Observed[Application] = Absent(what=what)
            if refused is not None:
                lost = Unreadable(what=what, error=refused.error, status=refused.status)
            found.append(ApplicationFacts(what=what, source=target.source, first=lost, again=None))
    return found


def read_facts(asked: Asked, moment: Moment, git: GitRecord) -> Facts:
    """Type one moment's raw evidence for what was asked. Never raises for what the APIs said."""
    refused = {
        read.what.removeprefix("request "): Unreadable(what=read.what, error=read.error, status=read.status)
        for read in moment.unreadable
        if read.what.startswith("request ")
    }
    commit = read_commit_fact(git, asked.intended)
    for read in moment.unreadable:
        if read.what.partition(" ")[0] == "commit":
            commit = Unreadable(what=f"commit {asked.intended}", error=read.error, status=read.status)
    namespace, targets = asked.settings.argocd.namespace, asked.settings.applications
    return Facts(
        now=moment.now,
        applications=tuple(one for target in targets for one in _applications(target, moment, namespace)),
        cluster=Cluster(moment.objects, moment.unreadable),
        cluster_again=None if moment.objects_again is None else Cluster(moment.objects_again),
        responses=moment.responses,
        refused_requests=refused,
        commit=commit,
        git=git,
        denied=any(read.status in DENIED for read in moment.unreadable),
        deadline=moment.deadline or (asked.deadline_at is not None and moment.now >= asked.deadline_at),
    )
