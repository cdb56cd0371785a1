"""Scenarios about Pods and endpoints: what Synced does not say."""

from gate.lab.manifests import Strategy, web_release
from gate.lab.scenarios.act import PASSED, Act, Expected, Scenario
from gate.lab.scenarios.story import NOT_THERE
from gate.lab.stage import WEB, Stage

_PATIENT = 600
"""Seconds of a progress deadline that no scenario lives to see."""


def _rolling_first(stage: Stage) -> str:
    return stage.create(stage.release("1.0.0", note="first", strategy="RollingUpdate"))


def _no_endpoints(stage: Stage) -> str:
    return stage.pin(stage.release("1.1.0", selector={"app": "nobody"}))


def _old_pods(stage: Stage) -> str:
    sha = stage.release("1.1.0", strategy="RollingUpdate", readiness_path=NOT_THERE, progress_deadline=_PATIENT)
    return stage.pin(sha)


def _slow(stage: Stage, seconds: int, strategy: Strategy) -> str:
    release = web_release(WEB, "1.1.0", strategy=strategy, progress_deadline=_PATIENT)
    pod = release[1]["spec"]["template"]["spec"]
    pod["containers"][0]["readinessProbe"]["initialDelaySeconds"] = seconds
    return stage.pin(stage.write(release, f"Release 1.1.0, ready after {seconds} s"))


def _crash(stage: Stage) -> str:
    return stage.pin(stage.release("1.1.0", environment={"EXIT": "3"}, progress_deadline=_PATIENT))


def _no_image(stage: Stage) -> str:
    release = web_release(WEB, "1.1.0", progress_deadline=_PATIENT)
    container = release[1]["spec"]["template"]["spec"]["containers"][0]
    container["image"], container["imagePullPolicy"] = "promotion-gate.test/web:not-there", "IfNotPresent"
    return stage.pin(stage.write(release, "Release 1.1.0 from an image that is not there"))


def _stray(stage: Stage) -> str:
    stage.add_stray_pod()
    return stage.pin(stage.release("1.1.0"))


NO_ENDPOINTS = Scenario(
    "no-endpoints",
    "every Pod is ready, and the Service selects none of them",
    (
        Act(
            "no-endpoints",
            "The Service's selector finds nobody",
            _no_endpoints,
            Expected("held", "NoReadyEndpoints", "readiness", ("app=nobody",), timed_out=True),
            timeout=12,
        ),
    ),
)
OLD_PODS = Scenario(
    "old-pods-serving",
    "the new Pod never becomes ready, the old one answers 200, and the deadline ends the waiting",
    (
        Act(
            "old-pods",
            "The new Pod is not ready, the old one serves",
            _old_pods,
            Expected("failed", "OldPodsServing", "readiness", ("of an older",), timed_out=True),
            timeout=10,
        ),
    ),
    begin=_rolling_first,
)
SLOW = Scenario(
    "slow-rollout",
    "a rollout that takes its time, and passes",
    (Act("slow", "The new Pod is ready after 10 s", lambda stage: _slow(stage, 10, "RollingUpdate"), PASSED),),
    begin=_rolling_first,
)
TIMEOUT = Scenario(
    "timeout",
    "a rollout that takes longer than the gate waits",
    (
        Act(
            "slow",
            "The new Pod is ready after 300 s",
            lambda stage: _slow(stage, 300, "Recreate"),
            Expected("failed", "RolloutInProgress", "readiness", ("readyReplicas 0",), timed_out=True),
            timeout=8,
        ),
    ),
)
CRASH_LOOP = Scenario(
    "crash-loop",
    "a container that ends as soon as it has started",
    (
        Act(
            "crash",
            "The container ends at once",
            _crash,
            Expected("failed", "ContainerFailing", "readiness", ("CrashLoopBackOff",)),
        ),
    ),
)
IMAGE = Scenario(
    "image-missing",
    "an image that cannot be pulled",
    (
        Act(
            "image",
            "The image is not there",
            _no_image,
            Expected("failed", "ImagePullFailing", "readiness", ("web:not-there",)),
        ),
    ),
)
SCALED = Scenario(
    "scaled-to-zero",
    "no replica is wanted, so that there is nothing to judge",
    (
        Act(
            "scaled",
            "spec.replicas is 0",
            lambda stage: stage.pin(stage.release("1.1.0", replicas=0)),
            Expected("held", "ScaledToZero", "readiness", ("spec.replicas is 0",)),
        ),
    ),
)
PAUSED = Scenario(
    "paused",
    "the Deployment is paused, so that nothing rolls out",
    (
        Act(
            "paused",
            "spec.paused is true",
            lambda stage: stage.pin(stage.release("1.1.0", paused=True)),
            Expected("held", "Paused", "readiness", ("spec.paused",)),
        ),
    ),
)
STRAY = Scenario(
    "stray-pod",
    "a Pod that nobody manages stands behind the Service",
    (
        Act(
            "stray",
            "A stray Pod has the Service's labels",
            _stray,
            Expected("held", "StrayEndpoint", "readiness", ("/stray",), timed_out=True),
            timeout=12,
        ),
    ),
)
