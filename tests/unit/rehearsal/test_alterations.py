"""What refuses each alteration, and that it bites: a judge that overlooks just that lets it pass, and is found out.

``expected.txt`` has a line for each: name, layer (``-``: no single one), the reason that is told, and
behind it the reasons that also stand against it. ``!``: more than one question of the judge has to be
overlooked, so that a test of its own shows it. ``expected-fields.txt`` has name, layer and reason of each
field that is missing in turn.
"""

from pathlib import Path
from unittest.mock import patch

import pytest

import gate.decide
from gate.memory import Memory
from gate.outcomes import LAYERS, Layer, VerdictWord
from gate.reasons import Reason
from gate.rehearsal.passing import generate
from gate.rehearsal.rehearse import Case, Unaltered, cases
from gate.rehearsal.results import Tried
from tests.support.rehearsing import blind_to, environment, ignoring, rehearse_settings
from tests.support.sampling import sampled


def _table(name: str) -> list[list[str]]:
    return [line.split() for line in (Path(__file__).parent / name).read_text().splitlines()]


TABLE, FIELD_TABLE = _table("expected.txt"), _table("expected-fields.txt")
SETTINGS = environment(workloads=[{"kind": "Deployment", "name": "web", "replicas": 2}])


def _unaltered() -> tuple[Unaltered, list[Case]]:
    unaltered = Unaltered(generate(SETTINGS, "staging"))
    return unaltered, list(cases(unaltered.subjects))


UNALTERED, CASES = _unaltered()


def tried(name: str) -> Tried:
    """One alteration, judged."""
    (case,) = [case for case in CASES if case.alteration.name == name]
    result = UNALTERED.try_out(case)
    assert isinstance(result, Tried), result
    return result


def test_the_table_is_whole() -> None:
    assert [case.alteration.name for case in CASES if not case.alteration.group] == [row[0] for row in TABLE]
    assert len(TABLE) > 90
    assert [case.alteration.name for case in CASES if case.alteration.group] == [row[0] for row in FIELD_TABLE]
    assert len(FIELD_TABLE) > 150


def test_every_name_says_what_it_is_in_kebab_case() -> None:
    for case in CASES:
        assert case.alteration.name.replace("-", "").isalnum()
        assert case.alteration.name == case.alteration.name.lower()
        assert "\n" not in case.alteration.about
        assert 0 < len(case.alteration.about) < 120


@pytest.mark.parametrize("row", TABLE, ids=lambda row: str(row[0]))
def test_the_layer_and_the_reason_that_refuse_it(row: list[str]) -> None:
    name, layer, reason, *_ = row
    result = tried(name)
    assert (result.failed_layer or "-", result.reason.value) == (layer, reason), result.message
    assert result.refused


@pytest.mark.parametrize("row", [row for row in TABLE if row[-1] != "!"], ids=lambda row: str(row[0]))
def test_a_judge_that_overlooks_it_is_found_out(row: list[str]) -> None:
    """And one that overlooks all but the last of the reasons is not: each of them is needed."""
    name, _, *reasons = row
    with blind_to(map(Reason, reasons)):
        result = tried(name)
    assert result.verdict is VerdictWord.PASSED, result.message
    assert not result.refused
    with blind_to(map(Reason, reasons[:-1])):
        assert tried(name).refused


FIELDS = [case for case in CASES if case.alteration.group]
TWICE = ("api-version", "kind", "metadata", "metadata-name", "metadata-namespace", "spec")
"""Without these there is no Application, which two layers say."""


FIELD_TOLD = {name: (layer, reason) for name, layer, reason in FIELD_TABLE}


@pytest.mark.parametrize("case", sampled(FIELDS, FIELDS[::8]), ids=lambda case: str(case.alteration.name))
def test_a_field_is_missed_by_the_judge_and_by_nothing_else(case: Case) -> None:
    """Overlooking the reasons for which it is refused, one after another, ends in a pass: nothing else was spoiled."""
    overlooked: list[Reason] = []
    result = UNALTERED.try_out(case)
    assert isinstance(result, Tried), result
    assert (result.failed_layer, result.reason.value) == FIELD_TOLD[case.alteration.name], result.message
    while result.refused and len(overlooked) < 8:
        assert result.failed_layer in LAYERS
        if result.reason in overlooked:
            break
        overlooked.append(result.reason)
        with blind_to(overlooked):
            again = UNALTERED.try_out(case)
        assert isinstance(again, Tried)
        result = again
    name = case.alteration.name.removeprefix("missing-application-")
    assert overlooked != []
    assert not result.refused or name in TWICE or name.startswith("spec-source"), (overlooked, result.message)


def _flagged() -> set[str]:
    return {one.name for one in rehearse_settings(SETTINGS).passing}


LAYER_OF = {row[0]: row[1] for row in TABLE}


@pytest.mark.exhaustive
@pytest.mark.parametrize("layer", LAYERS)
def test_a_judge_that_ignores_a_layer_is_found_out(layer: Layer) -> None:
    """Whatever this layer alone refuses is named."""
    with ignoring(layer):
        made = rehearse_settings(SETTINGS)
    assert not made.refuses
    flagged = {one.name for one in made.passing if one.group == one.name}
    alone = {row[0] for row in TABLE if row[1] == layer and len(row) == 3 and row[2] not in SAID_ELSEWHERE}
    assert alone <= flagged
    assert {name for name in flagged if LAYER_OF[name] not in (layer, "-")} == set()


SAID_ELSEWHERE = ("BundleMoved", "BundleNotClosed", "ServiceAbsent")
"""Asked beside the layers, and by the next layer too."""


@pytest.mark.exhaustive
def test_a_judge_that_needs_no_second_bundle_is_found_out() -> None:
    with patch.object(Memory, "settled", lambda *_: True):
        assert {"single-bundle", "second-bundle-too-soon", "broken-bundle-between"} <= _flagged()


@pytest.mark.exhaustive
def test_a_judge_that_does_not_compare_bundles_is_found_out() -> None:
    with patch.object(gate.decide, "fingerprint", lambda *_: "the same"):
        assert _flagged() == {"application-replaced-between", "workload-moved-between"}


@pytest.mark.exhaustive
def test_a_judge_that_lets_everything_pass_is_found_out_in_everything() -> None:
    with blind_to(Reason):
        flagged = _flagged()
    settling = {row[0] for row in TABLE if row[1] == "-"}
    twice = {row[0] for row in TABLE if row[-1] == "!"}
    assert flagged >= {row[0] for row in TABLE} - settling - twice
