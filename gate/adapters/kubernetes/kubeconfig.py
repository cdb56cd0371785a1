"""Kubeconfig files to one context, checked: every fault is an AccessError that names it."""

import base64
import binascii
import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from gate.adapters.failures import one_line
from gate.adapters.kubernetes.access import KubeconfigFiles, KubeconfigText, unwrapped
from gate.errors import AccessError

Mapping = dict[str, Any]
_LARGEST = 4 * 1024 * 1024
_NAMES_SHOWN = 10


class Document(NamedTuple):
    """One kubeconfig. ``folder`` is what its relative paths start from; None: it came as text."""

    origin: str
    folder: Path | None
    body: Mapping

    def __repr__(self) -> str:
        return f"<kubeconfig {self.origin}>"


@dataclass(frozen=True)
class Entry:
    """A named cluster or user of a kubeconfig, with the document that holds it."""

    name: str
    values: Mapping = field(repr=False)
    document: Document

    def text(self, key: str) -> str | None:
        """A text value; None when it is not given. Raises AccessError for another type."""
        value = self.values.get(key)
        if value is None or value == "":
            return None
        if not isinstance(value, str):
            raise malformed(self.document.origin, f"{key} of {one_line(self.name, 64)!r} is not a text")
        return value

    def pem(self, key: str) -> str | None:
        """What ``KEY-data`` (base64) or else the file ``KEY`` holds; None when neither is given."""
        data = self.text(f"{key}-data")
        if data is not None:
            try:
                return base64.b64decode("".join(data.split()), validate=True).decode("ascii")
            except (binascii.Error, ValueError):
                raise malformed(self.document.origin, f"{key}-data of {self.name!r} is not base64 of PEM") from None
        path = self.path(key)
        return None if path is None else read_text(path, f"the {key} of {one_line(self.name, 64)!r}")

    def path(self, key: str) -> Path | None:
        """The file named by ``key``, relative to its kubeconfig; None when not given."""
        named = self.text(key)
        if named is None:
            return None
        if self.document.folder is None and not Path(named).is_absolute():
            raise AccessError(
                f"The kubeconfig names the file {one_line(named)} ({key}), which lies beside no kubeconfig.",
                means="the kubeconfig came as text, so that its relative paths start nowhere.",
                change="Make it self-contained with `kubectl config view --raw --flatten`.",
            )
        return (self.document.folder or Path("/")) / named


@dataclass(frozen=True)
class Selection:
    """The context in force with its cluster and user; ``user`` is None when the context has none."""

    context: str
    cluster: Entry
    user: Entry | None


def malformed(origin: str, fault: str) -> AccessError:
    """The error for a kubeconfig that cannot be understood."""
    return AccessError(
        f"{origin} is not a usable kubeconfig: {fault}.",
        means="the file was cut, quoted or indented wrongly, or a secret holds something else.",
        change="Compare it with `kubectl config view --raw --flatten` on a machine where kubectl works.",
    )


def read_text(path: Path, role: str) -> str:
    """The text of a file; raises AccessError naming the role and the path."""
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
        text = data.decode()
    except UnicodeDecodeError:
        raise malformed(f"{path}", "it is not text") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "is no path"
        raise AccessError(
            f"{role[:1].upper()}{role[1:]} cannot be read from {one_line(str(path))}: {reason.lower()}.",
            means="the path is wrong, or it lies outside of what a container action can see (its workspace).",
            change="Name a file below the workspace, or give the content itself, for example from a secret.",
        ) from None
    if len(data) > _LARGEST:
        raise malformed(f"{path}", "it is longer than 4 MiB")
    return text


def read_documents(access: KubeconfigFiles | KubeconfigText) -> tuple[Document, ...]:
    """The kubeconfigs of an access. Of several files those that are missing are passed over, as in kubectl."""
    if isinstance(access, KubeconfigText):
        return (_parse("The given kubeconfig", None, unwrapped(access.content.get_secret_value())),)
    expanded = [path.expanduser() for path in access.paths]
    there = [path for path in expanded if path.exists()]
    # With none of them there, reading the first one raises the error that says so.
    return tuple(
        _parse(one_line(str(path)), path.absolute().parent, read_text(path, "the kubeconfig"))
        for path in (there or expanded[:1])
    )


def _parse(origin: str, folder: Path | None, text: str) -> Document:
    try:
        body = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        # The library's own message quotes the line, which may hold a token.
        line = error.problem_mark.line + 1 if error.problem_mark is not None else 0
        raise malformed(origin, f"line {line} is not YAML ({one_line(error.problem or 'no detail', 80)})") from None
    except (yaml.YAMLError, ValueError, RecursionError):
        raise malformed(origin, "it is not YAML") from None
    if not isinstance(body, dict):
        raise malformed(origin, "it is empty" if body is None else "it is not a mapping of keys")
    return Document(origin, folder, body)


def _entries(documents: Iterable[Document], section: str, key: str) -> Iterator[Entry]:
    for document in documents:
        listed = document.body.get(section)
        if listed is None:
            continue
        if not isinstance(listed, list):
            raise malformed(document.origin, f"{section} is not a list")
        for item in listed:
            if not isinstance(item, dict) or not isinstance(item.get("name"), str):
                raise malformed(document.origin, f"{section} holds an entry without a name")
            values = item.get(key)
            if values is not None and not isinstance(values, dict):
                raise malformed(document.origin, f"{key} of {one_line(item['name'], 64)!r} is not a mapping")
            yield Entry(item["name"], values if values is not None else {}, document)


def _find(documents: tuple[Document, ...], section: str, key: str, name: str) -> Entry:
    """The first entry of that name; raises AccessError that names those there are."""
    found = list(_entries(documents, section, key))
    for entry in found:
        if entry.name == name:
            return entry
    names = sorted({one_line(entry.name, 64) for entry in found})
    near = difflib.get_close_matches(name, names, 1)
    raise AccessError(
        f"{documents[0].origin} has no {key} named {one_line(name, 64)!r}; {_listed(section, names)}.",
        means="the name is misspelt, or this is the kubeconfig of another machine.",
        change=f"Did you mean {near[0]!r}?" if near else f"Name a {key} that it has.",
    )


def _listed(section: str, names: list[str]) -> str:
    if not names:
        return f"it has no {section} at all"
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return f"its {section} are {', '.join(names[:_NAMES_SHOWN])}{more}"


def select(documents: tuple[Document, ...], wanted: str | None) -> Selection:
    """The wanted context, or the current one, with its cluster and user; raises AccessError."""
    name = wanted if wanted is not None else _current(documents)
    context = _find(documents, "contexts", "context", name)
    cluster = context.text("cluster")
    if cluster is None:
        raise malformed(context.document.origin, f"the context {one_line(name, 64)!r} names no cluster")
    user = context.text("user")
    return Selection(
        name,
        _find(documents, "clusters", "cluster", cluster),
        None if user is None else _find(documents, "users", "user", user),
    )


def _current(documents: tuple[Document, ...]) -> str:
    for document in documents:
        current = document.body.get("current-context")
        if isinstance(current, str) and current != "":
            return current
    names = sorted({one_line(entry.name, 64) for entry in _entries(documents, "contexts", "context")})
    raise AccessError(
        f"{documents[0].origin} has no current-context, and no context was asked for; {_listed('contexts', names)}.",
        means="the kubeconfig was made for several clusters and leaves the choice open.",
        change="Name the context: `cluster: {context: NAME}` in the configuration.",
    )


def check_authority(pem: str, role: str) -> str:
    """PEM text of an authority; raises AccessError when there is no certificate in it."""
    if "-----BEGIN CERTIFICATE-----" not in pem:
        raise AccessError(
            f"{role[:1].upper()}{role[1:]} holds no certificate.",
            means="it is empty, or base64 of the PEM text, or another file.",
            change="Give PEM text that starts with -----BEGIN CERTIFICATE-----.",
        )
    return pem
