"""Where a request may go: the address is checked however it is spelt or wrapped."""

import asyncio
import socket
from collections.abc import Sequence

import pytest

from gate.adapters.http.addresses import AddressRefused, check_address, check_host, checked_addresses

REFUSED = [
    "169.254.169.254",
    "169.254.0.1",
    "169.254.170.2",
    "fe80::1",
    "fe80::1%eth0",
    "febf::1",
    "fd00:ec2::254",
    "fd20:ce::254",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "0.0.0.0",  # noqa: S104 - refused, not bound
    "0.1.2.3",
    "::",
    "224.0.0.1",
    "239.255.255.250",
    "ff02::1",
    "255.255.255.255",
    "240.0.0.1",
    "fec0::1",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "::169.254.169.254",
    "2002:a9fe:a9fe::1",
    "64:ff9b::169.254.169.254",
    "2001:0:1:2:3:4:5601:5601",
    "127.0.0.1",
    "127.8.8.8",
    "::1",
    "::ffff:127.0.0.1",
    "64:ff9b::127.0.0.1",
    "not an address",
    "",
]
ACCEPTED = [
    "10.0.0.1",
    "172.16.3.4",
    "192.168.1.1",
    "100.64.0.1",
    "93.184.216.34",
    "168.63.129.17",
    "169.253.255.255",
    "169.255.0.0",
    "fd00::1",
    "2606:2800:220:1:248:1893:25c8:1946",
    "::ffff:10.0.0.1",
    "64:ff9b::10.0.0.1",
    "223.255.255.255",
]


@pytest.mark.parametrize("address", REFUSED)
def test_refused_addresses(address: str) -> None:
    with pytest.raises(AddressRefused, match=r"web\.example\.com"):
        check_address("web.example.com", address)


@pytest.mark.parametrize("address", ACCEPTED)
def test_accepted_addresses(address: str) -> None:
    assert check_address("web.example.com", address) == address


@pytest.mark.parametrize(
    ("host", "address"), [("localhost", "127.0.0.1"), ("localhost", "::1"), ("127.0.0.1", "127.0.0.1"), ("::1", "::1")]
)
def test_loopback_that_is_meant(host: str, address: str) -> None:
    assert check_address(host, address) == address


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1"])
@pytest.mark.parametrize("address", ["169.254.169.254", "fe80::1", "0.1.1.1", "224.0.0.1"])
def test_meaning_loopback_opens_nothing_else(host: str, address: str) -> None:
    with pytest.raises(AddressRefused):
        check_address(host, address)


@pytest.mark.parametrize("host", ["localhost.example.com", "my-localhost", "127.0.0.1.nip.io", "LOCALHOST.evil.org"])
def test_names_that_only_look_like_loopback(host: str) -> None:
    with pytest.raises(AddressRefused, match="this machine itself"):
        check_address(host, "127.0.0.1")


@pytest.mark.parametrize(
    "host",
    [
        "2852039166",
        "0xa9fea9fe",
        "0xA9.0xFE.0xA9.0xFE",
        "0251.0376.0251.0376",
        "169.254.43518",
        "169.16689662",
        "127.1",
        "0",
        "017700000001",
        "10.0.0.1.",
        "10.0.0.256",
        "1.2.3.4.5",
        "web.123",
        "metadata.google.internal",
        "METADATA.google.internal.",
        "metadata",
        "instance-data",
        "metadata.goog",
    ],
)
def test_names_and_spellings_that_hide_an_address(host: str) -> None:
    with pytest.raises(AddressRefused):
        check_host(host)


@pytest.mark.parametrize(
    "host", ["10.0.0.1", "web", "web.orders.svc.cluster.local", "1a.example.com", "::1", "a1", "4you.org"]
)
def test_plain_hosts(host: str) -> None:
    check_host(host)


def checked(host: str, *addresses: str) -> tuple[str, ...]:
    async def resolver(_host: str, _port: int) -> Sequence[str]:
        return addresses

    return asyncio.run(checked_addresses(host, 443, resolver))


def test_all_addresses_of_a_name_are_given_in_order() -> None:
    assert checked("web.example.com", "2001:db8::1", "10.0.0.1") == ("2001:db8::1", "10.0.0.1")


def test_one_bad_address_refuses_the_name() -> None:
    with pytest.raises(AddressRefused):
        checked("web.example.com", "10.0.0.1", "169.254.169.254")


def test_an_address_is_not_resolved() -> None:
    assert checked("10.0.0.1", "169.254.169.254") == ("10.0.0.1",)


def test_a_name_without_addresses_is_unknown() -> None:
    with pytest.raises(socket.gaierror):
        checked("web.example.com")
