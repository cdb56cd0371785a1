"""The cluster for the tests below this folder: started once, used by all of them.

PROMOTION_GATE_CLUSTER_KEEP=1 uses a cluster that already runs, or starts one,
and leaves it running; then several test processes may share it.
"""

import os
from collections.abc import Iterator

import pytest

from .harness import ClusterError, Harness


@pytest.fixture(scope="session")
def harness() -> Iterator[Harness]:
    """The running cluster. What the machine lacks for it is a failure, never a skip."""
    keep = os.environ.get("PROMOTION_GATE_CLUSTER_KEEP") == "1"
    if os.environ.get("PYTEST_XDIST_WORKER") and not keep:
        pytest.fail(
            "there is one cluster on a machine: run these tests in one process (-n 0), or start "
            "the cluster first and set PROMOTION_GATE_CLUSTER_KEEP=1",
            pytrace=False,
        )
    cluster = Harness(keep=keep)
    try:
        cluster.__enter__()
    except ClusterError as error:
        pytest.fail(str(error), pytrace=False)
    try:
        yield cluster
    finally:
        cluster.__exit__(None, None, None)
