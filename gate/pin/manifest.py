"""Reading the pinned ``targetRevision`` of one Application from a manifest file. Pure."""

from gate.errors import ConfigurationError
from gate.pin.application_set import ApplicationSet
from gate.pin.nodes import ManifestError, Parsed, parse_nodes
from gate.pin.places import HELM, Place, is_kind, objects, own_places, why_nothing
from gate.pin.spots import Spot


def refused(error: ManifestError, where: str) -> ConfigurationError:
    """A manifest's refusal as an error that names the file."""
    return ConfigurationError(f"{where} {error}.", means=error.means, change=error.change)


def parse_manifest(text: str, where: str) -> Parsed:
    """The documents of a manifest; ``where`` names file and commit in errors. Raises ConfigurationError."""
    try:
        return parse_nodes(text)
    except ManifestError as error:
        helm = "{{" in text
        raise ConfigurationError(
            f"{where} {error}, so that the pin cannot be read from it.",
            means=HELM["means"] if helm else "pin.file names another kind of file, or the manifest is damaged.",
            change=HELM["change"] if helm else "correct pin.file, or the manifest.",
        ) from error


def find_objects(parsed: Parsed, name: str, source: int | str | None) -> list[tuple[Spot, list[Place]]]:
    """Each object that defines the Application of this name, with the pins that it gives it.

    An ApplicationSet is asked only where no Application of the name stands in the file. Raises ManifestError.
    """
    every = list(objects(parsed))
    named = [one for one in every if is_kind(one, "Application") and one.text("metadata", "name") == name]
    if named:
        return [(one, own_places(one, source)) for one in named]
    sets = [one for one in every if is_kind(one, "ApplicationSet")]
    found = [(one, ApplicationSet(one).places(name, source)) for one in sets]
    if not any(places for _, places in found):
        raise ManifestError(f"holds no Application named {name}", **why_nothing(parsed))
    return [(one, places) for one, places in found if places]


def find_places(parsed: Parsed, name: str, source: int | str | None) -> list[list[Place]]:
    """The pins of the Application of this name, for each object that defines it. Raises ManifestError."""
    return [places for _, places in find_objects(parsed, name, source)]


def read_places(text: str, name: str, source: int | str | None, where: str) -> list[Place]:
    """Every place in the manifest that pins the Application. Raises ConfigurationError where there is none."""
    try:
        return [place for places in find_places(parse_manifest(text, where), name, source) for place in places]
    except ManifestError as error:
        raise refused(error, where) from error


def read_pin(text: str, name: str, source: int | str | None, where: str) -> str:
    """The ``targetRevision`` that the manifest gives the Application of this name.

    The Application stands there itself, or an ApplicationSet generates it. ``where`` names file and
    commit in errors. Raises ConfigurationError when the Application or its pin is not there, or when
    several sources are pinned differently and none is chosen.
    """
    pins = {place.spot.node.text for place in read_places(text, name, source, where)}
    if len(pins) == 1 and "" not in pins:
        return pins.pop()
    raise ConfigurationError(
        f"{where}: Application {name} has {len(pins - {''})} different pins; expected one.",
        means="targetRevision is not written there, or several sources are pinned differently.",
        change="write targetRevision, or choose one source with `source:` in the configuration.",
    )
