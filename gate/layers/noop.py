"""A commit for which no operation ran: may it be believed that it changes nothing for the Application? Pure.

Without ``manifest-generate-paths`` Argo CD renders the manifests of every commit, and starting no
operation says that they are the same. With it manifests rendered before are kept when none of the
paths changed, so that only Git can say whether the commit changed something there. Hooks are never
compared, so that a commit which changes only a hook looks like one that changes nothing.
"""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from posixpath import join, normpath

from gate.facts.application import Application
from gate.facts.bundle import Asked, Facts
from gate.facts.commit import changes_since
from gate.layers.finding import Finding, held
from gate.layers.operation import Operation
from gate.layers.sources import Sources
from gate.reasons import Reason

GENERATE_PATHS = "argocd.argoproj.io/manifest-generate-paths"


def _paths(annotation: str, base: str) -> Iterator[str]:
    """The annotated paths from the root of the repository; relative ones begin at the source's path."""
    for part in annotation.split(";"):
        path = part.strip()
        if path.startswith("/"):
            yield normpath(path).strip("/")
        elif path != "":
            yield normpath(join(base, path)).strip("/")


def _touches(file: str, path: str) -> bool:
    return path in (".", "") or file == path or file.startswith(f"{path}/") or fnmatchcase(file, path)


def _bases(app: Application, sources: Sources) -> Iterator[str]:
    raws = app.spec.sources if sources.many else (app.spec.source,)
    for source, raw in zip(sources.items, raws or (), strict=True):
        path = None if raw is None else raw.get("path")
        if source.gated:
            yield path if isinstance(path, str) else "."


def _has_hooks(app: Application, operation: Operation) -> bool:
    """Whether hooks are known of: Argo CD neither compares them nor runs them without an operation."""
    resources = (app.status.resources if app.status is not None else None) or ()
    result = operation.state.sync_result
    entries = (result.resources if result is not None else None) or ()
    return any(one.hook is True for one in resources) or any(one.hook_type is not None for one in entries)


def check_no_op(
    facts: Facts, asked: Asked, app: Application, operation: Operation, sources: Sources, what: str
) -> Finding | None:
    """Held where kept manifests, or hooks that are never compared, may hide what the commit changed."""
    annotation = app.metadata.annotation(GENERATE_PATHS)
    hooks = _has_hooks(app, operation)
    if operation.at is None or (annotation is None and not hooks):
        return None
    before = operation.at[sources.gated[0].index]
    found = changes_since(facts.git, before, asked.intended)
    hidden = "hooks are not compared" if annotation is None else "with manifest-generate-paths manifests are kept"
    why = f"{what}: no operation ran for {asked.intended}, and {hidden}"
    if found.relation != "ahead" or found.truncated or len(found.commits) == 0:
        return held(Reason.NO_OP_NOT_PROVEN, f"{why}; which files changed since {before} is not known")
    given = "." if annotation is None else annotation
    paths = [path for base in _bases(app, sources) for path in _paths(given, base)]
    touched = next((file for file in found.files if any(_touches(file, path) for path in paths)), None)
    if touched is None:
        return None
    return held(Reason.NO_OP_NOT_PROVEN, f"{why}; but {touched} changed since {before}, which is one of its paths")
