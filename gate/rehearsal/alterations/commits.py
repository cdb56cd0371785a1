"""Commits beside the intended one: the one deployed before it, and one that comes after it."""

from gate.rehearsal.names import NEWER, PREVIOUS
from gate.rehearsal.scene import Scene


def deployed_before(scene: Scene) -> str:
    """The first parent of the intended commit, or a made-up commit where Git has not told of one."""
    raw = scene.git["commits"].get(scene.asked.intended)
    parents = raw["parents"] if raw is not None else ()
    return str(parents[0]) if parents else PREVIOUS


def newer_commit(scene: Scene) -> str:
    """A commit whose parent is the intended one, made known to Git."""
    made = {"tree": NEWER[::-1], "parents": [scene.asked.intended], "message": "A newer release"}
    scene.git["commits"][NEWER] = made
    return NEWER
