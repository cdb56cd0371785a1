"""One field of a real evidence file after the other, changed, taken away or made null: refused.

With the digest as it was whatever it is; with the digest made anew wherever the verdict no longer follows.
"""

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from typing import Any

import pytest

from gate.errors import UsageError
from gate.evidence.record import EvidenceRefused, parse_evidence
from gate.evidence.redecide import check_verdict
from tests.conftest import ROOT
from tests.support.bundles import recording
from tests.support.descriptive import DESCRIPTIVE, PATTERNS, is_descriptive, steps_of
from tests.support.kept import evidence, made_of, signed_anew, written
from tests.support.mutations import DELETED, Path, copy_of, put, walk
from tests.support.sampling import sampled
from tests.support.states import recorded
from tests.support.unread import matches

PARTS = 16
REAL = ("story-recreate-recovered", "multi-source")


@cache
def real(name: str) -> Any:
    """The evidence file of a recording from the real cluster."""
    (state,) = (one for one in recorded() if one.name == name)
    return written(made_of(state.raw).evidence)


def _changed(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if value is None:
        return "tampered"
    later = value[:17].count(":") == 2 and value.endswith("Z")
    return value.replace(value[17:19], "59" if value[17:19] != "59" else "58") if later else f"{value}x"


def _leaves(raw: Any) -> Iterator[tuple[Path, Any]]:
    return ((path, value) for path, value in walk(raw) if not isinstance(value, dict | list) or len(value) == 0)


def tampered(raw: Any, part: int) -> Iterator[tuple[Path, str, Any]]:
    """The file with one leaf of this part changed, removed, or made null."""
    for path, value in itertools.islice(_leaves(raw), part, None, PARTS):
        for how, new in (("changed", _changed(value or None)), ("removed", DELETED), ("null", None)):
            if path == ("digest",) or (how == "null" and value is None):
                continue
            made = copy_of(raw)
            put(made, path, new)
            yield path, how, made


def holds(raw: Any) -> bool:
    """Whether a file is verified."""
    try:
        check_verdict(parse_evidence(raw))
    except UsageError:
        return False
    return True


@pytest.mark.parametrize("name", REAL)
def test_the_file_itself_holds(name: str) -> None:
    assert holds(real(name))
    assert holds(signed_anew(real(name)))


@pytest.mark.parametrize("part", sampled(range(PARTS), [0]))
def test_no_leaf_may_change_while_the_digest_stays(part: int) -> None:
    raw = real(REAL[0])
    assert [(path, how) for path, how, made in tampered(raw, part) if holds(made)] == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("part", range(PARTS))
def test_with_a_new_digest_only_what_the_verdict_does_not_follow_from_may_change(name: str, part: int) -> None:
    raw = real(name)
    passed = {steps_of(path, raw) for path, _, made in tampered(raw, part) if holds(signed_anew(made))}
    assert sorted(steps for steps in passed if not is_descriptive(steps)) == []


def test_every_pattern_of_what_is_descriptive_covers_something() -> None:
    steps = [steps_of(path, raw) for raw in map(real, REAL) for path, _ in _leaves(raw)]
    assert [pattern for pattern in PATTERNS if not any(matches(pattern, one) for one in steps)] == []


def test_the_page_about_evidence_names_what_is_descriptive() -> None:
    page = " ".join((ROOT / "docs/evidence.md").read_text(encoding="utf-8").split())
    assert [reason for reason in DESCRIPTIVE if reason not in page] == []


SETTINGS: list[tuple[Path, Any]] = [
    (("asked", "settings", "policy"), {"allow": ["answers-without-identity"]}),
    (("asked", "settings", "requests"), []),
    (("asked", "settings-digest"), f"sha256:{'1' * 64}"),
]


@pytest.mark.parametrize(("path", "value"), SETTINGS)
def test_settings_that_are_not_those_of_their_digest_are_refused(path: Path, value: Any) -> None:
    made = copy_of(real(REAL[0]))
    put(made, path, value)
    assert not holds(signed_anew(made))


def test_a_pass_cannot_be_made_of_a_failure() -> None:
    (state,) = (one for one in recorded() if one.name == "story-recreate-broken")
    raw, good = written(made_of(state.raw).evidence), real(REAL[0])
    for key in ("verdict", "polls", "objects"):
        made = copy_of(raw)
        made[key] = good[key]
        assert not holds(signed_anew(made))
    for layer in raw["verdict"]["layers"]:
        layer.update(outcome="passed", reason="ReplicasReady", bad=False)
    raw["verdict"].update({"verdict": "passed", "reason": "AllLayersAgree", "failed-layer": ""})
    assert not holds(signed_anew(raw))


def test_a_look_too_many_or_too_few_is_refused() -> None:
    raw = real(REAL[0])
    assert len(raw["polls"]) == 2
    for polls in (raw["polls"][:1], raw["polls"][1:], [*raw["polls"], raw["polls"][-1]], raw["polls"][::-1], []):
        assert not holds(signed_anew({**raw, "polls": polls}))


def _moved(raw: Any, zone: timezone | None) -> Any:
    """The file with every time that the gate wrote down said in another zone, or in none."""

    def said(text: str) -> str:
        return datetime.fromisoformat(text).astimezone(zone or UTC).replace(tzinfo=zone).isoformat()

    def moved(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: moved(one) for key, one in value.items()}
        if isinstance(value, list):
            return [moved(one) for one in value]
        return said(value) if isinstance(value, str) and value[10:11] == "T" and value.endswith("Z") else value

    kept = {key: raw[key] for key in ("objects",)}
    return {**moved({key: value for key, value in raw.items() if key not in kept}), **kept}


@pytest.mark.parametrize("zone", [timezone(timedelta(hours=14)), timezone(-timedelta(hours=12)), None])
def test_times_are_in_utc(zone: timezone | None) -> None:
    """The same moment in another zone reads as if it were half a day younger; the digest fits."""
    raw = real(REAL[0])
    with pytest.raises(EvidenceRefused):
        parse_evidence(signed_anew(_moved(raw, zone)))
    later = _moved({"objects": [], "recorded-at": raw["recorded-at"]}, zone)["recorded-at"]
    with pytest.raises(EvidenceRefused, match="not in UTC"):
        parse_evidence(signed_anew({**raw, "recorded-at": later}))


@pytest.mark.parametrize("version", ["v1", "v3", "v2.1"])
def test_another_version_of_the_schema_is_named_whatever_stands_in_it(version: str) -> None:
    raw = {**real(REAL[0]), "schema": f"promotion-gate/evidence/{version}", "more": {}}
    with pytest.raises(EvidenceRefused, match=f"evidence/{version}; this version of the gate reads") as refused:
        parse_evidence(signed_anew(raw))
    assert "run.versions.gate" in refused.value.diagnostics()


@pytest.mark.parametrize(
    ("committed", "kept"), [("2026-05-04T23:00:00+14:00", "2026-05-04T09:00:00Z"), ("9999-12-31T23:59:59-14:00", None)]
)
def test_the_time_of_a_commit_is_kept_in_utc(committed: str, kept: str | None) -> None:
    """Git keeps the zone of whoever made it; one at the end of time has none."""
    raw = recording()
    raw["git"]["commits"][raw["intended"]]["committed-at"] = committed
    commit = written(evidence(raw))["polls"][0]["git"]["commits"][raw["intended"]]
    assert commit["committed-at"] == kept
