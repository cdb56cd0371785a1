"""Names in GitHub's addresses: repositories, refs and paths, checked before they go into a URL."""

import re
from urllib.parse import quote, urlsplit

from gate.adapters.failures import one_line
from gate.errors import UsageError

_OWNER_AND_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*/(?!\.{1,2}$)[A-Za-z0-9_.-]+")
_SCP_FORM = re.compile(r"(?:[^@/\s]+@)?(?P<host>[^:/\s]+):(?!//)(?P<path>[^\s]+)")
# What Git allows in a ref, roughly; it keeps revision expressions and dot segments out.
_REF = re.compile(r"(?![-/.])(?!.*(?:\.\.|@\{|//|/\.))[^\x00-\x20~^:?*\[\\\x7f-\x9f]+(?<![/.])")


def check_repository(name: str) -> str:
    """``owner/name`` as it was; raises UsageError for anything else."""
    if _OWNER_AND_NAME.fullmatch(name) is None:
        raise UsageError(
            f"{one_line(name, 80)!r} is not a repository.",
            means="a repository is written owner/name.",
            change="give the repository as GITHUB_REPOSITORY has it, for example acme/environments.",
        )
    return name


def check_ref(name: str) -> str:
    """A branch, tag or commit id as it was; raises UsageError for what cannot be one."""
    if len(name) > 255 or _REF.fullmatch(name) is None:
        raise UsageError(
            f"{one_line(name, 80)!r} is not a branch, a tag or a commit id.",
            means="it is empty, or holds blanks, dots in a row or one of ~ ^ : ? * [ \\.",
            change="give a full commit id, or the plain name of a branch or tag.",
        )
    return name


def check_path(path: str) -> str:
    """A file's path inside a repository as it was; raises UsageError for what leads out of it."""
    segments = path.split("/")
    if any(segment in ("", ".", "..") for segment in segments) or not path.isprintable():
        raise UsageError(
            f"{one_line(path, 80)!r} is not the path of a file in a repository.",
            means="paths are relative to the root of the repository and hold no '.' or '..'.",
            change="write it as it stands in the repository, for example apps/staging/orders.yaml.",
        )
    return path


def quoted(name: str) -> str:
    """A checked name for a URL path; slashes stay."""
    return quote(name, safe="/")


def parse_repository(url: str, server_url: str) -> str | None:
    """``owner/name`` behind a Git URL of this GitHub server; None for any other place.

    Takes https, ssh and scp-like forms; credentials in the URL are left out of the answer.
    ``server_url`` is the server as people open it (``GITHUB_SERVER_URL``).
    """
    server = urlsplit(server_url).hostname or ""
    try:
        parts = urlsplit(url.strip())
        host, path = parts.hostname, parts.path
    except ValueError:
        return None
    if parts.scheme not in ("https", "http", "ssh", "git"):
        scp = _SCP_FORM.fullmatch(url.strip())
        if scp is None:
            return None
        host, path = scp["host"].lower(), scp["path"]
    # The other names a server goes by: www for people, ssh for SSH over the HTTPS port.
    if host not in (server, f"www.{server}", f"ssh.{server}"):
        return None
    name = path.strip("/").removesuffix(".git")
    return name if _OWNER_AND_NAME.fullmatch(name) is not None else None
