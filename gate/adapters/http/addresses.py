"""Which addresses a request may go to: never link-local, metadata services, multicast or by accident loopback.

A name is resolved once, every address it gives is checked, and the connection is made to a checked
address, so that a name cannot change its mind in between.
"""

import asyncio
import ipaddress
import re
import socket
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolver = Callable[[str, int], Awaitable[Sequence[str]]]

_METADATA = frozenset(
    ipaddress.ip_address(text)
    for text in (
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "fd00:ec2::254",
        "fd20:ce::254",
    )
)
_METADATA_NAMES = frozenset(("metadata", "metadata.google.internal", "metadata.goog", "instance-data"))
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_THIS_NETWORK = ipaddress.ip_network("0.0.0.0/8")
_COMPATIBLE = ipaddress.ip_network("::/96")
_NUMERIC = re.compile(r"(.*\.)?(0x[0-9a-f]*|[0-9]+)")


class AddressRefused(Exception):
    """A request would go where none may go; the message is one line for a person."""


def _inner(address: Address) -> Address:
    """The IPv4 address inside an IPv6 one that only wraps it, else the address itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    wraps = address in _NAT64 or (address in _COMPATIBLE and int(address) > 1)
    return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if wraps else address


def _literal(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _means_loopback(host: str) -> bool:
    """Whether the configuration plainly says loopback, as in tests and laboratories."""
    literal = _literal(host)
    return host == "localhost" or (literal is not None and literal.is_loopback)


def check_host(host: str) -> None:
    """Refuse names and spellings that only hide an address; raises AddressRefused."""
    name = host.rstrip(".").lower()
    if name in _METADATA_NAMES:
        raise AddressRefused(f"{name} is a metadata service, no release answers there")
    if _NUMERIC.fullmatch(name) and _literal(host) is None:
        raise AddressRefused(f"{host} is an address in an unusual spelling; write it plainly")


def check_address(host: str, text: str) -> str:
    """The address as text if a request to ``host`` may be sent to it; raises AddressRefused."""
    try:
        address = _inner(ipaddress.ip_address(text))
    except ValueError:
        raise AddressRefused(f"{host} resolves to something that is no address") from None
    why = _objection(address)
    if why is None and address.is_loopback and not _means_loopback(host):
        why = "this machine itself (write localhost if that is meant)"
    if why is not None:
        raise AddressRefused(f"{host} is {address}, {why}; no request is sent there")
    return text


def _objection(address: Address) -> str | None:
    if address.is_link_local or address in _METADATA:
        return "a link-local address or metadata service"
    if address.is_unspecified or address in _THIS_NETWORK:
        return "no address of a host"
    if address.is_multicast:
        return "a multicast address"
    if isinstance(address, ipaddress.IPv4Address) and address.is_reserved:
        return "a reserved address"
    if isinstance(address, ipaddress.IPv6Address) and address.is_site_local:
        return "a site-local address"
    return None


async def system_resolver(host: str, port: int) -> Sequence[str]:
    """Every address of a name, in the system's order; raises socket.gaierror.

    It runs on a thread that nobody joins: a name server that never answers must not hold back the
    end of the program.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[tuple[str, ...]] = loop.create_future()

    def settle(found: tuple[str, ...], error: OSError | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(found)

    def resolve() -> None:
        found: tuple[str, ...] = ()
        failure: OSError | None = None
        try:
            entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found = tuple(dict.fromkeys(str(entry[4][0]) for entry in entries))
        except (OSError, UnicodeError) as error:
            failure = error if isinstance(error, OSError) else socket.gaierror(socket.EAI_NONAME, "not a host name")
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, found, failure)

    threading.Thread(target=resolve, name="resolver", daemon=True).start()
    return await future


async def checked_addresses(host: str, port: int, resolver: Resolver) -> tuple[str, ...]:
    """The addresses a request to ``host`` may use; one that may not be used refuses them all.

    Raises AddressRefused, or socket.gaierror when the name is unknown.
    """
    check_host(host)
    literal = _literal(host)
    found = (str(literal),) if literal is not None else tuple(await resolver(host, port))
    if not found:
        raise socket.gaierror(socket.EAI_NONAME, "no address")
    return tuple(check_address(host, address) for address in found)
