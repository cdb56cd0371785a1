"""What the AppProject of an Application says against its spec. Pure."""

from fnmatch import fnmatchcase

from gate.lab.argocd.states import sources_of
from gate.lab.cluster.store import Object


def spec_errors(app: Object, project: Object | None) -> list[tuple[str, str]]:
    """The InvalidSpecErrors of an Application, as type and message."""
    spec = app["spec"]
    if project is None:
        what = f"Application referencing project {spec.get('project', 'default')} which does not exist"
        return [("InvalidSpecError", what)]
    rules = project.get("spec", {})
    name = project["metadata"]["name"]
    found = [
        f"application repo {source['repoURL']} is not permitted in project '{name}'"
        for source in sources_of(spec)[0]
        if not any(fnmatchcase(source["repoURL"], pattern) for pattern in rules.get("sourceRepos") or ())
    ]
    target = spec["destination"]
    server, namespace = target.get("server", ""), target.get("namespace", "")
    if not any(_allows(one, target) for one in rules.get("destinations") or ()):
        place = f"application destination server '{server}' and namespace '{namespace}'"
        found.append(f"{place} do not match any of the allowed destinations in project '{name}'")
    return [("InvalidSpecError", text) for text in found]


def _allows(rule: Object, target: Object) -> bool:
    clusters = (("server", target.get("server")), ("name", target.get("name")))
    cluster = any(value and fnmatchcase(value, rule.get(field) or "") for field, value in clusters)
    return cluster and fnmatchcase(target.get("namespace", ""), rule.get("namespace") or "")
