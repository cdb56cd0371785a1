"""One Application that deploys the same manifests, with the same labels, into two namespaces."""

import json
from typing import Any

from tests.support.bundles import Json, both
from tests.support.raw_application import NAMESPACE

OTHER = "elsewhere"


def elsewhere(raw: Any, namespace: str = NAMESPACE) -> Any:
    """A copy of JSON data in another namespace, with uids and addresses of its own."""
    text = json.dumps(raw).replace("-4000-", "-4009-").replace("10.244.", "10.249.").replace("10.96.", "10.109.")
    return json.loads(text.replace(f'"namespace": "{namespace}"', f'"namespace": "{OTHER}"'))


def deployed_twice(moment: Json) -> None:
    """The same manifests in a second namespace, by the same Application."""
    moment["objects"] += elsewhere(moment["objects"])
    for app in both(moment):
        status = app["status"]
        for part in (status, status["operationState"]["syncResult"]):
            part["resources"] += elsewhere(part["resources"])
