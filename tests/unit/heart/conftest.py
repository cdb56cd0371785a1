"""What the tests of the decision share."""

from pathlib import Path

import pytest

from tests.support.replaying import Replay, replay_in


@pytest.fixture
def replay(tmp_path: Path) -> Replay:
    """``gate replay``, called in the process."""
    return replay_in(tmp_path)
