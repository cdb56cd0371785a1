"""Where in a manifest the pin of one Application stands: its own document, or an ApplicationSet's. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from gate.pin.nodes import ManifestError, Parsed
from gate.pin.spots import Spot

_GROUP = "argoproj.io/"

HELM = {
    "means": "the file is a Helm template; what it says is only known once Helm has filled it in.",
    "change": "name a plain manifest in pin.file, or pin the value where it comes from.",
}
KUSTOMIZE = {
    "means": "the file is for Kustomize, and the Application stands in another one.",
    "change": "name the plain manifest that Argo CD or kubectl applies in pin.file.",
}
UNWRITTEN = {
    "means": "what is not written there follows HEAD, and pins nothing.",
    "change": "write targetRevision, once, by hand; or choose another source with `source:` in the configuration.",
}


@dataclass(frozen=True)
class Place:
    """A ``targetRevision``, or the parameter that an ApplicationSet fills it with.

    ``field`` is how messages call it, ``chart`` says that it is a chart's version. ``repository`` is
    its source's repoURL, empty where there is none, None where an ApplicationSet fills it with what is
    not in the manifest; ``others`` are further Applications that it is known to pin.
    """

    spot: Spot
    field: str
    chart: bool = False
    repository: str | None = None
    others: frozenset[str] = frozenset()


def objects(parsed: Parsed) -> Iterator[Spot]:
    """The objects of all documents, lists unwrapped: to Argo CD that is whatever has items."""
    for document in parsed.documents:
        root = Spot(document)
        items = root.member("items")
        if items is not None and items.node.kind == "list":
            yield from items.items()
        else:
            yield root


def is_kind(one: Spot, kind: str) -> bool:
    """Whether this object is of a kind of Argo CD's; without apiVersion the kind alone tells."""
    version = one.text("apiVersion")
    return one.text("kind") == kind and (version == "" or version.startswith(_GROUP))


def chosen_sources(spec: Spot | None, source: int | str | None) -> list[tuple[Spot, str]]:
    """The chosen source, or every one that comes from Git when none was chosen, with what it is called."""
    many = None if spec is None else spec.member("sources")
    if many is not None and any(True for _ in many.items()):
        named = [(one, f"spec.sources[{index}]") for index, one in enumerate(many.items())]
    else:
        single = None if spec is None else spec.member("source")
        named = [] if single is None else [(single, "spec.source")]
    named = [one for one in named if one[0].node.kind == "mapping"]
    if isinstance(source, int):
        return [one for one in named if one[1] in (f"spec.sources[{source}]", "spec.source" if source == 0 else "")]
    if isinstance(source, str):
        return [one for one in named if one[0].text("name") == source]
    return [one for one in named if one[0].text("chart") == ""]


def own_places(application: Spot, source: int | str | None) -> list[Place]:
    """The pins that an Application's own document gives it.

    Raises ManifestError for one that is not written, or that Helm fills in.
    """
    places = []
    for one, called in chosen_sources(application.member("spec"), source):
        pin = one.member("targetRevision")
        if pin is None:
            raise ManifestError(f"has no {called}.targetRevision (line {one.node.line})", **UNWRITTEN)
        if pin.node.kind != "scalar" or "{{" in pin.node.text:
            raise ManifestError(f"has no plain {called}.targetRevision on line {pin.node.line}", **HELM)
        where = f"{called}.targetRevision"
        places.append(Place(pin, where, chart=one.text("chart") != "", repository=one.text("repoURL")))
    return places


def why_nothing(parsed: Parsed) -> dict[str, str]:
    """What it usually means that a file does not hold the Application: ``means`` and ``change``."""
    operations = (one for document in parsed.documents for one in Spot(document).items())
    if any(one.text("kind") == "Kustomization" for one in objects(parsed)) or any(
        "" not in (one.text("op"), one.text("path")) for one in operations
    ):
        return KUSTOMIZE
    if "{{" in parsed.text and not any(is_kind(one, "ApplicationSet") for one in objects(parsed)):
        return HELM
    return {
        "means": "pin.file names another file, or the Application was renamed.",
        "change": "correct pin.file in the configuration.",
    }
