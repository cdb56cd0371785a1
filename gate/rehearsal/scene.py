"""A copy of passing evidence that may be altered in place, and ways to find what to alter in it. Pure."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from gate.facts.bundle import Asked
from gate.facts.endpoints import SERVICE_NAME
from gate.facts.release import Release
from gate.rehearsal.subjects import Place, Subjects

Json = dict[str, Any]
Subject_contra = TypeVar("Subject_contra", contravariant=True)


class DoesNotApply(Exception):
    """The configuration or the evidence has nothing of the kind that is to be altered; the text says what."""


class CannotTry(Exception):
    """It should be altered and cannot be; the text says why. ``change``: what to do so that it can."""

    def __init__(self, why: str, change: str) -> None:
        super().__init__(why)
        self.change = change


@dataclass(frozen=True)
class Alteration(Generic[Subject_contra]):
    """One thing that must not pass: ``name`` in kebab-case, ``about`` in one line, ``change`` does it to one subject.

    ``group`` is the name under which a table has one line for several. ``settling``: every bundle passes for
    itself, and what refuses is that no second one agrees in time; all else has to be refused by a layer.
    """

    name: str
    about: str
    change: Callable[["Scene", Subject_contra], None]
    group: str = ""
    settling: bool = False


@dataclass
class Scene:
    """Moments and Git's answers as JSON, to be changed in place. ``subjects`` is what they are about.

    ``accepts_both``: the answer that stands there now satisfies what is expected of either release, so that it may be
    the very one that was there before.
    """

    asked: Asked
    git: Json
    moments: list[Json]
    subjects: Subjects
    accepts_both: bool = False

    def applications(self, place: Place, *, again: bool | None = None) -> Iterator[Json]:
        """The Application in every moment: both reads, or only the first or the second."""
        keys = {None: ("applications", "applications-again"), False: ("applications",), True: ("applications-again",)}
        for moment in self.moments:
            for key in keys[again]:
                yield from (one for one in moment[key] or () if place_of(one) == place)

    def objects(self, kind: str, place: Place) -> Iterator[Json]:
        """The object in every moment, in the first read and, where there is one, in the second."""
        for moment in self.moments:
            for key in ("objects", "objects-again"):
                yield from (one for one in moment[key] or () if one.get("kind") == kind and place_of(one) == place)

    def pods(self, release: Release, number: int) -> Iterator[Json]:
        """The current Pod of this number in every moment that has it."""
        metadata = release.current[number].metadata
        yield from self.objects("Pod", (metadata.namespace or "", metadata.name or ""))

    def slices(self, place: Place) -> Iterator[Json]:
        """Every EndpointSlice of a Service, in every moment."""
        for moment in self.moments:
            for one in moment["objects"]:
                labels = (one.get("metadata") or {}).get("labels") or {}
                if one.get("kind") == "EndpointSlice" and place_of(one)[0] == place[0]:
                    yield from [one] if labels.get(SERVICE_NAME) == place[1] else []

    def answers(self, name: str) -> Iterator[Json]:
        """Every sample of a request, in every moment."""
        for moment in self.moments:
            yield from (one for one in moment["responses"] if one["request"] == name)

    def remove(self, kind: str, namespace: str, name: str | None = None) -> None:
        """Take objects out of every moment: one, or all of a kind in a namespace."""
        for moment in self.moments:
            for key in ("objects", "objects-again"):
                if moment[key] is not None:
                    moment[key] = [one for one in moment[key] if not _is(one, kind, namespace, name)]

    def refuse(self, what: str, error: str, status: int | None = None) -> None:
        """Note a failed read in every moment."""
        for moment in self.moments:
            moment["unreadable"].append({"what": what, "error": error, "status": status})

    def add(self, number: int, made: Json) -> None:
        """Put one more object into one moment."""
        self.moments[number]["objects"].append(copy.deepcopy(made))


def _is(one: Json, kind: str, namespace: str, name: str | None) -> bool:
    place = place_of(one)
    return one.get("kind") == kind and place[0] == namespace and name in (None, place[1])


def place_of(one: Json) -> Place:
    """Where an object says it is."""
    metadata = one.get("metadata") or {}
    return str(metadata.get("namespace")), str(metadata.get("name"))


def managed_deployments(status: Json) -> list[Json]:
    """The Deployments that a status of an Application lists, without those that wait to be pruned."""
    entries = status["resources"]
    return [one for one in entries if one.get("kind") == "Deployment" and one.get("requiresPruning") is not True]


def time_of(text: Any) -> datetime:
    """A time as the APIs or a recording write it."""
    return datetime.fromisoformat(str(text))
