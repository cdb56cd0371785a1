"""What must not be shown is found however it is written, and other text stays as it is."""

import base64
import json
from urllib.parse import quote, quote_plus

import pytest

from gate.adapters.runner.hidden import environment_secrets
from gate.secrecy import Secrets, mask, sound

SECRET = 'pa55+wo/rd="& x'
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAabc\nQ0c3f9d8e7a6b5c4d3e2\n-----END RSA PRIVATE KEY-----\n"

WRITTEN = {
    "bare": SECRET,
    "in a URL": quote(SECRET),
    "in a query": quote_plus(SECRET),
    "wholly quoted": quote(SECRET, safe=""),
    "in JSON": json.dumps(SECRET),
    "in HTML": SECRET.replace("&", "&amp;"),
    "in a repr": repr(SECRET),
    "base64": base64.b64encode(SECRET.encode()).decode(),
    "base64 for URLs": base64.urlsafe_b64encode(SECRET.encode()).decode(),
    "of a user": base64.b64encode(f"u:{SECRET}".encode()).decode(),
    "of somebody": base64.b64encode(f"somebody:{SECRET} and more".encode()).decode(),
}


@pytest.mark.parametrize("form", WRITTEN)
def test_a_secret_is_hidden_in_every_form(form: str) -> None:
    shown = Secrets([SECRET]).hide(f"before {WRITTEN[form]} after")
    assert shown.startswith("before ")
    assert shown.endswith(" after")
    assert "***" in shown
    for other in WRITTEN.values():
        assert other[2:-4] not in shown


def test_the_longest_comes_first_and_short_ones_would_hide_everything() -> None:
    assert mask("a secret-and-more secret", ["secret", "secret-and-more"]) == "a *** ***"
    assert mask("a b", ["a", ""]) == "a b"
    assert mask("nothing here", []) == "nothing here"


@pytest.mark.parametrize("kept", [8, 12, 14])
def test_what_a_cut_left_of_a_secret_is_hidden(kept: int) -> None:
    assert mask(f"denied: {SECRET[:kept]}…", [SECRET]) == "denied: ***…"
    assert mask("pa55, and so on…", [SECRET]) == "pa55, and so on…"


def test_a_key_is_hidden_line_by_line_and_its_frame_stays() -> None:
    shown = mask(f"line 2: Q0c3f9d8e7a6b5c4d3e2; {PEM.splitlines()[0]}", [PEM])
    assert shown == "line 2: ***; -----BEGIN RSA PRIVATE KEY-----"


def test_one_that_is_learnt_later_is_hidden_from_then_on() -> None:
    known = Secrets()
    assert known.hide("later-secret") == "later-secret"
    known.learn(["later-secret"])
    assert known.hide("later-secret") == "***"
    assert "later-secret" not in repr(known)


TELLING = {
    "postgres://app:x@db/orders?sslmode=off": "postgres://db/orders?***",
    "https://me:p@ss@git.example/x and https://git.example:8080/a@b": (
        "https://git.example/x and https://git.example:8080/a@b"
    ),
    "oci://proxy/https://me:pw@x.example": "oci://proxy/https://x.example",
    "exec: --password=abc --token abc -v": "exec: --password=*** --token *** -v",
    "DB_PASSWORD='a b'": "DB_PASSWORD='***'",
    '{"client_secret": "a b", "name": "x"}': '{"client_secret": "***", "name": "x"}',
    r"{\"token\":\"abc\"}": r"{\"token\":\"***\"}",
    "Authorization: Bearer abc": "Authorization: Bearer ***",
    "authorization=Basic YTpi, x": "authorization=Basic ***, x",
    "sent bearer abcdef012345 to it": "sent bearer *** to it",
    "Set-Cookie: sid=abc; Path=/": "Set-Cookie: *** Path=/",
    "got ghp_0123456789abcdefABCD": "got ***",
    "got eyJhbGciOiJub25lIn0.eyJhdWQiOiJ4In0.c2ln.": "got ***.",
    f"key {PEM}": "key ***\n",
}
PLAIN = (
    "failed to fetch oauth token: unexpected status from GET request to https://auth.example/token: 403 Forbidden",
    'secret "orders-db" not found',
    "couldn't find key password in Secret shop/orders-db",
    "environments.staging.requests[0].headers.Authorization: expected the NAME of an environment variable",
    "the token is wrong, was revoked, or outlived its hour",
    'pods is forbidden: User "x" cannot list resource "secrets" in API group ""',
    "Bearer authorization is required",
    "give --token-file FILE and --password-file FILE",
    "registry.example/web@sha256:0123456789abcdef",
)


@pytest.mark.parametrize("text", TELLING)
def test_what_looks_like_a_secret_is_hidden(text: str) -> None:
    assert sound(text) == TELLING[text]
    assert sound(sound(text)) == sound(text)


@pytest.mark.parametrize("text", PLAIN)
def test_what_only_speaks_of_secrets_stays(text: str) -> None:
    assert sound(text) == text


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("GITHUB_TOKEN", "0123456789", ["0123456789"]),
        ("INPUT_APP-PRIVATE-KEY", "0123456789", ["0123456789"]),
        ("AWS_SECRET_ACCESS_KEY", "0123456789", ["0123456789"]),
        ("HTTPS_PROXY", "http://me:s%2Fecret@proxy:8080/", ["s%2Fecret", "s/ecret"]),
        ("https_proxy", "http://onlytoken@proxy", ["onlytoken", "onlytoken"]),
        ("HTTP_PROXY", "http://proxy:8080", []),
        ("SECRET", "true", []),
        ("TOKEN_FILE", "0123456789", []),
        ("SSH_KEY", "/home/me/.ssh/id", []),
        ("PATH", "/usr/bin:/bin", []),
    ],
)
def test_secrets_of_the_environment(name: str, value: str, found: list[str]) -> None:
    assert [*environment_secrets({name: value})] == found


@pytest.mark.parametrize(
    "piece",
    [
        "authorization=",
        "token=",
        'token":"',
        "--token a ",
        "bearer ",
        "cookie: ",
        "://",
        "eyJ",
        "-----BEGIN PRIVATE KEY-----",
        "://a@",
        "token\\\\",
    ],
)
def test_a_hostile_text_is_read_in_linear_time(piece: str) -> None:
    """A pattern that tried every end for every beginning would take hours, and the test's time would be up."""
    sound(piece * (400_000 // len(piece)))
