"""GitHub Apps: who they are, where they are installed, and the tokens they get there."""

from __future__ import annotations

from datetime import UTC, datetime
from time import time
from typing import Any

from gate.lab.github import shapes
from gate.lab.github.exchange import Reply, not_found, unprocessable
from gate.lab.github.history import timestamp
from gate.lab.github.identity import LEVELS, App
from gate.lab.github.routing import REPOSITORY, Call, Router

router = Router()


def itself(call: Call) -> App:
    """The App that asks."""
    return call.world.apps[str(call.identity.app_id)]


@router.add("GET", "/app", for_app=True)
def get(call: Call) -> Reply:
    """The App itself."""
    app = itself(call)
    shape = shapes.app(call, app.identity)
    return Reply(body={**(shape or {}), "permissions": written(app), "installations_count": 1})


@router.add("GET", f"{REPOSITORY}/installation", for_app=True)
def installation(call: Call) -> Reply:
    """Where it is installed, if the repository in the path is there."""
    app, api = itself(call), call.request.api
    url = f"{api}/app/installations/{app.installation_id}"
    owner = shapes.account(call, call.repository.owner, call.repository.id + 1, "Organization")
    body: dict[str, Any] = {
        "id": app.installation_id,
        "account": owner,
        "repository_selection": "all",
        "access_tokens_url": f"{url}/access_tokens",
        "repositories_url": f"{api}/installation/repositories",
        "html_url": f"{call.request.server}/organizations/settings/installations/{app.installation_id}",
        "app_id": app.id,
        "app_slug": app.slug,
        "target_id": owner["id"],
        "target_type": "Organization",
        "permissions": written(app),
        "events": [],
        "created_at": call.repository.created_at,
        "updated_at": call.repository.created_at,
        "single_file_name": None,
        "suspended_by": None,
        "suspended_at": None,
    }
    return Reply(body=body)


@router.add("POST", "/app/installations/{installation_id}/access_tokens", for_app=True)
def access_token(call: Call) -> Reply:
    """A token that lives for an hour (here: for as long as the App was told).

    Rules: no more than the App itself may do, 422 beyond; old tokens stay
    good until they expire. Sources: https://docs.github.com/en/rest/apps/apps
    (create an installation access token for an app),
    peter-murray/workflow-application-token-action#48.
    """
    app = itself(call)
    if call.parameters["installation_id"] != str(app.installation_id):
        raise not_found()
    asked = (call.request.body or {}).get("permissions") or {}
    held = app.identity
    if any(level not in LEVELS or not held.may(name.replace("_", "-"), level) for name, level in asked.items()):
        raise unprocessable("The permissions requested are not granted to this installation.")
    token, expires = f"ghs_standin{next(call.world.ids)}", time() + app.lifetime
    call.world.identities[token] = held.restricted(asked) if asked else held
    call.world.expiry[token] = expires
    body = {
        "token": token,
        "expires_at": timestamp(datetime.fromtimestamp(expires, UTC)),
        "permissions": asked or written(app),
        "repository_selection": "all",
    }
    return Reply(201, body)


def written(app: App) -> dict[str, str]:
    """Its permissions as the API spells them."""
    return {name.replace("-", "_"): level for name, level in app.permissions.items()}
