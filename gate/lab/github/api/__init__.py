"""The operations, one module a topic; the order matters where paths overlap."""

from gate.lab.github.api import (
    apps,
    comments,
    commits,
    contents,
    graphql,
    meta,
    objects,
    pulls,
    refs,
    statuses,
)
from gate.lab.github.routing import Router

MODULES = (meta, apps, graphql, statuses, pulls, comments, commits, refs, objects, contents)


def all_routes() -> Router:
    """Every operation the stand-in knows."""
    router = Router()
    for module in MODULES:
        router.routes += module.router.routes
    return router
