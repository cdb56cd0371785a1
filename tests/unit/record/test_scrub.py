"""What is hidden in texts that are kept: credentials and queries of addresses, and secrets that the run knows."""

import pytest

from gate.evidence.scrub import clean_settings, make_clean
from gate.secrecy import Secrets
from gate.verdict import Evidence

ADDRESSES = {
    "https://user:secret@git.example/shop.git": "https://git.example/shop.git",
    'Get "http://10.0.0.9:8080/ready?token=secret": refused': 'Get "http://10.0.0.9:8080/ready?***": refused',
    "see https://a.example/x#access_token=secret and https://b.example/y": (
        "see https://a.example/x?*** and https://b.example/y"
    ),
    "postgres://app:secret@db:5432/orders?sslmode=off": "postgres://db:5432/orders?***",
}
PLAIN = (
    "docker-pullable://nginx@sha256:0123456789abcdef",
    "registry.example/web@sha256:0123456789abcdef",
    "git@github.com:acme/shop.git",
    "why? because a@b.example said so",
    "https://kubernetes.default.svc",
)


@pytest.mark.parametrize("text", ADDRESSES)
def test_addresses_lose_credentials_and_query(text: str) -> None:
    assert make_clean(Secrets())(text) == ADDRESSES[text]
    assert Evidence(label="observed", subject="x", field="y", value=text).value == ADDRESSES[text]


@pytest.mark.parametrize("text", [*PLAIN, *ADDRESSES.values()])
def test_everything_else_stays_as_it_is(text: str) -> None:
    assert make_clean(Secrets())(text) == text
    assert Evidence(label="observed", subject="x", field="y", value=text).value == text


def test_secrets_of_the_run_are_hidden_the_longest_first() -> None:
    clean = make_clean(Secrets(("token-1234", "token-1234-long", "abc")))
    assert clean("token-1234-long, token-1234 and abc") == "***, *** and abc"


def test_a_long_text_is_cut() -> None:
    assert len(make_clean(Secrets())("x" * 100_000)) == 4001


def test_query_values_of_requests_are_hidden_and_expectations_kept() -> None:
    settings = {"requests": [{"path": "/version?key=secret", "expect": {"body": "is it https://x.example?a=b"}}]}
    assert clean_settings(settings, Secrets()) == {
        "requests": [{"path": "/version?***", "expect": {"body": "is it https://x.example?a=b"}}]
    }
