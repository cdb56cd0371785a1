"""Argo CD sync windows: is one keeping automated sync from starting now? Pure.

Rules (Argo CD user guide, "Sync Windows"): a matching active deny window blocks; when matching
allow windows exist, one of them has to be active. Schedules are five-field cron in ``timeZone``.
"""

import re
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from gate.facts.application import Application
from gate.facts.project import AppProject, SyncWindow

_PART = re.compile(r"(\d+(?:\.\d+)?)(h|m|s)")
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0}
_MOST_OPENINGS = 200
_NEVER = datetime.max.replace(tzinfo=UTC)


def _any(patterns: tuple[str, ...] | None, value: object) -> bool | None:
    """Whether a pattern matches; None when there are no patterns (they do not take part)."""
    if patterns is None or len(patterns) == 0:
        return None
    return isinstance(value, str) and any(fnmatchcase(value, pattern) for pattern in patterns)


def _matches(window: SyncWindow, app: Application) -> bool:
    destination = app.spec.destination or {}
    cluster = destination.get("name") or destination.get("server")
    answers = [
        answer
        for answer in (
            _any(window.applications, app.metadata.name),
            _any(window.namespaces, destination.get("namespace")),
            _any(window.clusters, cluster),
        )
        if answer is not None
    ]
    if not answers:
        return False
    return all(answers) if window.use_and_operator is True else any(answers)


def _length(text: str | None) -> timedelta | None:
    if text is None or "".join(found.group(0) for found in _PART.finditer(text)) != text or text == "":
        return None
    return timedelta(seconds=sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text)))


def _spans(window: SyncWindow, now: datetime) -> list[tuple[datetime, datetime]] | None:
    """When the window was or will be open around ``now``, in order; None when it cannot be told.

    The last one begins after ``now``, and after the end of the one before it: there is a gap.
    """
    from cronsim import CronSim, CronSimError  # only Applications with windows pay for it

    length = _length(window.duration)
    try:
        zone = ZoneInfo(window.time_zone or "UTC")
        if length is None or window.schedule is None:
            return None
        starts = CronSim(window.schedule, (now - length - timedelta(minutes=1)).astimezone(zone))
        spans: list[tuple[datetime, datetime]] = []
        for start in starts:
            apart = len(spans) == 0 or start > spans[-1][1]
            spans.append((start, start + length))
            if (start > now and apart) or len(spans) == _MOST_OPENINGS:
                return spans
    except (CronSimError, ZoneInfoNotFoundError, ValueError):
        return None
    return spans


def _deny_end(spans: list[tuple[datetime, datetime]], now: datetime) -> datetime | None:
    """When the running deny stretch ends; None when no deny is active, the latest time there is without an end."""
    end: datetime | None = None
    for start, stop in spans:
        if start <= (end or now) < stop or (end is not None and start <= end):
            end = max(stop, end or stop)
    return _NEVER if end is not None and end == spans[-1][1] else end


def closed_until(project: AppProject, app: Application, now: datetime) -> datetime | bool:
    """Until when automated sync is blocked: False when it is not, True when no end is known."""
    windows = [window for window in project.spec.sync_windows or () if _matches(window, app)]
    denied: datetime | None = None
    openings: list[datetime] = []
    allowing = allowed = False
    for window in windows:
        spans = _spans(window, now)
        if spans is None:
            continue
        if window.kind == "deny":
            end = _deny_end(spans, now)
            denied = end if denied is None else max(denied, end or denied)
        elif window.kind == "allow":
            allowing = True
            allowed = allowed or any(start <= now < stop for start, stop in spans)
            openings.extend(start for start, _ in spans if start > now)
    if denied is not None:
        return True if denied == _NEVER else denied
    if not allowing or allowed:
        return False
    return min(openings) if openings else True
