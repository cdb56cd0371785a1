"""The action passes on what the workflow gave: every input of a check reaches the check."""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from gate.app.check import Check
from gate.app.options import ApproveOptions, BumpOptions, CheckOptions, ClusterOptions
from gate.commands import acting
from gate.config.inputs import NAMES
from gate.errors import GateError

GIVEN = {
    "environment": "staging",
    "config": "gates/shop.yaml",
    "revision": "v2",
    "evidence-branch": "given-evidence",
    "repo": "clone",
    "github-token": "given-token",
    "app-id": "4242",
    "app-private-key": "given-key",
    "github-ca": "given/github.crt",
    "kubeconfig": "given/config",
    "context": "given-context",
    "timeout": "7m",
    "publish": "false",
    "comment": "false",
    "comment-author": "my-app[bot]",
}
BUMP = {"application": "shop", "allow-older": "true", "check": "false", "dry-run": "true"}
IDENTITY = {"server": "https://api.example", "oidc-audience": "given-audience"}
SERVER = {"server": "https://api.example", "server-token": "given-server-token", "server-ca": "given/ca.crt"}


class Asked(Exception):
    """What the check was asked to do."""

    def __init__(
        self,
        options: CheckOptions,
        refused: GateError | None,
        bump: BumpOptions | None,
        approval: ApproveOptions | None,
    ) -> None:
        super().__init__()
        self.options, self.refused, self.bump, self.approval = options, refused, bump, approval


def asked(monkeypatch: pytest.MonkeyPatch, inputs: Mapping[str, str]) -> Asked:
    def run_check(
        options: CheckOptions,
        *_: Any,
        refused: GateError | None = None,
        bump: BumpOptions | None = None,
        approval: ApproveOptions | None = None,
        **__: Any,
    ) -> tuple[Check, int]:
        raise Asked(options, refused, bump, approval)

    monkeypatch.setattr(acting, "run_check", run_check)
    monkeypatch.setattr(acting, "read_run", lambda _: object())
    monkeypatch.setattr(acting, "fault_of", lambda error, _: error)
    monkeypatch.setattr(acting, "_end", lambda _, __, error: error)
    found: Any = acting.act({f"INPUT_{name.upper()}": value for name, value in inputs.items()})
    assert isinstance(found, Asked), found
    return found


def shown(value: object) -> object:
    return value.get_secret_value() if hasattr(value, "get_secret_value") else value


@pytest.mark.parametrize(
    "inputs",
    [GIVEN, *({"environment": "staging", "github-token": "x", **server} for server in (SERVER, IDENTITY))],
    ids=["kubeconfig", "server", "identity"],
)
def test_every_input_reaches_the_check(inputs: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    options = asked(monkeypatch, inputs).options
    reached = {
        field.name: shown(getattr(part, field.name)) for part in (options.cluster, options) for field in fields(part)
    }
    for name, value in inputs.items():
        found = reached[name.replace("-", "_")]
        expected: object = {"true": True, "false": False}.get(value, value)
        assert (str(found) if isinstance(found, Path) else found) == expected or name == "timeout", name
    assert options.timeout is None or options.timeout.total_seconds() == 7 * 60


def test_every_input_of_a_bump_reaches_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found = asked(monkeypatch, {**GIVEN, **BUMP, "publish": "true", "mode": "bump"})
    assert found.bump == BumpOptions(application="shop", dry_run=True, check=False, allow_older=True)
    assert not found.options.publish, "a dry run publishes nothing"
    plain = asked(monkeypatch, {**GIVEN, "publish": "true", "mode": "bump"})
    assert plain.bump == BumpOptions()
    assert plain.options.publish
    assert asked(monkeypatch, GIVEN).bump is None


def test_the_evidence_reaches_an_approval_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    found = asked(monkeypatch, {**GIVEN, "mode": "approve", "evidence": "given/evidence"})
    assert found.approval == ApproveOptions(stored=Path("given/evidence"))
    assert asked(monkeypatch, {**GIVEN, "mode": "approve"}).approval == ApproveOptions()
    assert asked(monkeypatch, GIVEN).approval is None


def test_the_inputs_above_are_all_there_are() -> None:
    assert {*GIVEN, *SERVER, *IDENTITY, *BUMP, "mode", "evidence"} == set(NAMES)
    assert {field.name for field in fields(ClusterOptions)} >= {
        "kubeconfig",
        "context",
        "server",
        "server_token",
        "oidc_audience",
        "server_ca",
    }


@pytest.mark.parametrize("wrong", ["publish", "comment", "comment-author"])
def test_a_wrong_word_on_how_to_publish_is_published(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = asked(monkeypatch, {"environment": "staging", "github-token": "given-token", wrong: "?!"})
    assert found.refused is not None
    assert wrong in found.refused.diagnostics()
    assert found.options.publish
    assert found.options.comment_author == "github-actions[bot]"


def test_what_is_wrong_elsewhere_is_told_under_the_given_author(monkeypatch: pytest.MonkeyPatch) -> None:
    found = asked(monkeypatch, {**GIVEN, "publish": "true", "timeout": "soon"})
    assert found.refused is not None
    assert found.options.comment_author == "my-app[bot]"


def test_an_app_without_its_key_is_told_by_the_jobs_own_token(monkeypatch: pytest.MonkeyPatch) -> None:
    found = asked(monkeypatch, {"environment": "staging", "github-token": "given-token", "app-id": "4242"})
    assert found.refused is not None
    assert "app-id: goes with app-private-key, which is empty" in found.refused.diagnostics()
    assert (found.options.app_id, shown(found.options.github_token)) == (None, "given-token")
