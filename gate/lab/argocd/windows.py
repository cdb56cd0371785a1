"""Sync windows of an AppProject: may an Application be synced now? Pure.

Written from Argo CD's rules on its own, not by the gate's, so that the two are held against each other.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from gate.lab.cluster.store import Object

_DURATION = re.compile(r"(\d+)(h|m|s)")
_SECONDS = {"h": 3600, "m": 60, "s": 1}


def can_sync(project: Object, app: Object, now: datetime, *, manual: bool) -> bool:
    """Whether the windows let a sync begin; not where one cannot be read. ``manual``: a person asks for it."""
    matching = [one for one in project.get("spec", {}).get("syncWindows") or () if _matches(one, app)]
    try:
        active = [one for one in matching if _is_active(one, now)]
    except (CronSimError, ZoneInfoNotFoundError, ValueError):
        return False
    denying = [one for one in active if one.get("kind") == "deny"]
    if denying:
        return manual and _manual_enabled(denying)
    if any(one.get("kind") == "allow" for one in active):
        return True
    allowing = [one for one in matching if one.get("kind") == "allow"]
    return not allowing or (manual and _manual_enabled(allowing))


def _manual_enabled(windows: Iterable[Object]) -> bool:
    return all(one.get("manualSync") is True for one in windows)


def _is_active(window: Object, now: datetime) -> bool:
    """Whether the last opening before now is younger than the duration."""
    parts = _DURATION.findall(str(window.get("duration", "")))
    length = timedelta(seconds=sum(int(number) * _SECONDS[unit] for number, unit in parts))
    zone = ZoneInfo(window.get("timeZone") or "UTC")
    opening = next(CronSim(str(window["schedule"]), (now - length).astimezone(zone)))
    return opening.astimezone(UTC) <= now


def _matches(window: Object, app: Object) -> bool:
    destination = app["spec"]["destination"]
    asked = {
        "applications": [app["metadata"]["name"]],
        "clusters": [destination.get("name", ""), destination.get("server", "")],
        "namespaces": [destination.get("namespace", "")],
    }
    answers = [_any(window[name], values) for name, values in asked.items() if window.get(name)]
    return bool(answers) and (all(answers) if window.get("andOperator") else any(answers))


def _any(patterns: Iterable[str], values: Iterable[str]) -> bool:
    return any(value and fnmatchcase(value, pattern) for pattern in patterns for value in values)
