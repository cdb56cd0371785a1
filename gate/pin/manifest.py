"""Reading the pinned ``targetRevision`` of one Application from a manifest file. Pure."""

from typing import Any

import yaml

from gate.errors import ConfigurationError


class _Loader(yaml.SafeLoader):
    """Scalars stay the texts they are: a commit id of forty digits is no number, and null is nothing."""


_Loader.yaml_implicit_resolvers = {
    letter: [
        (tag, pattern) for tag, pattern in resolvers if tag in ("tag:yaml.org,2002:null", "tag:yaml.org,2002:merge")
    ]
    for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _documents(text: str, where: str) -> list[dict[str, Any]]:
    try:
        found = list(yaml.load_all(text, Loader=_Loader))  # a subclass of the safe loader
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
        return plain[source : source + 1] if source >= 0 else []
    if isinstance(source, str):
        return [one for one in plain if one.get("name") == source]
    return [one for one in plain if not one.get("chart")]


def read_pin(text: str, name: str, source: int | str | None, where: str) -> str:
    """The ``targetRevision`` that the manifest gives the Application of this name.

    ``where`` names file and commit in errors. Raises ConfigurationError when the Application or
    its pin is not there, or when several sources are pinned differently and none is chosen.
    """
    found = [document for document in _documents(text, where) if _is_application(document, name)]
    if not found:
        raise ConfigurationError(
            f"{where} holds no Application named {name}.",
            means="pin.file names another file, or the Application was renamed.",
            change="correct pin.file in the configuration.",
        )
    chosen = [one for document in found for one in _chosen(_sources(document.get("spec")), source)]
    pins = {one.get("targetRevision") for one in chosen if isinstance(one.get("targetRevision"), str | None)}
    if len(pins) == 1 and len(pins & {None, ""}) == 0:
        return str(pins.pop())
    raise ConfigurationError(
        f"{where}: Application {name} has {len(pins - {None, ''})} different pins; expected one.",
        means="targetRevision is not written there, or several sources are pinned differently.",
        change="write targetRevision, or choose one source with `source:` in the configuration.",
    )


def _is_application(document: dict[str, Any], name: str) -> bool:
    metadata = document.get("metadata")
    return document.get("kind") == "Application" and isinstance(metadata, dict) and metadata.get("name") == name
