"""Whatever a pass rests on: take it away, spoil it, and nothing passes. Every path, one at a time, and many pairs.

What a pass does not rest on stands in ``tests/support/unread.py``; everything else must break it.
"""

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from gate.errors import UsageError
from gate.outcomes import VerdictWord
from tests.support.bundles import NEW, PASSING, Json, judge, recording
from tests.support.mutations import Path, copy_of, mutations, put, walk
from tests.support.prepared import Prepared, Spoiling
from tests.support.sampling import sampled
from tests.support.states import recorded
from tests.support.unread import PATTERNS, is_unread, matches, shape

PARTS = 16
SAMPLE = (0,)
PAIRS = 5_000

BUILT = {name: recording(**parts) for name, parts in PASSING.items()}


def _plain(poll: Json) -> Json:
    """A moment of one Application with the singular keys, and without what never counts."""
    made = dict(poll)
    for many, one in (("applications", "application"), ("applications-again", "application-again")):
        if many in made:
            (made[one],) = made.pop(many)
    return made


def _single(raw: Json) -> bool:
    return all(len(poll.get("applications", [None])) == 1 for poll in raw["polls"])


REAL = {
    state.name: {**state.raw, "polls": [_plain(poll) for poll in state.raw["polls"]]}
    for state in recorded()
    if state.expected["verdict"] == "passed" and _single(state.raw)
}


@cache
def prepared(name: str) -> Prepared:
    """A recording by name, built or real."""
    return Prepared(BUILT[name] if name in BUILT else REAL[name])


def passes(raw: Json) -> bool:
    """Whether a recording passes; one that cannot be judged does not, and says so properly."""
    try:
        return judge(raw).word is VerdictWord.PASSED
    except (UsageError, ValueError):
        return False


def ways(path: Path, value: Any) -> Iterator[tuple[str, Spoiling]]:
    """Each way to spoil one path of a moment. One of an Application is spoiled in either read, and in both."""
    for how, new in mutations(value):
        yield how, ((path, new),)
        if path[0] == "application" and len(path) > 1:
            yield f"{how} in both reads", ((path, new), (("application-again", *path[1:]), new))


def survivors(name: str, part: int, parts: int) -> Iterator[str]:
    """The spoiled recordings that pass although a pass must rest on what was spoiled."""
    one = prepared(name)
    last = one.raw["polls"][-1]
    for number, (path, value) in enumerate(walk(last)):
        if number % parts != part or _is_event(path, last) or is_unread(shape(path, last)):
            continue
        for how, spoil in ways(path, value):
            for everywhere in (False, True):
                if one.passes_with(spoil, everywhere=everywhere):
                    yield f"{' '.join(shape(path, last))}: {how}, {'everywhere' if everywhere else 'at the end'}"


def _is_event(path: Path, moment: Json) -> bool:
    return path[0] == "objects" and len(path) > 1 and moment["objects"][path[1]].get("kind") == "Event"


@pytest.mark.parametrize("part", sampled(range(PARTS), SAMPLE))
@pytest.mark.parametrize("name", BUILT)
def test_everything_a_pass_rests_on_breaks_it(name: str, part: int) -> None:
    assert passes(BUILT[name])
    assert list(survivors(name, part, PARTS)) == []


ASKED_BUT_NOT_EVIDENCE = (
    "environment",  # the only one in the configuration
    "config environments staging policy",  # each has a default, which is stricter or the same
    "config environments staging policy settle",
    "config environments staging policy degraded-grace",
    "config environments staging applications 0 source",
    "config environments staging requests 0 expect status",  # 200
    "config environments staging requests 0 path",  # /
    "config environments staging requests 0 samples",  # fewer than there are
    "git refs",
    "git refs refs/heads/main",
)


@pytest.mark.parametrize("name", BUILT)
def test_what_was_asked_and_the_intended_commit_break_it(name: str) -> None:
    raw = BUILT[name]
    asked = {key: raw[key] for key in ("intended", "environment", "config")}
    asked["git"] = {"commits": {NEW: raw["git"]["commits"][NEW]}, "refs": raw["git"]["refs"]}
    assert passes({**raw, **asked})
    found = set()
    for path, value in walk(asked):
        for how, new in mutations(value):
            made = copy_of({**raw, **asked})
            put(made, path, new)
            if passes(made):
                found.add((" ".join(map(str, path)), how))
    commit = f"git commits {NEW}"
    root = {(f"{commit} message", "empty"), (f"{commit} parents", "empty"), (f"{commit} parents 0", "deleted")}
    assert {(path, how) for path, how in found if path not in ASKED_BUT_NOT_EVIDENCE} == root  # a first commit is one


@cache
def _shapes() -> list[tuple[str, Path]]:
    """One place for every shape of path in the recordings from the cluster that pass."""
    found: dict[tuple[str, ...], tuple[str, Path]] = {}
    for name, raw in REAL.items():
        last = raw["polls"][-1]
        for path, _ in walk(last):
            if not _is_event(path, last) and not is_unread(shape(path, last)):
                found.setdefault((str(path[0]), *shape(path, last)), (name, path))
    return sorted(found.values(), key=str)


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(PARTS))
def test_everything_the_real_passes_rest_on_breaks_them(part: int) -> None:
    """Every shape of path once, in both moments: what has another shape than in the built recordings counts too."""
    found = []
    for name, path in _shapes()[part::PARTS]:
        one = prepared(name)
        for how, spoil in ways(path, value_at(one.raw["polls"][-1], path)):
            if _passes_anyway(one, spoil):
                found.append((name, path, how))
    assert found == []


def value_at(document: Any, path: Path) -> Any:
    """What stands at a path."""
    for step in path:
        document = document[step]
    return document


def _passes_anyway(one: Prepared, spoil: Spoiling) -> bool:
    """Everywhere; not where an earlier moment has not got this path."""
    try:
        return one.passes_with(spoil, everywhere=True)
    except (LookupError, TypeError):
        return False


@pytest.mark.parametrize("name", REAL)
def test_real_recordings_pass_as_they_are(name: str) -> None:
    assert passes(REAL[name])


def _pair(choose: random.Random, places: list[tuple[Path, Any]]) -> Spoiling:
    first, second = choose.sample(places, 2)
    return (
        (first[0], choose.choice(list(mutations(first[1])))[1]),
        (second[0], choose.choice(list(mutations(second[1])))[1]),
    )


def _of_one_template(pair: Spoiling) -> bool:
    """The same change to the Deployment's and the ReplicaSet's template makes another sound release."""
    first, second = (path[path.index("template") :] if "template" in path else path for path, _ in pair)
    return first == second


@pytest.mark.parametrize("part", sampled(range(PARTS), SAMPLE))
def test_pairs_break_it_too(part: int) -> None:
    """One fault must not hide another: 5,000 pairs by a fixed seed, each in one moment or in both."""
    choose = random.Random(f"pairs {part}")  # noqa: S311  # a fixed seed is the point
    found, judged = [], 0
    places = {
        name: [place for place in walk(raw["polls"][-1]) if not is_unread(shape(place[0], raw["polls"][-1]))]
        for name, raw in BUILT.items()
    }
    while judged < PAIRS // PARTS:
        name = choose.choice(list(BUILT))
        everywhere = choose.choice((False, True))
        pair = _pair(choose, places[name])
        if _of_one_template(pair):
            continue
        try:
            passed = prepared(name).passes_with(pair, everywhere=everywhere)
        except (LookupError, TypeError):
            continue  # the first one took the second one's place away
        judged += 1
        if passed:
            found.append((name, everywhere, pair))
    assert found == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pass_really_lives_without_what_is_said_to_be_unread(pattern: str) -> None:
    """A pattern that covers nothing that a pass lives without would be a hole for nothing."""
    for name in (*BUILT, *REAL):
        last = prepared(name).raw["polls"][-1]
        for path, value in walk(last):
            if path[0] != "application-again" and matches(pattern, shape(path, last)):
                for _, spoil in list(ways(path, value))[::-1]:
                    if _passes_anyway(prepared(name), spoil):
                        return
    pytest.fail(f"nothing passes without {pattern}")
