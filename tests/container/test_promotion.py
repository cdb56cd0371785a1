"""The promotion story, played by the workflows of docs/examples in the engine, against the laboratory.

Staging is bumped, its pull request into production goes green; staging breaks, it goes red and cannot be merged;
staging is mended, it goes green and is merged.
"""

import pytest

from gate.lab.github.merging import MergeRefused
from tests.container.engine import Engine
from tests.container.promotion import CONTEXT, PRODUCTION, Promotion, promotion

pytestmark = pytest.mark.timeout(600)
NOT_THERE = "/not-there"


def refused(on: Promotion) -> bool:
    """Whether the required status keeps the pull request out."""
    with pytest.raises(MergeRefused, match=CONTEXT):
        on.stage.github.merge_pull(on.number)
    return True


def test_staging_opens_and_closes_the_way_to_production(engine: Engine) -> None:
    with promotion(engine) as on:
        assert refused(on)  # nobody has judged it yet

        release = on.stage.release("1.1.0")
        bumped = on.bump()
        assert bumped.code == 0, bumped.log
        assert on.states(release) == on.states(on.head) == ["pending", "success"]

        on.stage.edit_release("by hand")  # staging degrades, with no commit at all
        assert on.recheck().code != 0
        assert on.states(on.head) == ["pending", "success", "error"]
        assert refused(on)
        on.stage.edit_release("1.1.0")
        again = on.recheck()
        assert again.code == 0, again.log
        assert on.states(on.head)[-1] == "success"

        good = on.head
        broken = on.stage.release("1.1.0", "Ask another path", note="broken", readiness_path=NOT_THERE)
        ended = on.bump()
        assert ended.results == {"bump": "failure"}, ended.log
        assert on.head != good
        assert on.states(broken) == on.states(on.head) == ["pending", "failure"]
        assert refused(on)

        reverted = on.stage.revert("broken")
        mended = on.bump()
        assert mended.code == 0, mended.log
        assert on.states(reverted) == on.states(on.head) == ["pending", "success"]
        merged = on.stage.github.merge_pull(on.number)
        assert reverted in on.stage.repository.git("show", f"{_fetched(on, merged.merge_commit_sha)}:apps/orders.yaml")


def _fetched(on: Promotion, commit: str | None) -> str:
    """A commit of production's branch, brought into the clone."""
    assert commit is not None
    on.stage.repository.git("fetch", "--quiet", "origin", PRODUCTION)
    return commit
