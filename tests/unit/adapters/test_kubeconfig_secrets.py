"""A credential in a kubeconfig is hidden from the log however the kubeconfig is written."""

import base64
import json
from collections.abc import Callable

import pytest
import yaml

from gate.adapters.kubernetes.secrets import kubeconfig_secrets

SECRET = "s3cr3t-that-nobody-may-see"


def kubeconfig(user: object) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "Config", "users": [{"name": "u", "user": user}], "current-context": "staging"}


USERS = [
    {"token": SECRET},
    {"username": "u", "password": SECRET},
    {"client-key-data": SECRET, "client-certificate-data": "public"},
    {"auth-provider": {"name": "oidc", "config": {"id-token": SECRET}}},
    {"auth-provider": {"name": "oidc", "config": {"client-secret": SECRET, "client-id": "public"}}},
    {"exec": {"command": "aws", "env": [{"name": "AWS_SECRET_ACCESS_KEY", "value": SECRET}]}},
    {"exec": {"command": "x", "env": [{"name": "AWS_REGION", "value": "eu"}, {"name": "X_TOKEN", "value": SECRET}]}},
]
FORMS: dict[str, Callable[[object], str]] = {
    "yaml": yaml.safe_dump,
    "flow": lambda made: yaml.safe_dump(made, default_flow_style=True),
    "single quotes": lambda made: yaml.safe_dump(made, default_style="'"),
    "double quotes": lambda made: yaml.safe_dump(made, default_style='"'),
    "json": json.dumps,
    "indented json": lambda made: json.dumps(made, indent=2),
    "base64": lambda made: base64.b64encode(yaml.safe_dump(made).encode()).decode(),
    "base64 of json in lines": lambda made: base64.encodebytes(json.dumps(made).encode()).decode(),
}


@pytest.mark.parametrize("user", USERS, ids=str)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_a_credential_is_found_in_every_form(form: Callable[[object], str], user: object) -> None:
    found = kubeconfig_secrets(form(kubeconfig(user)))
    assert SECRET in found
    assert not {"staging", "public", "eu", "u", "v1"} & set(found)


@pytest.mark.parametrize("cut", [3, 9])
@pytest.mark.parametrize("form", ["yaml", "flow", "single quotes", "double quotes", "json", "base64"])
def test_a_damaged_one_is_searched(form: str, cut: int) -> None:
    whole = FORMS[form]({"users": [{"user": {"token": SECRET, "x": "y" * 20}}]})
    if form == "base64":
        whole = base64.b64encode(base64.b64decode(whole)[:-cut] + b'["').decode()
    else:
        whole = whole[:-cut] + '["'
    assert SECRET in kubeconfig_secrets(whole)


LAUGHS = "\n".join(["a0: &a0 x", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 20))])


@pytest.mark.parametrize(
    "text", ["", "token", "[" * 100_000, "a: &a [*a]", "\x00", "- " * 5000, "12", "/a/path", LAUGHS], ids=range(9)
)
def test_what_is_no_kubeconfig_is_no_error(text: str) -> None:
    assert kubeconfig_secrets(text) == ()
