"""What a label or an annotation is usually for, read off its key: to name a release, or what stays the same. Pure."""

import re
from collections.abc import Iterable, Mapping
from enum import Enum, auto

from gate.facts.workload import Deployment

_KINDS = ("label", "annotation")

_APPLICATION = frozenset(
    ("app", "application", "k8s-app", "name", "instance", "component", "part-of", "service", "role")
)
_HELM = frozenset(("managed-by", "heritage", "release-name", "release-namespace"))
_PLACE = frozenset(("tier", "team", "owner", "environment", "env", "stage", "namespace"))
_SAME = _APPLICATION | _HELM | _PLACE
"""Names of keys, behind whatever prefix, with one value for all releases; in the case that Kubernetes and Helm use."""

_EITHER = frozenset(("release",))
"""Old Helm charts have the name of the installation in it, others that of the release."""

_RELEASE = ("version", "release", "revision", "commit", "build", "chart", "image", "digest")
_ENDINGS = ("sha", "tag")
"""They stand within longer words as well (stage, share), so that only the end of a word counts."""
_WORD = re.compile("[A-Z]?[a-z]+|[A-Z]+")


class Names(Enum):
    """What a key seems to name."""

    RELEASE = auto()
    SAME = auto()
    UNKNOWN = auto()


def _says_release(text: str) -> bool:
    lower = text.lower()
    words = (word.lower() for word in _WORD.findall(text))
    return any(one in lower for one in _RELEASE) or any(word.endswith(_ENDINGS) for word in words)


def names(key: str) -> Names:
    """What the template with this key stands for, as far as it can be told from the key alone."""
    kind, _, argument = key.partition(":")
    if kind not in _KINDS:
        return Names.RELEASE
    prefix, _, name = argument.rpartition("/")
    if name in _SAME:
        return Names.UNKNOWN if _says_release(prefix) else Names.SAME
    if name in _EITHER:
        return Names.UNKNOWN
    return Names.RELEASE if _says_release(prefix) or _says_release(name) else Names.UNKNOWN


def selected(deployments: Iterable[Deployment]) -> frozenset[str]:
    """The labels that these select their Pods by: such a selector cannot be changed, nor can what it asks for."""
    found: set[str] = set()
    for one in deployments:
        selector = one.spec.selector
        if selector is None:
            continue
        found |= {f"label:{key}" for key in selector.match_labels or {}}
        single = (each for each in selector.match_expressions or () if each.get("operator") == "In")
        found |= {f"label:{each.get('key')}" for each in single if len(each.get("values") or ()) == 1}
    return frozenset(found)


def same(keys: Iterable[str], fixed: frozenset[str]) -> set[str]:
    """Those of the keys whose values are the same in every release; ``fixed`` are those of ``selected``."""
    return {key for key in keys if key in fixed or names(key) is Names.SAME}


def kept(
    theirs: Mapping[str, str | None], ours: Mapping[str, str | None], keys: Iterable[str]
) -> dict[str, str | None]:
    """The values of another release, with those of these keys as they are in this one."""
    return {**theirs, **{key: ours[key] for key in keys if key in ours}}
