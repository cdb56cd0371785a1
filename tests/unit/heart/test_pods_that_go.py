"""Pods that still serve while they go: those of an older release, and those of this one, which is said."""

import pytest

from gate.reasons import Reason
from tests.support import raw_workload as kube
from tests.support.bundles import Json, changed, find, judge, recording
from tests.support.raw_application import NEW, OLD


@pytest.mark.parametrize(("commit", "said"), [(OLD, "of an older release"), (NEW, "which is terminating,")])
def test_a_pod_that_is_terminating_and_serves(commit: str, said: str) -> None:
    def going(moment: Json) -> None:
        moment["objects"].append(kube.pod(commit, 5, terminating=True))
        leaving = kube.endpoint(kube.pod(commit, 5), ready=False, serving=True, terminating=True)
        find(moment, "EndpointSlice")["endpoints"].append(leaving)

    verdict = judge(changed(recording(), going))
    assert verdict.reason == Reason.OLD_PODS_SERVING
    name = kube.pod(commit, 5)["metadata"]["name"]
    assert f"Pod shop/{name} {said} still serves" in verdict.message
    kept = [item.value for layer in verdict.layers for item in layer.evidence if item.field == "Pods"]
    assert f"{name} ({'old' if commit == OLD else 'terminating'})" in kept[0]
