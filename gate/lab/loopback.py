"""Listening on loopback, and on nothing else."""

import socket

from gate.errors import UsageError


def bind(port: int) -> socket.socket:
    """A listening socket on 127.0.0.1; port 0 takes a free one. Raises UsageError where it is taken."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise port_taken(port, error) from error
    listening.setblocking(False)
    return listening


def port_taken(port: int, error: OSError) -> UsageError:
    """The error of a port that cannot be listened on."""
    taken = "another program has it, perhaps another laboratory."
    return UsageError(
        f"Port {port} of 127.0.0.1 cannot be listened on: {(error.strerror or 'no reason is known').lower()}.",
        means="the low ports are for root alone." if isinstance(error, PermissionError) else taken,
        change="give another --port, or none: then free ones are taken.",
    )
