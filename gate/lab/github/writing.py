"""Refs that are written, and for a while read as they were."""

from __future__ import annotations

from gate.lab.github.git import Git
from gate.lab.github.state import Repository, World


def write_ref(world: World, repository: Repository, name: str, new: str, old: str = "") -> None:
    """Move a ref, or make it where `old` is empty.

    Rule: a ref can be read as it was (or as missing) for up to half a minute
    after a write. Sources: barosl/homu#75, PyGithub/PyGithub#2759.
    """
    repository.git.set_ref(name, new, old)
    if world.ref_lag > 0:
        repository.stale[name] = (old, world.ref_lag)


def seen_ref(repository: Repository, name: str) -> tuple[str, str] | None:
    """What a reader sees of a ref: id and type; None where there is none."""
    git: Git = repository.git
    old, left = repository.stale.get(name, ("", 0))
    if left == 0:
        return git.ref(name)
    repository.stale[name] = (old, left - 1)
    return (old, "commit") if old else None
