"""Recorded states and what each must come out as: one table, and a file for each state.

``tests/states/cases/*.yaml`` change a built recording that passes; ``tests/states/recorded/*.json``
are recordings from a real cluster. A case has these keys:

about    one line: what it shows
base     keywords of ``bundles.recording``
patch    a list of changes; each has ``at`` (a path) and one of ``set``, ``merge`` (into a mapping),
         ``add`` (to a list), ``drop``; ``polls`` are the numbers of the moments, all without it

The first step of a path is ``recording`` (not in a moment), ``application`` (both reads), ``first`` or
``again``, an object by kind (``Pod``, ``Pod#1``) or a key of the moment. ``{new}``, ``{old}``, ... stand for
commit ids; a mapping whose only key begins with ``$`` is built by the part of that name.
"""

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.support import bundles
from tests.support import raw_application as argo
from tests.support import raw_workload as kube
from tests.support.bundles import Json

FOLDER = Path(__file__).resolve().parent.parent / "states"


def _endpoint(*, ready: bool = True, serving: bool = True, terminating: bool = False, **pod: Any) -> Json:
    return kube.endpoint(kube.pod(**pod), ready=ready, serving=serving, terminating=terminating)


_BUILDERS: dict[str, Callable[..., Any]] = {
    "answers": bundles.answers,
    "at": argo.at,
    "condition": kube.condition,
    "endpoint": _endpoint,
    "hook-result": argo.hook_result,
    "operation": argo.operation_state,
    "pod": kube.pod,
    "replica-set": kube.replica_set,
    "slice": kube.endpoint_slice,
    "sources": argo.sources,
    "template": kube.template,
}


class State(NamedTuple):
    """One state: its file's name without the suffix, the recording, and what it must come out as."""

    name: str
    raw: Json
    expected: Json


def _filled(value: Any) -> Any:
    """A value of a case with commit ids and built parts in place."""
    if isinstance(value, str):
        for name, commit in argo.COMMITS.items():
            value = value.replace(f"{{{name}}}", commit)
        return value
    if isinstance(value, list):
        return [_filled(one) for one in value]
    if not isinstance(value, dict):
        return value
    made = {key: _filled(one) for key, one in value.items()}
    if len(made) == 1 and next(iter(made)).startswith("$") and not next(iter(made)).startswith("$."):
        ((key, given),) = made.items()
        build = _BUILDERS[key.removeprefix("$")]
        return build(**given) if isinstance(given, dict) else build(given)
    return made


def _roots(moment: Json, first: str) -> list[tuple[Any, str | int]]:
    """The containers in which the first step of a path stands, with its key in each."""
    if first == "application":
        return [(moment, "application"), (moment, "application-again")]
    if first in ("first", "again"):
        return [(moment, "application" if first == "first" else "application-again")]
    kind, _, number = first.partition("#")
    places = [index for index, one in enumerate(moment["objects"]) if isinstance(one, dict) and one.get("kind") == kind]
    if kind[0].isupper():
        return [(moment["objects"], places[int(number or 0)])]
    return [(moment, first)]


def _apply(change: Json, container: Any, key: Any, steps: list[str]) -> None:
    for step in steps:
        container = container[key]
        key = int(step) if isinstance(container, list) else step.replace("~1", "/")
    if "drop" in change:
        del container[key]
    elif "set" in change:
        container[key] = _filled(change["set"])
    elif "merge" in change:
        container[key] = {**container[key], **_filled(change["merge"])}
    else:
        container[key] = [*container[key], *_filled(change["add"])]


def _patched(raw: Json, change: Json) -> None:
    first, *steps = _filled(change["at"]).split("/")
    if first == "recording":
        _apply(change, {"recording": raw}, "recording", steps)
        return
    for number in change.get("polls", range(len(raw["polls"]))):
        for container, key in _roots(raw["polls"][number], first):
            _apply(change, container, key, steps)


def build_case(case: Json) -> Json:
    """The recording of a case."""
    unknown = set(case) - {"about", "base", "patch"}
    assert not unknown, f"a case has no key {', '.join(sorted(unknown))}"
    raw = bundles.recording(**_filled(case.get("base", {})))
    for change in case.get("patch", []):
        _patched(raw, change)
    return raw


def _load(file: Path) -> Any:
    return yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)  # ten times as fast as the one in Python


def _table(folder: Path) -> dict[str, Json]:
    file = folder / "expectations.yaml"
    table: dict[str, Json] = _load(file) if file.exists() else {}
    return table or {}


@cache
def cases() -> tuple[State, ...]:
    """Every case of the table, and every file: one without the other fails here."""
    table = _table(FOLDER)
    files = {file.stem: file for file in sorted((FOLDER / "cases").glob("*.yaml"))}
    assert set(files) == set(table), f"in one place only: {sorted(set(files) ^ set(table))}"
    return tuple(State(name, build_case(_load(file)), table[name]) for name, file in files.items())


@cache
def recorded() -> tuple[State, ...]:
    """Every recording from a real cluster with its expectation; both, or it fails here."""
    folder = FOLDER / "recorded"
    table = _table(folder)
    files = {file.stem: file for file in sorted(folder.glob("*.json"))}
    assert set(files) == set(table), f"in one place only: {sorted(set(files) ^ set(table))}"
    return tuple(State(name, json.loads(file.read_text(encoding="utf-8")), table[name]) for name, file in files.items())


def every_state() -> Iterator[State]:
    """Cases and recordings."""
    yield from cases()
    yield from recorded()
