"""Services, workloads, URLs and paths: parsed into their parts, and kept below their host."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.addresses import ServiceAddress, WorkloadAddress, check_path, check_url, has_path


def test_a_service_has_parts_and_reads_as_it_was_written() -> None:
    address = ServiceAddress.parse("orders/web:http")
    assert (address.namespace, address.name, address.port) == ("orders", "web", "http")
    assert f"{address}" == "orders/web:http"


def test_a_port_may_be_a_number() -> None:
    assert ServiceAddress.parse("orders/web:65535").port == "65535"


@pytest.mark.parametrize(
    "text",
    [
        *("", "web", "orders/web", "web:http", "/web:http", "orders/:http", "orders/web:", "orders/web:HTTP"),
        *(
            "Orders/web:http",
            "orders/web:http/x",
            "a/b/c:http",
            "orders/web:0",
            "orders/web:65536",
            "orders/web:099999",
        ),
        *(
            "orders/web:http\n",
            " orders/web:http",
            "orders/..:http",
            "../web:http",
            "orders/web:-http",
            "orders/web.x:80",
        ),
        f"{'n' * 64}/web:http",
    ],
)
def test_what_is_no_service(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected namespace/service:port|65535|longer"):
        ServiceAddress.parse(text)


def test_a_workload_has_parts() -> None:
    address = WorkloadAddress.parse("orders/web")
    assert (address.namespace, address.name) == ("orders", "web")


@pytest.mark.parametrize("text", ["", "web", "orders/", "/web", "a/b/c", "orders/web:80", "orders/Web", "orders/web\n"])
def test_what_is_no_workload(text: str) -> None:
    with pytest.raises(ValueError, match="namespace/name of a Deployment"):
        WorkloadAddress.parse(text)


@pytest.mark.parametrize("path", ["/", "/version", "/a/b?c=d&e=/../", "/a%20b", "/...", "/a.b/..c", "/?x"])
def test_what_is_a_path(path: str) -> None:
    assert check_path(path) == path


@pytest.mark.parametrize(
    "path",
    [
        *("", "version", "//host/x", "/a b", "/a\tb", "/a\nb", "/a\\b", "/a#b", "/ä", "/{revision}"),
        *("/..", "/../x", "/a/../b", "/a/.", "/%2e%2e/x", "/%2E./x", "/a%2fb", "/a/..%2f..", "/.%2e", "https://x/"),
    ],
)
def test_what_is_no_path(path: str) -> None:
    with pytest.raises(ValueError, match="a path"):
        check_path(path)


@pytest.mark.parametrize(
    "url",
    ["https://shop.example.org", "http://a.b:8080/version?x=y", "https://[::1]:8443/", "https://a?b=c", "HTTPS://a/b"],
)
def test_what_is_a_url(url: str) -> None:
    assert check_url(url) == url


@pytest.mark.parametrize(
    "url",
    [
        *("", "shop.example.org", "ftp://a/b", "file:///etc/passwd", "https://", "https:///x", "//a/b", "https:a"),
        *("https://user:word@a/", "https://user@a/", "https://a/#b", "https://a b/", "https://a\n/", "https://[::1/"),
        *(
            "https://a:99999/",
            "https://a:x/",
            "https://a:0/",
            "https://a/../b",
            "https://ä.example",
            "https://a/%2e%2e",
        ),
    ],
)
def test_what_is_no_url(url: str) -> None:
    with pytest.raises(ValueError, match=r".+") as caught:
        check_url(url)
    assert "word" not in str(caught.value)


def test_which_urls_say_more_than_a_host() -> None:
    assert not has_path("https://a.b:8443")
    assert not has_path("https://a.b/")
    assert has_path("https://a.b/c")
    assert has_path("https://a.b/?c")


@given(st.text())
def test_any_text_is_checked_without_another_error(text: str) -> None:
    for check in (check_path, check_url, ServiceAddress.parse, WorkloadAddress.parse):
        try:
            assert check(text) == text
        except ValueError:
            continue
