"""What the doctor says of a rehearsal: well only where everything was tried and refused, and nothing is advised."""

import pytest

import gate.rehearsal.rehearse
from gate.app.doctor.requests import examine_identity
from gate.rehearsal.results import NotTried
from tests.support.rehearsing import altering_only, environment, rehearse_settings

LOST = NotTried(name="a", subject="b", about="c", group="a", why="of another shape", change="report it")


def _said(monkeypatch: pytest.MonkeyPatch, **changes: object) -> list[tuple[str, str]]:
    with altering_only("previous-release-answers"):
        made = rehearse_settings(environment()).model_copy(update=changes)
    monkeypatch.setattr(gate.rehearsal.rehearse, "rehearse", lambda *_: made)
    return [(one.level, one.seen) for one in examine_identity("staging", environment())]


def test_all_refused_is_well(monkeypatch: pytest.MonkeyPatch) -> None:
    [(level, said)] = _said(monkeypatch)
    assert (level, "are refused" in said) == ("ok", True)


def test_what_could_not_be_tried_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    [(level, said)] = _said(monkeypatch, not_tried=(LOST,))
    assert (level, said) == ("problem", "1 of the alterations could not be tried.")


def test_where_something_is_advised_nothing_is_said_to_be_well(monkeypatch: pytest.MonkeyPatch) -> None:
    [(level, said)] = _said(monkeypatch, advice=("request one cannot tell releases apart",))
    assert (level, said) == ("problem", "request one cannot tell releases apart")
