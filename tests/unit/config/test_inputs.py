"""The inputs of the action: read once, empty means not given, and nothing secret is ever shown."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from gate.config.inputs import NAMES, Inputs, Mode, make_inputs, parse_inputs
from gate.errors import ExitCode, UsageError
from tests.unit.config.building import attempt

SECRET = "ghs_16C7e42F292c6912E7710c838347Ae178B4a"


def _environ(**values: str) -> dict[str, str]:
    """As the runner does: every input there, upper case, hyphens kept, empty where not set."""
    given_values = {name.replace("_", "-"): value for name, value in values.items()}
    assert set(given_values) <= set(NAMES)
    return {f"INPUT_{name.upper()}": given_values.get(name, "") for name in NAMES}


def _refused(environ: dict[str, str]) -> UsageError:
    with pytest.raises(UsageError) as caught:
        parse_inputs(environ)
    assert caught.value.exit_code is ExitCode.COULD_NOT_RUN
    assert caught.value.reason == "BadInput"
    return caught.value


def test_empty_means_not_given() -> None:
    assert parse_inputs(_environ(environment="staging")) == Inputs(environment="staging")
    assert parse_inputs({"INPUT_ENVIRONMENT": "staging"}) == Inputs(environment="staging")
    blank = dict.fromkeys(_environ(), "  \n") | {"INPUT_ENVIRONMENT": " staging\n"}
    assert parse_inputs(blank) == Inputs(environment="staging")


def test_what_is_not_given_has_its_default() -> None:
    made = parse_inputs(_environ(environment="staging"))
    assert made.mode is Mode.CHECK
    assert made.config == "promotion-gate.yaml"
    assert made.publish
    assert made.comment
    rest = (made.revision, made.github_token, made.kubeconfig, made.context, made.server, made.server_token)
    assert (*rest, made.server_ca, made.timeout) == (None,) * 8
    assert made.warnings == ()


def test_every_input_is_read() -> None:
    one_line = {"mode": "check", "environment": "staging", "config": "gates/one.yaml", "revision": "v1.2"}
    rest = {"kubeconfig": "/kube/config", "timeout": "20m", "publish": "false", "comment": "false", "context": "hub"}
    made = parse_inputs(_environ(github_token=SECRET, **one_line, **rest))
    assert (made.config, made.revision, made.context) == ("gates/one.yaml", "v1.2", "hub")
    assert made.timeout == timedelta(minutes=20)
    assert not made.publish
    assert not made.comment
    assert made.github_token is not None
    assert made.github_token.get_secret_value() == SECRET
    assert made.kubeconfig is not None
    assert made.kubeconfig.get_secret_value() == "/kube/config"
    server = parse_inputs(
        _environ(environment="staging", server="https://api.example.org:6443/", server_token=SECRET, server_ca="ca.pem")
    )
    assert server.server == "https://api.example.org:6443"
    assert server.server_ca == "ca.pem"


def test_content_of_several_lines_is_left_as_it_is() -> None:
    content = "  apiVersion: v1\n  kind: Config\n"
    made = parse_inputs(_environ(environment="a", kubeconfig=content))
    assert made.kubeconfig is not None
    assert made.kubeconfig.get_secret_value() == content


def test_secrets_never_show() -> None:
    made = parse_inputs(_environ(environment="a", github_token=SECRET, kubeconfig=f"token: {SECRET}\nx: y"))
    more = parse_inputs(_environ(environment="a", server="https://a", server_token=SECRET, server_ca=f"{SECRET}\n"))
    for shown in (repr(made), str(made), repr(more), f"{more}", made.model_dump_json(), str(made.model_dump())):
        assert SECRET not in shown


@pytest.mark.parametrize(
    "name",
    ["environment", "config", "revision", "github_token", "server", "timeout", "publish", "comment", "mode", "context"],
)
def test_a_secret_in_the_wrong_place_is_not_repeated(name: str) -> None:
    error = _refused(_environ(**{"environment": "a", name: f"\x1b {SECRET} {SECRET}"}))
    assert name.replace("_", "-") in error.happened
    assert SECRET not in error.diagnostics()


def test_inputs_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        parse_inputs(_environ(environment="a")).environment = "b"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "environment: required, and not given"),
        ({"environment": "a b"}, "environment: expected a name"),
        ({"environment": "a", "mode": "Check"}, "mode: expected check, bump, recheck or approve"),
        ({"environment": "a", "mode": "pump"}, "mode: expected check, bump, recheck or approve; did you mean bump?"),
        ({"environment": "a", "evidence": "evidence"}, "evidence: goes with mode: approve"),
        ({"environment": "a", "mode": "approve", "dry_run": "true"}, "dry-run: goes with mode: bump"),
        ({"environment": "a", "dry_run": "true"}, "dry-run: goes with mode: bump"),
        ({"environment": "a", "check": "false"}, "check: goes with mode: bump"),
        ({"environment": "a", "allow_older": "true"}, "allow-older: goes with mode: bump"),
        ({"environment": "a", "application": "shop"}, "application: goes with mode: bump"),
        ({"environment": "a", "mode": "bump", "application": "Shop"}, "application: expected a Kubernetes name"),
        ({"environment": "a", "mode": "bump", "dry_run": "yes"}, "dry-run: expected true or false"),
        ({"environment": "a", "mode": "none"}, "mode: expected check"),
        ({"environment": "a", "mode": "recheck", "revision": "v1"}, "revision: goes with another mode"),
        ({"environment": "a", "mode": "recheck", "dry_run": "true"}, "dry-run: goes with mode: bump"),
        ({"environment": "a", "publish": "True"}, "publish: expected true or false, in lower case"),
        ({"environment": "a", "publish": "yes"}, "publish: expected true or false"),
        ({"environment": "a", "comment": "1"}, "comment: expected true or false"),
        ({"environment": "a", "comment": "0"}, "comment: expected true or false"),
        ({"environment": "a", "timeout": "soon"}, "timeout: not a duration"),
        ({"environment": "a", "timeout": "1s"}, "timeout: must be at least 2s"),
        ({"environment": "a", "timeout": "25h"}, "timeout: a duration is between 0s and 24h"),
        ({"environment": "a", "revision": "--all"}, "revision: expected a commit id"),
        ({"environment": "a", "revision": "a..b"}, "revision: expected a commit id"),
        ({"environment": "a", "revision": "a b"}, "revision: expected a commit id"),
        ({"environment": "a", "config": "a\nb"}, "config: expected one line"),
        ({"environment": "a", "github_token": "two words"}, "github-token: a token is one word"),
        ({"environment": "a", "server": "https://a"}, "server: needs server-token"),
        ({"environment": "a", "server": "https://a", "server_token": "t", "oidc_audience": "x"}, "oidc-audience: give"),
        ({"environment": "a", "oidc_audience": "x"}, "oidc-audience: goes with server"),
        ({"environment": "a", "server": "https://a", "oidc_audience": "x y"}, "oidc-audience: expected the audience"),
        ({"environment": "a", "app_id": "4242"}, "app-id: goes with app-private-key, which is empty"),
        ({"environment": "a", "app_private_key": "k"}, "app-private-key: goes with app-id, which is empty"),
        ({"environment": "a", "app_id": "my app", "app_private_key": "k"}, "app-id: expected the App ID"),
        ({"environment": "a", "server": "http://a", "server_token": "t"}, "server: expected https://"),
        ({"environment": "a", "server": "a:6443", "server_token": "t"}, "server: "),
        ({"environment": "a", "server": "https://u:p@a", "server_token": "t"}, "server: credentials do not belong"),
        ({"environment": "a", "server_token": "t"}, "server-token: goes with server"),
        ({"environment": "a", "server_ca": "t"}, "server-ca: goes with server"),
        ({"environment": "a", "server": "https://a", "server_token": "t", "kubeconfig": "k"}, "server: give either"),
        ({"environment": "a", "server": "https://a", "server_token": "t", "context": "c"}, "server: give either"),
    ],
)
def test_what_is_refused(values: dict[str, str], said: str) -> None:
    assert f"  {said}" in _refused(_environ(**values)).happened


def test_a_server_on_loopback_may_do_without_tls() -> None:
    made = parse_inputs(_environ(environment="a", server="http://127.0.0.1:8001", server_token="t"))
    assert made.server == "http://127.0.0.1:8001"


@pytest.mark.parametrize("revision", ["a" * 40, "main", "v1.2.3", "release/1.2", "refs/heads/main", "abc1234"])
def test_revisions(revision: str) -> None:
    assert parse_inputs(_environ(environment="a", revision=revision)).revision == revision


def test_everything_wrong_is_listed() -> None:
    error = _refused(_environ(mode="none", timeout="soon", publish="maybe"))
    assert [line.split(":")[0].strip() for line in error.happened.splitlines()[1:]] == [
        "mode",
        "environment",
        "timeout",
        "publish",
    ]


@pytest.mark.parametrize("name", [name for name in NAMES if "-" in name])
def test_an_underscore_spelling_while_the_hyphen_one_is_empty_is_an_error(name: str) -> None:
    environ = _environ(environment="a")
    environ[f"INPUT_{name.upper().replace('-', '_')}"] = SECRET
    error = _refused(environ)
    assert f"{name}: INPUT_{name.upper().replace('-', '_')} is set and INPUT_{name.upper()} is not" in error.happened
    assert f"spelled with hyphens: {name}" in error.happened
    assert SECRET not in error.diagnostics()


def test_an_underscore_spelling_beside_the_right_one_is_a_warning() -> None:
    made = parse_inputs({**_environ(environment="a", github_token=SECRET), "INPUT_GITHUB_TOKEN": "other"})
    assert made.warnings == ("INPUT_GITHUB_TOKEN is ignored; the input is spelled github-token.",)
    assert made.github_token is not None
    assert made.github_token.get_secret_value() == SECRET


def test_an_empty_underscore_spelling_is_nothing() -> None:
    assert parse_inputs({**_environ(environment="a"), "INPUT_GITHUB_TOKEN": " "}).warnings == ()


def test_unknown_inputs_are_warnings_that_suggest_the_nearest() -> None:
    environ = {
        **_environ(environment="a"),
        "INPUT_KUBE-CONFIG": "x",
        "INPUT_XYZZY\n::error::": "y",
        "OTHER": "z",
        "INPUT": "z",
    }
    assert parse_inputs(environ).warnings == (
        "unknown input kube-config is ignored; did you mean kubeconfig?",
        "unknown input xyzzy\N{REPLACEMENT CHARACTER}::error:: is ignored.",
    )


def test_inputs_can_be_made_from_values_by_name() -> None:
    assert make_inputs({"environment": "a", "github-token": "t"}).environment == "a"
    with pytest.raises(UsageError, match="github_token: unknown key; did you mean github-token"):
        make_inputs({"environment": "a", "github_token": "t"})


@given(st.dictionaries(st.sampled_from([f"INPUT_{name.upper()}" for name in NAMES]), st.text(max_size=30)))
def test_any_environment_is_read_or_refused(environ: dict[str, Any]) -> None:
    seen = attempt(parse_inputs, environ, refusal=UsageError)
    if isinstance(seen, UsageError):
        assert seen.happened.startswith("The inputs of the action cannot be used:")
    else:
        assert seen.environment != ""
