"""An approval on the laboratory, as on the real cluster: what a real check wrote, and a service that broke since."""

from pathlib import Path

import pytest

from tests.cluster.story.approval import check_told, tell
from tests.lab.harness import LabHarness

pytestmark = pytest.mark.exhaustive


@pytest.mark.timeout(170)  # most of it is waiting: for the progress deadline, and two bundles a run
def test_a_service_that_broke_since_it_passed_is_not_approved(tmp_path: Path) -> None:
    with LabHarness(speed=4.0) as harness:
        check_told(tell(harness, tmp_path))
