"""Reading the pinned ``targetRevision`` of one Application from a manifest file. Pure."""

from typing import Any

import yaml

from gate.errors import ConfigurationError


def _documents(text: str, where: str) -> list[dict[str, Any]]:
    try:
        found = list(yaml.safe_load_all(text))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise ConfigurationError(
            f"{where} is not YAML, so that the pin cannot be read from it.",
            means="pin.file names another kind of file, or the manifest is damaged.",
            change="correct pin.file, or the manifest.",
        ) from error
    return [one for one in found if isinstance(one, dict)]


def _sources(spec: Any) -> list[Any]:
    many = spec.get("sources") if isinstance(spec, dict) else None
    if isinstance(many, list) and many:
        return many
    single = spec.get("source") if isinstance(spec, dict) else None
    return [] if single is None else [single]


def _chosen(sources: list[Any], source: int | str | None) -> list[dict[str, Any]]:
    """The chosen source, or every one that comes from Git when none was chosen."""
    plain = [one for one in sources if isinstance(one, dict)]
    if isinstance(source, int):
        return plain[source : source + 1]
    if isinstance(source, str):
        return [one for one in plain if one.get("name") == source]
    return [one for one in plain if not one.get("chart")]


def read_pin(text: str, name: str, source: int | str | None, where: str) -> str:
    """The ``targetRevision`` that the manifest gives the Application of this name.

    ``where`` names file and commit in errors. Raises ConfigurationError when the Application or
    its pin is not there, or when several sources are pinned differently and none is chosen.
    """
    for document in _documents(text, where):
        metadata = document.get("metadata")
        if document.get("kind") != "Application" or not isinstance(metadata, dict) or metadata.get("name") != name:
            continue
        pins = {str(one.get("targetRevision", "")) for one in _chosen(_sources(document.get("spec")), source)}
        if len(pins) == 1 and "" not in pins:
            return pins.pop()
        raise ConfigurationError(
            f"{where}: Application {name} has {len(pins)} different pins; expected one.",
            means="targetRevision is not written there, or several sources are pinned differently.",
            change="write targetRevision, or choose one source with `source:` in the configuration.",
        )
    raise ConfigurationError(
        f"{where} holds no Application named {name}.",
        means="pin.file names another file, or the Application was renamed.",
        change="correct pin.file in the configuration.",
    )
