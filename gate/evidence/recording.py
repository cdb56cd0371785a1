"""A recording (``gate replay``): what was asked, what Git said, and one or more moments. Pure.

Keys: ``intended``, ``environment``, ``config``, ``git``, then either one moment's keys or
``polls``, a list of moments. Raw objects are exactly what the APIs returned.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from gate.config.load import parse_configuration
from gate.config.model import ApplicationTarget, ArgoCD, Environment
from gate.errors import UsageError
from gate.facts.bundle import Asked
from gate.facts.cluster import MODELS
from gate.facts.moment import GitRecord, Moment, Raw
from gate.facts.upstream import is_full_id

_READ_KINDS = frozenset(kind for _, kind in MODELS) | {"Application", "StatefulSet", "DaemonSet", "Job"}

_ASKED_KEYS = ("intended", "environment", "config", "git", "polls")
_SHOWN = 80
"""Characters of a value that is refused."""


@dataclass(frozen=True)
class Recording:
    """A recording that can be judged."""

    asked: Asked
    git: GitRecord
    moments: tuple[Moment, ...]


def unwrap(raws: object) -> list[Any]:
    """Raw objects with every ``List`` replaced by its items; anything else is left as it is.

    Raises UsageError for a list that says there is more of it: what was left off could be anything.
    """
    if not isinstance(raws, list | tuple):
        return [raws]
    found: list[Any] = []
    for raw in raws:
        kind = raw.get("kind") if isinstance(raw, dict) else None
        items = raw.get("items") if isinstance(raw, dict) else None
        if isinstance(kind, str) and kind.endswith("List") and isinstance(items, list):
            metadata = raw.get("metadata")
            if isinstance(metadata, dict) and metadata.get("continue"):
                raise _refuse(f"a {kind} is only the first page of a list (metadata.continue is set)")
            # The API leaves both out in lists of built-in kinds.
            missing = {"apiVersion": raw.get("apiVersion"), "kind": kind.removesuffix("List")}
            named = [{**missing, **item} if isinstance(item, dict) and kind != "List" else item for item in items]
            found.extend(unwrap(named))
        else:
            found.append(raw)
    return found


def _said(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "the document"
    return f"{where}: {first['msg']}"


def _refuse(happened: str) -> UsageError:
    return UsageError(
        happened,
        means="the recording is damaged, was cut, or is not one",
        change="see `gate replay --help` for the keys of a recording",
    )


def parse_moment(raw: dict[str, Any], where: str) -> Moment:
    """One moment; ``application`` and ``application-again`` may be one object, or lists under their plural."""
    fields = dict(raw)
    for one, many in (("application", "applications"), ("application-again", "applications-again")):
        if one in fields and many in fields:
            raise _refuse(f"{where} has both {one} and {many}")
        if one in fields:
            value = fields.pop(one)
            fields[many] = [] if value is None else unwrap([value])
            if value is None and many == "applications-again":
                fields[many] = None
    for key in ("objects", "objects-again"):
        if isinstance(fields.get(key), list):
            fields[key] = unwrap(fields[key])
    try:
        return _known_reads(Moment.model_validate(fields), where)
    except ValidationError as error:
        raise _refuse(f"{where} cannot be read: {_said(error)}") from error


def _known_reads(moment: Moment, where: str) -> Moment:
    """The moment; raises UsageError for a failed read of something that nothing would look for."""
    for read in moment.unreadable:
        kind, _, place = read.what.partition(" ")
        named = place != "" if kind == "request" else kind == "commit" or kind in _READ_KINDS
        if not named:
            known = ", ".join(sorted(_READ_KINDS))
            raise _refuse(f"{where}: unreadable {read.what!r} is neither commit, request NAME nor a kind ({known})")
    return moment


def _git(raw: object) -> GitRecord:
    if raw is None:
        return GitRecord()
    try:
        return GitRecord.model_validate(raw)
    except ValidationError as error:
        raise _refuse(f"git cannot be read: {_said(error)}") from error


def _names(moments: tuple[Moment, ...]) -> list[tuple[str, str]]:
    places = []
    for raw in moments[0].applications if moments else ():
        metadata = raw.get("metadata")
        name = metadata.get("name") if isinstance(metadata, dict) else None
        namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
        if isinstance(name, str) and isinstance(namespace, str):
            places.append((namespace, name))
    return places


def assumed_environment(moments: tuple[Moment, ...]) -> Environment:
    """Without a configuration: the Applications that were recorded, and no requests (so never a pass)."""
    places = _names(moments)
    if not places:
        raise _refuse("there is no configuration, and no Application to take its place")
    try:
        targets = tuple(ApplicationTarget(namespace=namespace, name=name) for namespace, name in places)
        return Environment(applications=targets, argocd=ArgoCD(namespace=places[0][0]))
    except ValidationError as error:
        raise _refuse(f"the Application cannot be named: {_said(error)}") from error


def _environment(raw: dict[str, Any], moments: tuple[Moment, ...]) -> tuple[str, Environment]:
    name = raw.get("environment")
    if name is not None and not isinstance(name, str):
        raise _refuse("environment is not a name")
    if raw.get("config") is None:
        return name or "unknown", assumed_environment(moments)
    if not isinstance(raw["config"], dict):
        raise _refuse("config is not a mapping")
    environments = parse_configuration(raw["config"], "config").environments
    if name is None and len(environments) == 1:
        name = next(iter(environments))
    if name is None or name not in environments:
        raise _refuse(f"environment {name!r} is not in config; it has {', '.join(sorted(environments))}")
    return name, environments[name]


def parse_recording(raw: object) -> Recording:
    """A parsed document to a recording.

    Raises UsageError (ConfigurationError for its ``config``) naming what cannot be used.
    """
    if not isinstance(raw, dict):
        raise _refuse("the document is not a mapping")
    intended = raw.get("intended")
    if not isinstance(intended, str) or not is_full_id(intended):
        raise _refuse(f"intended is {repr(intended)[:_SHOWN]}; expected a full commit id")
    rest: Raw = {key: value for key, value in raw.items() if key not in _ASKED_KEYS}
    if "polls" in raw:
        if rest:
            raise _refuse(f"a recording with polls has no moment of its own, but {', '.join(map(repr, rest))}")
        polls = raw["polls"]
        if not isinstance(polls, list) or not all(isinstance(poll, dict) for poll in polls) or not polls:
            raise _refuse("polls is not a list of moments")
        moments = tuple(parse_moment(poll, f"polls[{index}]") for index, poll in enumerate(polls))
    else:
        moments = (parse_moment(rest, "the moment"),)
    name, settings = _environment(raw, moments)
    return Recording(Asked(intended, name, settings), _git(raw.get("git")), moments)
