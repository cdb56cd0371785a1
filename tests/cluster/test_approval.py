"""An approval on the real cluster: given, refused once the service was broken behind its back, and given again."""

from pathlib import Path

import pytest

from tests.cluster.harness import Harness
from tests.cluster.story.approval import check_told, tell

pytestmark = pytest.mark.cluster


def test_a_service_that_broke_since_it_passed_is_not_approved(harness: Harness, tmp_path: Path) -> None:
    check_told(tell(harness, tmp_path))
