"""Sync windows: when automated sync is blocked, until when, and when that is final."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gate.evidence.recording import parse_recording
from gate.facts.application import Application
from gate.facts.bundle import Asked
from gate.facts.project import AppProject
from gate.judge import judge_moments
from gate.layers.windows import closed_until
from gate.outcomes import VerdictWord
from gate.reasons import Reason
from tests.support import raw_application as argo
from tests.support.bundles import OLD, Json, both, recording

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)  # a Monday
EVERY = {"applications": ["*"]}


def window(kind: str, schedule: str, duration: str, **more: Any) -> Json:
    return {"kind": kind, "schedule": schedule, "duration": duration, **EVERY, **more}


def closed(*windows: Json, now: datetime = NOON, destination: Json | None = None) -> datetime | bool:
    raw = {"metadata": {"name": "default", "namespace": "argocd"}, "spec": {"syncWindows": list(windows)}}
    app = argo.application()
    if destination is not None:
        app["spec"]["destination"] = destination
    return closed_until(AppProject.model_validate(raw), Application.model_validate(app), now)


def hour(number: int, *, day: int = 4) -> datetime:
    return datetime(2026, 5, day, number, tzinfo=UTC)


@pytest.mark.parametrize(
    ("windows", "expected"),
    [
        ((), False),
        ((window("deny", "0 11 * * *", "2h"),), hour(13)),
        ((window("deny", "0 13 * * *", "2h"),), False),
        ((window("deny", "0 11 * * *", "1h"),), False),  # it ended this very moment
        ((window("deny", "0 12 * * *", "1h"),), hour(13)),  # it began this very moment
        ((window("deny", "0 11 * * *", "1h30m"),), datetime(2026, 5, 4, 12, 30, tzinfo=UTC)),
        ((window("deny", "0 11 * * *", "5400s"),), datetime(2026, 5, 4, 12, 30, tzinfo=UTC)),
        ((window("deny", "0 11 * * *", "1.5h"),), datetime(2026, 5, 4, 12, 30, tzinfo=UTC)),
        ((window("deny", "0 * * * *", "2h"),), True),  # each begins before the one before has ended
        ((window("deny", "0 13 * * *", "1h", timeZone="Europe/Berlin"),), False),  # 11 to 12 there in summer
        ((window("deny", "0 14 * * *", "1h", timeZone="Europe/Berlin"),), hour(13)),
        ((window("allow", "0 11 * * *", "2h"),), False),
        ((window("allow", "0 14 * * *", "2h"),), hour(14)),
        ((window("allow", "0 9 * * *", "1h"),), hour(9, day=5)),
        ((window("allow", "0 14 * * *", "2h"), window("allow", "0 13 * * *", "1h")), hour(13)),
        ((window("allow", "0 11 * * *", "2h"), window("deny", "0 11 * * *", "3h")), hour(14)),
        ((window("deny", "0 11 * * *", "2h", applications=["other-*"]),), False),
        ((window("deny", "0 11 * * *", "2h", applications=["sh?p"]),), hour(13)),
        ((window("deny", "0 11 * * *", "2h", applications=[], namespaces=["shop"]),), hour(13)),
        ((window("deny", "0 11 * * *", "2h", applications=[], clusters=["https://kubernetes.*"]),), hour(13)),
        ((window("deny", "0 11 * * *", "2h", namespaces=["other"], andOperator=True),), False),
        ((window("deny", "0 11 * * *", "2h", namespaces=["other"]),), hour(13)),
        ((window("deny", "0 11 * * *", "2h", applications=[]),), False),  # it names nobody
        ((window("deny", "not a schedule", "2h"),), False),
        ((window("deny", "0 11 * * *", "2 hours"),), False),
        ((window("deny", "0 11 * * *", ""),), False),
        ((window("deny", "0 11 * * *", "2h", timeZone="Nowhere/City"),), False),
        (({"kind": "deny", **EVERY},), False),
    ],
)
def test_closed_until(windows: tuple[Json, ...], expected: datetime | bool) -> None:
    assert closed(*windows) == expected


def test_a_schedule_that_cannot_be_understood_blocks_nothing() -> None:
    """The sync is awaited then, and the deadline ends it."""
    assert closed(window("allow", "0 0 30 2 *", "1h")) is False


def test_a_cluster_is_known_by_name_before_server() -> None:
    one = window("deny", "0 11 * * *", "2h", applications=[], clusters=["in-*"])
    assert closed(one, destination={"name": "in-cluster", "namespace": "shop"}) == hour(13)
    assert closed(one, destination={"server": argo.SERVER, "namespace": "shop"}) is False


def _waiting(*windows: Json) -> Json:
    """OutOfSync at the intended commit with no operation yet, at 10:00:20; a window's project is to be seen."""
    raw = recording(times=(20,))
    moment = raw["polls"][0]
    for app in both(moment):
        app["status"]["sync"]["status"] = "OutOfSync"
        app["status"]["operationState"] = argo.operation_state(OLD)
        app["status"]["history"] = app["status"]["history"][:1]
    metadata = {"name": "default", "namespace": "argocd"}
    project = {"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": metadata}
    moment["objects"].append({**project, "spec": {"syncWindows": list(windows)}})
    return raw


@pytest.mark.parametrize(
    ("windows", "reason", "final"),
    [
        ((), Reason.SYNC_NOT_STARTED, False),
        ((window("deny", "0 9 * * *", "1h5m"),), Reason.SYNC_WINDOW_CLOSED, False),  # opens before the deadline
        ((window("deny", "0 9 * * *", "3h"),), Reason.SYNC_WINDOW_CLOSED, True),
        ((window("allow", "0 12 * * *", "3h"),), Reason.SYNC_WINDOW_CLOSED, True),
        ((window("allow", "0 10 * * *", "3h"),), Reason.SYNC_NOT_STARTED, False),
    ],
)
def test_a_window_that_is_closed_past_the_deadline_is_final(
    windows: tuple[Json, ...], reason: Reason, final: bool
) -> None:
    parsed = parse_recording(_waiting(*windows))
    asked = Asked(
        parsed.asked.intended, "staging", parsed.asked.settings, deadline_at=argo.START + timedelta(minutes=15)
    )
    verdict = judge_moments(asked, parsed.git, parsed.moments)
    assert (verdict.reason, verdict.final) == (reason, final)
    assert verdict.word is (VerdictWord.HELD if reason is Reason.SYNC_WINDOW_CLOSED else VerdictWord.PENDING)


def test_without_a_deadline_a_closed_window_is_not_final() -> None:
    parsed = parse_recording(_waiting(window("deny", "0 9 * * *", "3h")))
    verdict = judge_moments(parsed.asked, parsed.git, parsed.moments)
    assert (verdict.reason, verdict.final) == (Reason.SYNC_WINDOW_CLOSED, False)
