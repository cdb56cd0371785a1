"""What Git wants against what is there: the words of status.sync, status.resources and status.health. Pure."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from gate.lab.argocd.annotations import (
    ResourceKey,
    annotations,
    ignores_extraneous,
    is_hook,
    is_namespaced,
    is_skipped,
    managed_by,
    resource_key,
    sync_wave,
    track,
    version_of,
)
from gate.lab.argocd.health import has_rule, resource_health, worse
from gate.lab.cluster.store import Object

EXCLUDED = frozenset({"Endpoints", "EndpointSlice", "Event", "Lease"})
"""Kinds that the standard install leaves out (argocd-cm, resource.exclusions)."""

Differs = Callable[[Object, Object], bool]
"""Whether applying a wanted object would change a live one."""


@dataclass(frozen=True)
class Wanted:
    """What the sources say. ``error``: why they could not be read, then there are no targets."""

    sources: tuple[Object, ...]
    revisions: tuple[str, ...]
    several: bool = False
    targets: tuple[Object, ...] = ()
    error: str = ""
    source_types: tuple[str, ...] = ()


class Pair(NamedTuple):
    """One resource: as it is wanted, and as it is there."""

    target: Object | None
    live: Object | None

    @property
    def body(self) -> Object:
        """The wanted one, else the live one."""
        found = self.live if self.target is None else self.target
        assert found is not None  # noqa: S101 - a pair of nothing is never made
        return found

    @property
    def key(self) -> ResourceKey:
        """What names it."""
        return resource_key(self.body)


@dataclass(frozen=True)
class Comparison:
    """The result. ``sync``, ``resources``: as in the status. ``conditions``: type and message."""

    sync: Object
    health: str
    resources: list[Object]
    conditions: list[tuple[str, str]]
    pairs: tuple[Pair, ...] = ()
    hooks: tuple[Object, ...] = ()
    source_types: tuple[str, ...] = ()

    @property
    def error(self) -> str:
        """The comparison errors, as an operation that stops at them says; empty without."""
        found = [(type_, text) for type_, text in self.conditions if type_ in ("ComparisonError", "InvalidSpecError")]
        return ";".join(f"{type_}: {text}" for type_, text in found)


def prepared(app: Object, objects: Iterable[Object]) -> tuple[list[Object], list[tuple[str, str]]]:
    """The wanted objects, each once, placed in the destination's namespace, marked; and what is warned of."""
    namespace = str(app["spec"]["destination"].get("namespace") or "")
    found: dict[ResourceKey, list[Object]] = {}
    for number, body in enumerate(objects):
        metadata = body["metadata"]
        if not is_namespaced(body):
            metadata.pop("namespace", None)
        elif not metadata.get("namespace"):
            metadata["namespace"] = namespace
        key = resource_key(body)
        if not key.name:
            key = key._replace(name=f"{metadata.get('generateName', '')}{number}")
        track(body, app["metadata"]["name"], namespace)
        found.setdefault(key, []).append(body)
    warnings = [
        ("RepeatedResourceWarning", f"Resource {key} appeared {len(same)} times among application resources.")
        for key, same in found.items()
        if len(same) > 1
    ]
    warnings += [
        ("ExcludedResourceWarning", f"Resource {key.group}/{key.kind} {key.name} is excluded in the settings")
        for key in found
        if key.kind in EXCLUDED
    ]
    return [same[-1] for key, same in found.items() if key.kind not in EXCLUDED], warnings


def compare(app: Object, wanted: Wanted, live: Mapping[ResourceKey, Object], differs: Differs) -> Comparison:
    """Compare. ``live``: the objects that this Application manages, and those that have a wanted one's name."""
    name = app["metadata"]["name"]
    targets, conditions = prepared(app, wanted.targets)
    if wanted.error:
        conditions = [("ComparisonError", f"Failed to load target state: {wanted.error}")]
    left = {key: body for key, body in live.items() if "ownerReferences" not in body["metadata"]}
    ordinary = [body for body in targets if not is_hook(body)]
    pairs = [Pair(body, left.pop(resource_key(body), None)) for body in ordinary]
    pairs += [Pair(None, body) for body in left.values() if managed_by(body) == name]
    conditions += [_shared(app, pair.live) for pair in pairs if pair.live and managed_by(pair.live) not in (None, name)]
    resources = [_resource(pair, differs) for pair in pairs]
    word: Literal["Synced", "OutOfSync", "Unknown"] = "Synced"
    if any(
        one.get("status") == "OutOfSync" and not _may_stay(pair) for pair, one in zip(pairs, resources, strict=True)
    ):
        word = "OutOfSync"
    if wanted.error:
        word = "Unknown"
        for one in resources:
            one["status"] = "Unknown"
    return Comparison(
        sync={"status": word, **_revisions(wanted), "comparedTo": compared_to(app, wanted)},
        health=application_health(pairs),
        resources=sorted(resources, key=_place),
        conditions=conditions,
        pairs=tuple(pairs),
        hooks=tuple(body for body in targets if is_hook(body)),
        source_types=wanted.source_types,
    )


def compared_to(app: Object, wanted: Wanted) -> Object:
    """What ``status.sync.comparedTo`` says of a comparison with these sources."""
    spec = app["spec"]
    sources: Object = {"source": wanted.sources[0]}
    if wanted.several:
        sources = {"source": {"repoURL": ""}, "sources": list(wanted.sources)}
    ignored = {"ignoreDifferences": spec["ignoreDifferences"]} if spec.get("ignoreDifferences") else {}
    return {"destination": spec["destination"], **sources, **ignored}


def application_health(pairs: Iterable[Pair]) -> str:
    """The health of an Application: the worst of its resources that have a rule; Healthy without any."""
    word = "Healthy"
    for target, live in pairs:
        if target is not None and is_skipped(target):
            continue
        if live is None:
            key = resource_key(target or {})
            word = worse(word, "Missing") if has_rule(key.group, key.kind) else word
            continue
        if annotations(live).get("argocd.argoproj.io/ignore-healthcheck") == "true" or is_hook(live):
            continue
        health = resource_health(live)
        word = word if health is None else worse(word, health.status)
    return word


def _revisions(wanted: Wanted) -> Object:
    return {"revisions": list(wanted.revisions)} if wanted.several else {"revision": wanted.revisions[0]}


def _resource(pair: Pair, differs: Differs) -> Object:
    shown = pair.body if pair.live is None else pair.live
    key = resource_key(shown)
    entry: Object = {
        "group": key.group,
        "version": version_of(shown),
        "kind": key.kind,
        "namespace": key.namespace,
        "name": key.name,
        "hook": is_hook(shown),
        "requiresPruning": pair.target is None,
        "syncWave": 0 if pair.target is None else sync_wave(pair.target),
    }
    if not is_hook(shown) and not (pair.target is not None and is_skipped(pair.target)):
        same = pair.target is not None and pair.live is not None and not differs(pair.target, pair.live)
        entry["status"] = "Synced" if same else "OutOfSync"
    return {name: value for name, value in entry.items() if value}


def _may_stay(pair: Pair) -> bool:
    return pair.target is None and ignores_extraneous(pair.body)


def _place(entry: Object) -> str:
    return "/".join(str(entry.get(name, "")) for name in ("group", "kind", "namespace", "name"))


def _shared(app: Object, live: Object) -> tuple[str, str]:
    place = app["metadata"]["namespace"]
    both = f"{place}/{app['metadata']['name']} and {managed_by(live)}"
    return "SharedResourceWarning", f"{live['kind']}/{live['metadata']['name']} is part of applications {both}"
