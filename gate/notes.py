"""What a reader must know beside the layers: opt-ins in force, tags not pinned, what identity rests on. Pure."""

from collections.abc import Iterator

from gate.config.model import Request
from gate.facts.bundle import Asked, Facts
from gate.facts.release import Release, image_of, pinned_digest
from gate.layers.request.identity import template_values
from gate.observed import Present

SCOPE = "This verdict is about a stateless web release; it says nothing about data."


def _opt_ins(asked: Asked) -> Iterator[str]:
    policy = asked.settings.policy
    for opt_in in policy.allow:
        yield f"Opt-in in force: allow {opt_in.value}."
    if policy.unjudged_kinds:
        yield f"Opt-in in force: these kinds are not judged: {', '.join(policy.unjudged_kinds)}."


def _tags(releases: tuple[Release, ...]) -> Iterator[str]:
    for release in releases:
        template = release.deployment.spec.template or {}
        spec = template.get("spec")
        containers = spec.get("containers") if isinstance(spec, dict) else None
        for one in containers or ():
            name = one.get("name") if isinstance(one, dict) else None
            if isinstance(name, str) and pinned_digest(release.deployment, name) is None:
                image = image_of(release.deployment, name)
                yield f"{release.what}: container {name} uses {image}: tag, content not pinned."


def _same_identity(releases: tuple[Release, ...], requests: tuple[Request, ...]) -> Iterator[str]:
    """Whether an older ReplicaSet would give the same answers: then endpoints alone tell them apart."""
    if not any(request.expect.identity for request in requests):
        return
    for release in releases:
        if not release.previous:
            continue
        own = release.deployment.metadata
        ours = template_values(release.deployment.spec.template or {}, {"labels": own.labels})
        for other in release.previous:
            if template_values(other.spec.template or {}, {"labels": own.labels}) == ours:
                yield (
                    f"{release.what}: the release before calls itself the same; the verdict rests on the endpoints "
                    "leading to the new ReplicaSet's Pods only."
                )
                break


def _risks(facts: Facts) -> Iterator[str]:
    for one in facts.applications:
        app = one.first.value if isinstance(one.first, Present) else None
        if app is None:
            continue
        if app.metadata.annotation("argocd.argoproj.io/manifest-generate-paths") is not None:
            yield f"{one.what} has manifest-generate-paths: Argo CD may keep manifests it rendered before."
        for condition in (app.status.conditions if app.status is not None else None) or ():
            if condition.type is not None and condition.type.endswith("Warning"):
                yield f"{one.what}: {condition.type}: {condition.message or 'no message'}"


def collect_notes(facts: Facts, asked: Asked, releases: tuple[Release, ...], *, no_op: bool) -> tuple[str, ...]:
    """All notes, in the order in which they matter."""
    notes = [*_opt_ins(asked), *_risks(facts), *_same_identity(releases, asked.settings.requests), *_tags(releases)]
    if no_op:
        notes.insert(0, "The commit changes nothing for this Application, so no operation ran for it.")
    return (*notes, SCOPE)
