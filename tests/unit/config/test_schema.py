"""The published JSON Schema: made from the models, complete, and of one mind with them."""

import json
from typing import Any

import click
import jsonschema
import pytest
from click.testing import CliRunner

from gate.commands import schema as command_module
from gate.commands.schema import SCHEMAS, command, read_schema
from gate.config.schema import FILE, configuration_schema, render_schema
from gate.errors import InternalError
from tests.unit.config.building import DATA, load

SCHEMA = configuration_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def _objects() -> dict[str, dict[str, Any]]:
    return {"the file": SCHEMA, **{name: one for name, one in SCHEMA["$defs"].items() if one["type"] == "object"}}


def test_the_published_file_is_made_from_the_models() -> None:
    assert read_schema("configuration") == render_schema(), (
        f"make it anew: .venv/bin/python -m gate.config.schema > gate/config/{FILE}"
    )


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert SCHEMA["title"] == "Promotion Gate configuration"


def test_every_key_has_a_title_and_says_what_it_means() -> None:
    keys = [(key, said) for one in _objects().values() for key, said in one["properties"].items()]
    assert len(keys) > 40
    for key, said in keys:
        assert said["title"] == key
        assert said["description"].endswith("."), key


def test_no_object_takes_unknown_keys_and_nothing_may_be_null() -> None:
    for name, one in _objects().items():
        assert one["additionalProperties"] is False, name
    assert '"null"' not in render_schema()
    assert "null" not in render_schema()


def test_what_the_models_read_the_schema_allows() -> None:
    VALIDATOR.validate(DATA)
    VALIDATOR.validate(load().model_dump(mode="json", by_alias=True, exclude_unset=True))
    spelled = {"selector": {"matchLabels": {"a": "b"}}, "minimum": 1}
    VALIDATOR.validate({"version": 1, "environments": {"a": {"applications": [spelled], "timeout": 900}}})


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"applications": []},
        {"applications": [{}]},
        {"applications": [{"name": "a", "minimum": 1}]},
        {"applications": [{"selector": {"match-labels": {"a": "b"}}}]},
        {"applications": [{"selector": {}, "minimum": 1}]},
        {"applications": [{"name": "a"}], "requests": []},
        {"applications": [{"name": "a"}], "timeout": "soon"},
        {"applications": [{"name": "a"}], "timeout": None},
        {"applications": [{"name": "a"}], "policy": {"allow": ["everything"]}},
        {"applications": [{"name": "a"}], "requests": [{"name": "r"}]},
        {"applications": [{"name": "a"}], "requests": [{"name": "r", "service": "web"}]},
        {"applications": [{"name": "a"}], "requests": [{"name": "r", "url": "https://a.b"}]},
        {"applications": [{"name": "a"}], "requests": [{"name": "r", "service": "a/b:c", "samples": 0}]},
        {"applications": [{"name": "a"}], "requests": [{"name": "r", "service": "a/b:c", "expect": {"json": {}}}]},
        {"applications": [{"name": "a"}], "promotes_to": "b"},
    ],
)
def test_what_an_editor_can_see_the_schema_refuses(environment: dict[str, Any]) -> None:
    assert not VALIDATOR.is_valid({"version": 1, "environments": {"staging": environment}})


def test_a_wrong_name_of_an_environment_is_refused() -> None:
    assert not VALIDATOR.is_valid({"version": 1, "environments": {"a b": DATA["environments"]["staging"]}})


def test_defaults_are_written_as_in_the_file() -> None:
    environment = SCHEMA["$defs"]["Environment"]["properties"]
    policy = SCHEMA["$defs"]["Policy"]["properties"]
    assert environment["timeout"]["default"] == "15m"
    assert policy["settle"]["default"] == "5s"
    assert policy["degraded-grace"]["default"] == "1m"


def _run(*arguments: str) -> tuple[int, str]:
    seen = CliRunner().invoke(command, arguments, standalone_mode=False)
    if isinstance(seen.exception, click.ClickException):
        return seen.exception.exit_code, seen.exception.format_message()
    return seen.return_value, seen.output


@pytest.mark.parametrize("arguments", [(), ("configuration",)])
def test_the_command_prints_it(arguments: tuple[str, ...]) -> None:
    code, output = _run(*arguments)
    assert code == 0
    assert json.loads(output) == SCHEMA


def test_the_command_names_the_schemas_it_knows() -> None:
    code, said = _run("configurations")
    assert code != 0
    assert "configuration" in said


def test_every_schema_of_the_table_is_there() -> None:
    for name in SCHEMAS:
        jsonschema.Draft202012Validator.check_schema(json.loads(read_schema(name)))


def test_a_damaged_installation_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = SCHEMAS["configuration"]._replace(file="gone.json")
    monkeypatch.setitem(command_module.SCHEMAS, "configuration", gone)
    with pytest.raises(InternalError, match=r"gone\.json is not where"):
        read_schema("configuration")
