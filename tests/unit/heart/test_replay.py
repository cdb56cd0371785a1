"""``gate replay``: what it takes, what it prints, and its exit code."""

import copy
import json
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from tests.support.bundles import NEW, NEWER, Json, both, changed, recording
from tests.support.replaying import Replay

PASSED = recording()
PENDING = recording(times=(20,))
SUPERSEDED = recording(app={"pin": NEWER})
HELD = recording(app={"pin": "main"})
FAILED = changed(recording(), lambda moment: [one.update(status=404) for one in moment["responses"]])
BROKEN: Json = {"intended": NEW}
CODES = {"passed": 0, "failed": 1, "held": 2, "superseded": 3, "pending": 4, "could-not-run": 64}
EACH = {
    "passed": PASSED,
    "failed": FAILED,
    "held": HELD,
    "superseded": SUPERSEDED,
    "pending": PENDING,
    "could-not-run": BROKEN,
}
WORST_FIRST = ("could-not-run", "failed", "held", "superseded", "pending", "passed")


@pytest.mark.parametrize("word", EACH)
def test_exit_code_and_verdict_of_one(word: str, replay: Replay) -> None:
    ran = replay(EACH[word])
    assert ran.code == CODES[word]
    (printed,) = ran.printed
    assert printed["verdict"] == word
    assert {"file", "verdict", "reason", "failed-layer", "layers", "message", "intended"} <= set(printed)
    assert printed["file"].endswith("0.yaml")
    assert [one["layer"] for one in printed["layers"]] == (
        [] if word == "could-not-run" else ["intent", "sync", "readiness", "request"]
    )


@pytest.mark.parametrize("worse", range(len(WORST_FIRST) - 1))
def test_the_worst_of_several_in_its_order(worse: int, replay: Replay) -> None:
    for better in range(worse + 1, len(WORST_FIRST)):
        words = [WORST_FIRST[better], WORST_FIRST[worse]]
        for order in (words, words[::-1]):
            ran = replay(*(EACH[word] for word in order))
            assert ran.code == CODES[WORST_FIRST[worse]]
            assert [one["verdict"] for one in ran.printed] == order


def test_several_documents_in_one_file(replay: Replay) -> None:
    ran = replay("\n---\n".join(json.dumps(one) for one in (PASSED, PENDING)) + "\n")
    assert [one["verdict"] for one in ran.printed] == ["passed", "pending"]
    assert [one["file"].rpartition("#")[2] for one in ran.printed] == ["1", "2"]
    assert ran.code == 4


def test_standard_input(replay: Replay) -> None:
    ran = replay("-", stdin=json.dumps(PASSED))
    assert (ran.code, ran.printed[0]["file"]) == (0, "-")


def test_yaml_with_times_that_are_not_quoted(replay: Replay) -> None:
    text = yaml.safe_dump(PASSED).replace("'2026-", "2026-").replace("Z'", "Z")
    assert "reconciledAt: 2026-05-04T10:00:06Z\n" in text
    assert replay(text).code == 0


def test_lists_are_unwrapped(replay: Replay) -> None:
    def wrapped(moment: Json) -> None:
        pods = [one for one in moment["objects"] if one["kind"] == "Pod"]
        bare = [{key: value for key, value in pod.items() if key not in ("kind", "apiVersion")} for pod in pods]
        rest = [one for one in moment["objects"] if one["kind"] != "Pod"]
        moment["objects"] = [
            {"apiVersion": "v1", "kind": "PodList", "items": bare},
            {"apiVersion": "v1", "kind": "List", "items": rest},
        ]

    assert replay(changed(PASSED, wrapped)).code == 0


def test_lists_of_applications_instead_of_one(replay: Replay) -> None:
    def plural(moment: Json) -> None:
        moment["applications"] = [moment.pop("application")]
        moment["applications-again"] = [moment.pop("application-again")]

    assert replay(changed(PASSED, plural)).code == 0


def test_a_single_moment_at_the_top_never_passes(replay: Replay) -> None:
    raw = {**PASSED, **PASSED["polls"][0]}
    del raw["polls"]
    ran = replay(raw)
    assert (ran.code, ran.printed[0]["reason"]) == (4, "Settling")
    ran = replay({**raw, "deadline": True})
    assert (ran.code, ran.printed[0]["timed-out"]) == (2, True)


def _without(*keys: str, moment: bool = False) -> Json:
    raw = copy.deepcopy(PASSED)
    for part in raw["polls"] if moment else [raw]:
        for key in keys:
            del part[key]
    return raw


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (_without("config"), "NoRequest"),
        (_without("config", "environment"), "NoRequest"),
        (_without("git"), "CommitUnknown"),
        (_without("application-again", moment=True), "BundleNotClosed"),
        (_without("responses", moment=True), "TooFewSamples"),
        (_without("objects", moment=True), "WorkloadAbsent"),
        (_without("application", moment=True), "ApplicationAbsent"),
    ],
)
def test_what_is_left_out_is_held(raw: Json, reason: str, replay: Replay) -> None:
    ran = replay(raw)
    assert (ran.code, ran.printed[0]["reason"]) == (2, reason)


@pytest.mark.parametrize(
    "raw",
    [
        [],
        ["text"],
        {},
        {"polls": []},
        _without("intended"),
        _without("polls"),
        {**PASSED, "polls": []},
        {**PASSED, "polls": {}},
        {**PASSED, "polls": [7]},
        {**PASSED, "polls": [{}]},
        {**PASSED, "polls": PASSED["polls"][::-1]},
        {**PASSED, "now": "2026-05-04T10:00:00Z"},
        {**PASSED, "unknown-key": 1},
        {**PASSED, "intended": NEW[:12]},
        {**PASSED, "intended": NEW.replace("2", "A")},
        {**PASSED, "intended": None},
        {**PASSED, "intended": "a" * 100_000},
        {**PASSED, "environment": "production"},
        {**PASSED, "environment": ["staging"]},
        {**PASSED, "config": []},
        {**PASSED, "config": {"version": 2, "environments": {}}},
        {**PASSED, "git": []},
        {**PASSED, "git": {"commits": {NEW: {"tree": 1}}}},
        changed(PASSED, lambda moment: moment.update(now="yesterday")),
        changed(PASSED, lambda moment: moment.update(now="2026-05-04T10:00:00")),
        changed(PASSED, lambda moment: moment.update(objects={})),
        changed(PASSED, lambda moment: moment.update(objects=[None])),
        changed(PASSED, lambda moment: moment.update(applications=[])),
        changed(PASSED, lambda moment: moment.update(surprise=True)),
        {"schema": "promotion-gate/evidence/v1", "verdict": {}},
    ],
)
def test_what_cannot_be_judged_is_said_and_not_a_crash(raw: Any, replay: Replay) -> None:
    ran = replay(raw if isinstance(raw, dict) else json.dumps(raw) + "\n")
    assert (ran.code, ran.printed[0]["verdict"]) == (64, "could-not-run")
    assert 10 < len(ran.printed[0]["message"]) < 2000


@pytest.mark.parametrize(
    "text",
    [
        "{\n",
        "a: [1\n",
        "a: &a [*a]\nb\n",
        "!!python/object/apply:os.system ['true']\n",
        "? [1, 2]\n: 3\n",
        "a: .nan\n",
        "1: 2\n",
        "[" * 5000 + "\n",
        '{"a":' * 5000 + "\n",
        "a: !!binary aGk=\n",
        "\x00\n",
    ],
)
def test_text_that_is_neither_yaml_nor_json(text: str, replay: Replay) -> None:
    ran = replay(text)
    assert (ran.code, ran.printed[0]["verdict"]) == (64, "could-not-run")


def test_files_that_cannot_be_read(tmp_path: Path, replay: Replay) -> None:
    (tmp_path / "latin").write_bytes(b"\xff\xfe\xfa")
    for path in (tmp_path / "nowhere", tmp_path, tmp_path / "latin"):
        ran = replay(str(path))
        assert (ran.code, ran.printed[0]["verdict"]) == (64, "could-not-run")


def test_files_without_a_document_are_refused(replay: Replay) -> None:
    ran = replay("\n")
    assert (ran.code, ran.printed[0]["verdict"]) == (64, "could-not-run")
    assert "holds no document" in ran.printed[0]["message"]
    with pytest.raises(click.UsageError):
        replay()


def test_hostile_text_is_printed_harmless(replay: Replay) -> None:
    def hostile(moment: Json) -> None:
        for app in both(moment):
            app["spec"]["source"]["targetRevision"] = "x\u001b[31m\n::error::y##[z\u202e"

    ran = replay(changed(PASSED, hostile), PASSED)
    assert ran.printed[0]["verdict"] == "held"
    assert not any(letter in json.dumps(ran.printed, ensure_ascii=False) for letter in "\u001b\u202e")


@pytest.mark.parametrize("empty", ["\n", "---\n---\n", "# nothing\n", "null\n"])
def test_an_empty_file_beside_one_that_passes_is_not_passed_over(empty: str, replay: Replay) -> None:
    """What was to be judged and is not there blocks."""
    ran = replay(recording(), empty)
    assert ran.code == 64
    assert [one["verdict"] for one in ran.printed] == ["passed", "could-not-run"]
    assert "holds no document" in ran.printed[1]["message"]
