"""What a reader must know beside the layers: opt-ins in force, tags not pinned, what identity rests on. Pure."""

import json
from collections.abc import Iterator

from gate.config.model import Request
from gate.facts.bundle import Asked, Facts
from gate.facts.release import Release, pinned_digest
from gate.facts.upstream import Metadata
from gate.facts.workload import TEMPLATE_HASH, PodTemplate
from gate.layers.noop import GENERATE_PATHS
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
        template = release.deployment.spec.template
        for container, image in (template.images if template is not None else {}).items():
            if pinned_digest(release.deployment, container) is None:
                yield f"{release.what}: container {container} uses {image}: tag, content not pinned."


def _identity(template: PodTemplate | None, own: Metadata) -> dict[str, str | None]:
    values = template_values(template, own.labels, None)
    return {name: value for name, value in values.items() if name != f"label:{TEMPLATE_HASH}"}


def _same_identity(releases: tuple[Release, ...], requests: tuple[Request, ...]) -> Iterator[str]:
    """Whether an older ReplicaSet would give the same answers: then endpoints alone tell them apart."""
    if not any(request.expect.identity for request in requests):
        return
    for release in releases:
        if not release.previous:
            continue
        own = release.deployment.metadata
        ours = _identity(release.deployment.spec.template, own)
        for other in release.previous:
            if _identity(other.spec.template, own) == ours:
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
        if app.metadata.annotation(GENERATE_PATHS) is not None:
            yield f"{one.what} has manifest-generate-paths: Argo CD may keep manifests it rendered before."
        for entry in app.spec.ignore_differences or ():
            if "template" in json.dumps(entry, default=str):
                yield (
                    f"{one.what}: ignoreDifferences leaves out part of a Pod template, so that Synced does not show "
                    "it to be Git's; what the release calls itself is taken from the live object."
                )
                break
        for condition in (app.status.conditions if app.status is not None else None) or ():
            if condition.type is not None and condition.type.endswith("Warning"):
                yield f"{one.what}: {condition.type}: {condition.message or 'no message'}"


def collect_notes(facts: Facts, asked: Asked, releases: tuple[Release, ...], *, no_op: bool) -> tuple[str, ...]:
    """All notes, in the order in which they matter."""
    notes = [*_opt_ins(asked), *_risks(facts), *_same_identity(releases, asked.settings.requests), *_tags(releases)]
    if no_op:
        notes.insert(0, "The commit changes nothing for this Application, so no operation ran for it.")
    return (*notes, SCOPE)
