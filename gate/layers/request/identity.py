"""What the intended release calls itself: the values that expectations may use. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from gate.facts.release import Release
from gate.verdict import CommitSummary

_SHORT = 7


def _part(value: object, key: str) -> dict[str, Any]:
    part = value.get(key) if isinstance(value, dict) else None
    return part if isinstance(part, dict) else {}


def split_image(image: str) -> tuple[str | None, str | None]:
    """(tag, digest) of an image text; None for what it does not name. A registry port is no tag."""
    name, at, digest = image.partition("@")
    last = name.rpartition("/")[2]
    _, colon, tag = last.partition(":")
    return (tag if colon and tag else None), (digest if at and digest else None)


def _images(template: dict[str, Any]) -> Iterator[tuple[str, str | None]]:
    containers = _part(template, "spec").get("containers")
    for one in containers if isinstance(containers, list) else ():
        name, image = (one.get("name"), one.get("image")) if isinstance(one, dict) else (None, None)
        if isinstance(name, str) and isinstance(image, str):
            tag, digest = split_image(image)
            yield f"image.tag:{name}", tag
            yield f"image.digest:{name}", digest


def template_values(template: dict[str, Any], own: Mapping[str, dict[str, str] | None]) -> dict[str, str | None]:
    """Labels, annotations and images of a Pod template; ``own`` are the workload's, used where it has none."""
    values: dict[str, str | None] = {}
    for prefix, key in (("label", "labels"), ("annotation", "annotations")):
        texts = {**(own.get(key) or {}), **_part(_part(template, "metadata"), key)}
        values.update({f"{prefix}:{name}": text for name, text in texts.items() if isinstance(text, str) and text})
    values.update(_images(template))
    return values


def release_values(release: Release, intended: str, commit: CommitSummary | None) -> dict[str, str | None]:
    """Every value an expectation may use for this release: the commit's and the workload's."""
    metadata = release.deployment.metadata
    own = {"labels": metadata.labels, "annotations": metadata.annotations}
    return {
        **template_values(release.deployment.spec.template or {}, own),
        "revision": intended,
        "short-revision": intended[:_SHORT],
        "tree": None if commit is None else commit.tree,
    }
