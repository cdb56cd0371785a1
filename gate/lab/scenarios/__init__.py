"""Every scenario of the laboratory, by name."""

import difflib

from gate.errors import UsageError
from gate.lab.scenarios import approval, intent, readiness, request, sync, systems
from gate.lab.scenarios.act import Scenario
from gate.lab.scenarios.story import STORY

SCENARIOS: dict[str, Scenario] = {
    one.name: one
    for one in (
        STORY,
        approval.APPROVAL,
        intent.NOT_PINNED,
        intent.BRANCH,
        intent.SUPERSEDED,
        intent.NO_OPERATION,
        intent.ABSENT,
        sync.STALE,
        sync.SELF_HEAL,
        sync.HAND_EDIT,
        sync.AUTOSYNC_OFF,
        sync.ROLLBACK,
        sync.WINDOW,
        sync.HOOK,
        sync.REFUSED,
        readiness.NO_ENDPOINTS,
        readiness.OLD_PODS,
        readiness.STRAY,
        readiness.SLOW,
        readiness.TIMEOUT,
        readiness.CRASH_LOOP,
        readiness.IMAGE,
        readiness.SCALED,
        readiness.PAUSED,
        request.WRONG_RELEASE,
        request.SERVER_ERROR,
        request.DEFAULT_BACKEND,
        systems.API_SERVER_AWAY,
        systems.FORBIDDEN,
        systems.MISSING_FIELD,
        systems.GITHUB_REFUSES,
    )
}


def find_scenario(name: str) -> Scenario:
    """The scenario of this name; raises UsageError with the nearest one."""
    found = SCENARIOS.get(name)
    if found is None:
        near = difflib.get_close_matches(name, SCENARIOS, 1, 0.3)
        raise UsageError(
            f"There is no scenario {name!r}.",
            change=f"Did you mean {near[0]}?" if near else "`gate lab --list` names them all.",
        )
    return found
