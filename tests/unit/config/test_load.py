"""Loading: every problem with file, line, key path and the nearest key, never a value, never a traceback."""

import copy
import json
from datetime import timedelta
from pathlib import Path

import pytest

from gate.config.load import (
    choose_environment,
    decode_configuration,
    named_environment,
    parse_configuration,
    read_configuration,
    with_timeout,
)
from gate.errors import ConfigurationError, ExitCode, UsageError
from tests.unit.config.building import DATA, TEXT, WHERE, changed, load, refused, staging


def test_yaml_json_and_parsed_data_are_read_alike() -> None:
    parsed = parse_configuration(DATA, WHERE)
    assert load(json.dumps(DATA)) == parsed
    assert load(json.dumps(DATA, indent="\t")) == parsed
    assert load("\ufeff" + json.dumps(DATA)) == parsed


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "samples: 5",
            "sampels: 5",
            "line LINE, environments.staging.requests[0].sampels: unknown key; did you mean samples?",
        ),
        ("timeout: 15m", "timeout: soon", "line LINE, environments.staging.timeout: not a duration"),
        ("degraded-grace", "degraded_grace", "line LINE, environments.staging.policy.degraded_grace: unknown key"),
        ("degraded-grace", "degradedGrace", "did you mean degraded-grace?"),
        ("  production:", "  Production:", "promotes-to: no such environment; did you mean Production?"),
        (
            "promotes-to: production",
            "promotes-to: staging",
            "line 4, environments.staging.promotes-to: goes in a circle",
        ),
        ("version: 1\n", "version: 1\nfoo: 1\n", "line 2, foo: unknown key; known here: version, environments"),
        ("minimum: 3", "minimum:", "line 10, environments.staging.applications[1].minimum: nothing stands behind"),
        ("timeout: 15m", "timeout: ~", "line LINE, environments.staging.timeout: nothing stands behind this key"),
        ('"{label:app', '"{lable:app', 'line LINE, environments.staging.requests[0].expect.json["$.release"]: unknown'),
        ("$.release:", "$.re lease:", 'line LINE, environments.staging.requests[0].expect.json["$.re lease"]: not a'),
        ("[refresh]", "[refersh]", "line LINE, environments.staging.policy.allow[0]: expected 'answers"),
        ("name: as-a-user", "name: version", "line LINE, environments.staging.requests[1]: the same as number 1"),
        ("      - name: version\n        service", "      - service", "requests[0].name: required, and not given"),
        ("name: web, ", "name: web, name: web, ", "line 12: a key stands twice in one mapping"),
        ("    policy:", "\tpolicy:", "line LINE: not YAML: a tab"),
        ("cluster: {context: staging}", "cluster: staging", "environments.staging.cluster: expected a mapping of keys"),
        ("url: https://", "url: https://u:hunter2@", "credentials do not belong in a URL"),
    ],
)
def test_a_problem_names_file_line_key_and_what_to_do(old: str, new: str, said: str) -> None:
    text = refused(changed(old, new))
    line = TEXT[: TEXT.index(old)].count("\n") + 1
    assert said.replace("LINE", str(line)) in text
    assert text.startswith(f"{WHERE} cannot be used: ")
    assert f"  {WHERE}, line " in text
    assert "What to change:" in text
    assert "hunter2" not in text


def test_several_problems_are_listed_by_line() -> None:
    text = (
        changed("samples: 5", "sampels: 5").replace("timeout: 15m", "timeout: soon").replace("minimum: 3", "minimum: 0")
    )
    lines = refused(text).splitlines()
    assert lines[0] == f"{WHERE} cannot be used: 3 problems."
    assert [line.split(",")[1] for line in lines[1:4]] == [" line 10", " line 20", " line 26"]


def test_at_most_ten_problems_are_listed() -> None:
    lines = refused(TEXT + "".join(f"key{n}: 1\n" for n in range(12))).splitlines()
    assert lines[0] == f"{WHERE} cannot be used: 12 problems."
    assert len([line for line in lines if "unknown key" in line]) == 10
    assert "  and 2 more" in lines


def test_a_place_inside_an_alias_has_the_line_of_its_use() -> None:
    text = "version: 1\nenvironments:\n  a: &a\n    applications: [{name: x}]\n    timeout: 1s\n  b: *a\n"
    said = refused(text)
    assert "line 5, environments.a.timeout: must be at least 2s" in said
    assert "line 6, environments.b.timeout: must be at least 2s" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("   \n", "is empty"),
        ("# only a comment\n", "is empty"),
        ("---\n", "is empty"),
        ("{}", "is empty"),
        ("''", "is empty"),
        ("- a", "holds a list; expected a mapping of keys"),
        ("[]", "holds a list"),
        ("hello", "holds a single value"),
        ("0", "holds a single value"),
        ("false", "holds a single value"),
        ("environments: {}", "version: required, and not given; write version: 1"),
        ("version:\n", "line 1, version: expected the number 1"),
        ("version: '1'", "line 1, version: expected the number 1, without quotes"),
        ("version: true", "expected the number 1"),
        ("version: 1.0", "expected the number 1"),
        ("version: 2\nnew-key: 1", "line 1: version 2 of the format is not known here"),
        ("version: 0", "version 0 of the format"),
        (f"version: {10**25}", "another version of the format"),
        ("version: 1", "environments: required, and not given"),
        ("version: 1\nenvironments: {}", "environments: must not be empty"),
        ("version: 1\nenvironments: []", "expected a mapping of keys, found a list"),
        ("version: 1\nenvironments: {staging: }", "environments.staging: nothing stands behind this key"),
        ("version: 1\nenvironments: {staging: {}}", "environments.staging.applications: required, and not given"),
        ("version: 1\nenvironments: {'a b': {applications: [{name: x}]}}", 'environments["a b"]: expected a name'),
        ("version: 1\n---\nversion: 1", "a second document"),
    ],
)
def test_what_is_no_configuration(text: str, said: str) -> None:
    assert said in refused(text)


def test_a_newer_version_is_named_before_its_unknown_keys() -> None:
    said = refused("version: 2\nnew-key: 1")
    assert "a newer Promotion Gate" in said
    assert "new-key" not in said


@pytest.mark.parametrize(
    "data", [None, {}, [], "x", 1, {1: 2}, {"version": 1, 1: 2}, {"version": 1, "environments": {1: {}}}]
)
def test_parsed_data_of_any_kind_is_refused_in_words(data: object) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_configuration(data, WHERE)
    assert caught.value.happened.startswith(WHERE)
    assert caught.value.exit_code is ExitCode.COULD_NOT_RUN
    assert caught.value.reason == "BadConfiguration"


def test_parsed_data_is_left_as_it_was() -> None:
    before = copy.deepcopy(DATA)
    parse_configuration(DATA, WHERE)
    assert before == DATA


def test_long_and_unprintable_keys_are_cut_and_made_printable() -> None:
    said = refused(f'version: 1\nenvironments: {{}}\n"{"k" * 500}": 1\n"a\\e[31m\\n::error::b": 1\n')
    assert "k" * 61 not in said
    assert "\x1b" not in said
    assert len(said.splitlines()) == 6


def test_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "promotion-gate.yaml"
    file.write_text(TEXT, encoding="utf-8")
    assert read_configuration(file) == load()
    file.write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    assert read_configuration(file) == load()


def test_what_is_no_file_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="does not exist"):
        read_configuration(tmp_path / "absent.yaml")
    with pytest.raises(ConfigurationError, match="is a directory"):
        read_configuration(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match="cannot be read: Not a directory"):
        read_configuration(tmp_path / "file" / "x")
    with pytest.raises(ConfigurationError, match="no file name has"):
        read_configuration(Path("a\0b"))
    with pytest.raises(ConfigurationError, match="is empty"):
        read_configuration(tmp_path / "file")


def test_bytes_that_are_no_text_are_refused_in_words() -> None:
    with pytest.raises(ConfigurationError, match="is not UTF-8 text: byte 3 cannot be read"):
        decode_configuration(b"a:\xff", WHERE)
    with pytest.raises(ConfigurationError, match="is not UTF-8 text"):
        decode_configuration(TEXT.encode("utf-16"), WHERE)
    with pytest.raises(ConfigurationError, match="larger than 1024 KiB"):
        decode_configuration(b"#" * (1024 * 1024 + 1), WHERE)
    assert decode_configuration(TEXT.encode(), WHERE) == TEXT


def test_an_environment_is_chosen_by_its_name() -> None:
    assert choose_environment(load(), "production") == load().environments["production"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("stagign", "did you mean staging?"),
        ("Staging", "did you mean staging?"),
        ("", "''."),
        ("xyz\n::", "no environment"),
    ],
)
def test_an_unknown_environment_suggests_the_nearest_and_names_all(name: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        choose_environment(load(), name)
    assert said in caught.value.happened
    assert "\n" not in caught.value.happened
    assert caught.value.change == "name one of: staging, production."
    assert caught.value.exit_code is ExitCode.COULD_NOT_RUN


def test_one_environment_need_not_be_named() -> None:
    one = load(json.dumps(DATA))
    assert named_environment(one, None) == ("staging", one.environments["staging"])
    several = load()
    assert named_environment(several, "production") == ("production", several.environments["production"])
    with pytest.raises(UsageError, match="several environments") as caught:
        named_environment(several, None)
    assert "staging, production" in caught.value.change
    with pytest.raises(UsageError, match="did you mean staging"):
        named_environment(several, "stagin")


def test_another_timeout_must_let_something_pass() -> None:
    environment = staging(policy={"settle": "10s"})
    assert with_timeout(environment, None) is environment
    assert with_timeout(environment, timedelta(seconds=11)).timeout == timedelta(seconds=11)
    with pytest.raises(UsageError, match=r"The timeout 10s is not longer than policy\.settle, 10s"):
        with_timeout(environment, timedelta(seconds=10))
