"""What the intended release calls itself: the values that expectations may use. Pure."""

from gate.facts.release import Release, split_image
from gate.facts.workload import PodTemplate
from gate.verdict import CommitSummary

_SHORT = 7


def template_values(
    template: PodTemplate | None, labels: dict[str, str] | None, annotations: dict[str, str] | None
) -> dict[str, str | None]:
    """Labels, annotations and images of a Pod template.

    ``labels`` and ``annotations`` are the workload's own, used where the template lacks a key.
    """
    made = PodTemplate() if template is None else template
    values: dict[str, str | None] = {}
    for prefix, texts in (
        ("label", {**(labels or {}), **made.labels}),
        ("annotation", {**(annotations or {}), **made.annotations}),
    ):
        values.update({f"{prefix}:{name}": text for name, text in texts.items()})
    for name, image in made.images.items():
        values[f"image.tag:{name}"], values[f"image.digest:{name}"] = split_image(image)
    return values


def release_values(release: Release, intended: str, commit: CommitSummary | None) -> dict[str, str | None]:
    """Every value an expectation may use for this release: the commit's and the workload's."""
    metadata = release.deployment.metadata
    return {
        **template_values(release.deployment.spec.template, metadata.labels, metadata.annotations),
        "revision": intended,
        "short-revision": intended[:_SHORT],
        "tree": None if commit is None else commit.tree,
    }
