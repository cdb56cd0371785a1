"""Run a command where there is no network but loopback: `python -m tests.offline COMMAND...`.

The command gets a network namespace of its own, so a test that reaches for the network fails even
if it meant to hide it. Where the kernel refuses namespaces, the command runs all the same and the
first line says that nothing was proved.
"""

import ctypes
import fcntl
import os
import socket
import struct
import sys
from pathlib import Path

_NEW_USER = 0x10000000
_NEW_NETWORK = 0x40000000
_SET_FLAGS = 0x8914  # SIOCSIFFLAGS
_UP_AND_RUNNING = 0x41  # IFF_UP | IFF_RUNNING


def _unshare(flags: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(flags) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _own_network() -> None:
    """A network namespace with loopback up. As another user than root, a user namespace makes it possible."""
    user, group = os.getuid(), os.getgid()
    if user == 0:
        _unshare(_NEW_NETWORK)
    else:
        _unshare(_NEW_USER | _NEW_NETWORK)
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        fcntl.ioctl(handle, _SET_FLAGS, struct.pack("16sH14s", b"lo", _UP_AND_RUNNING, b""))


def _refusal() -> str | None:
    """Why this system gives no network namespace; None when it does.

    Tried in a child, because a namespace that was entered but whose loopback stays down is no place to go on.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _own_network()
        except (OSError, AttributeError) as error:
            os.write(write, str(error).encode() or b"unknown")
        os._exit(0)
    os.close(write)
    with os.fdopen(read, encoding="utf-8", errors="replace") as pipe:
        refusal = pipe.read()
    os.waitpid(child, 0)
    return refusal or None


def main(command: list[str]) -> None:
    """Replace this process by the command, in a network of its own where that can be had."""
    if not command:
        raise SystemExit("usage: python -m tests.offline COMMAND [ARGUMENT...]")
    refusal = _refusal()
    if refusal is None:
        _own_network()
        names = ", ".join(name for _, name in socket.if_nameindex())
        print(f"offline: running in a network namespace of its own, which has only: {names}", flush=True)
    else:
        print(f"offline: NOT PROVED, this system gives no network namespace ({refusal})", flush=True)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
