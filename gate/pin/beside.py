"""Whether another manifest than the one with the pin makes an Application as well: Argo CD would deploy one. Pure."""

from pathlib import PurePosixPath

from gate.config.model import ApplicationTarget, Environment
from gate.pin.application_set import ApplicationSet
from gate.pin.nodes import ManifestError, parse_nodes
from gate.pin.places import is_kind, objects
from gate.pin.spots import Spot

_ENDINGS = (".yaml", ".yml", ".json")


def is_beside(path: str, target: ApplicationTarget) -> bool:
    """Whether this may be a manifest that is deployed with the one of the pin: of its folder, or below it.

    What is below the root of the repository is everything, so that there only the folder itself counts.
    """
    if target.pin is None or not path.endswith(_ENDINGS):
        return False
    folder, above = PurePosixPath(target.pin.file).parent, PurePosixPath(path).parents
    return above[0] == folder or (folder.parts != () and folder in above)


def makes(text: str, target: ApplicationTarget, settings: Environment) -> bool:
    """Whether a text holds the Application, or an ApplicationSet that is known to generate it.

    What cannot be read as a manifest makes nothing.
    """
    namespace = target.namespace or settings.argocd.namespace
    try:
        return any(
            _is(one, target.name or "") and one.text("metadata", "namespace") in ("", namespace)
            for one in objects(parse_nodes(text))
        )
    except ManifestError:
        return False


def _is(one: Spot, name: str) -> bool:
    if is_kind(one, "Application"):
        return one.text("metadata", "name") == name
    return is_kind(one, "ApplicationSet") and ApplicationSet(one).generates(name)
