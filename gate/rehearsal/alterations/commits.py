"""Commits beside the intended one: which they are, and where they are written into an Application."""

from gate.rehearsal.names import NEWER, PREVIOUS
from gate.rehearsal.scene import Json, Scene
from gate.rehearsal.subjects import ApplicationSubject


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


def pin(scene: Scene, app: ApplicationSubject, revision: str, *, again: bool | None = None) -> None:
    """Write another targetRevision into the gated sources of its spec."""
    for raw in scene.applications(app.place, again=again):
        spec = raw["spec"]
        for source in [spec["source"]] if app.gated is None else [spec["sources"][index] for index in app.gated]:
            source["targetRevision"] = revision


def write_revision(part: Json, app: ApplicationSubject, revision: str) -> None:
    """Write another revision of the gated sources into a part of a status."""
    if app.gated is None:
        part["revision"] = revision
    else:
        part["revisions"] = [
            revision if index in app.gated else before for index, before in enumerate(part["revisions"])
        ]
