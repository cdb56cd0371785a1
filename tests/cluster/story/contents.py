"""Tales of releases that run and are not what was meant, or stand still, or cannot start."""

from tests.cluster.harness import Object, stateful_release, web_release
from tests.cluster.story import seeing
from tests.cluster.story.acts import PASSED, Act, Expected, Tale
from tests.cluster.story.stage import WEB, Stage, changed, container


def _stray(stage: Stage) -> str:
    """A Pod that nobody manages, with the labels that the Service selects."""
    pod = stage.deployment["spec"]["template"]
    body = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "stray", "namespace": stage.namespace, "labels": dict(pod["metadata"]["labels"])},
        "spec": pod["spec"],
    }
    stage.harness.apply(body)
    return stage.pin(stage.release("1.3.0"))


def _stray_gone(stage: Stage) -> str:
    stage.harness.delete("Pod", stage.namespace, "stray")
    return stage.pin(stage.release("1.4.0"))


ANSWERS = Tale(
    "answers",
    acts=(
        Act(
            "body-of-another-release",
            "200 with another release's body",
            lambda stage: stage.pin(stage.release("1.1.0", answer="1.0.0")),
            "fail",
            Expected("failed", "WrongRelease", "request", ("'1.0.0'", "'1.1.0'")),
            recorded_when=seeing.finished,
        ),
        Act(
            "server-error",
            "every answer is 500",
            lambda stage: stage.pin(stage.release("1.1.1", environment={"STATUS": "500"})),
            "fail",
            Expected("failed", "ServerError", "request", ("500",), timed_out=True),
            timeout=15,
            recorded_when=seeing.finished,
        ),
        Act(
            "no-endpoints",
            "a Service whose selector finds nothing",
            lambda stage: stage.pin(stage.release("1.2.0", selector={"app": "nobody"})),
            "hold",
            Expected("held", "NoReadyEndpoints", "readiness", ("no ready endpoint", "app=nobody"), timed_out=True),
            timeout=15,
            recorded_when=seeing.no_ready_endpoint,
        ),
        Act(
            "stray-pod",
            "a stray Pod behind the Service",
            _stray,
            "hold",
            Expected("held", "StrayEndpoint", "readiness", ("stray",), timed_out=True),
            timeout=15,
            recorded_when=seeing.finished_beside_stray,
        ),
        Act("stray-pod-gone", "a good bump once the stray Pod is gone", _stray_gone, "pass", PASSED),
    ),
)

STANDSTILL = Tale(
    "standstill",
    acts=(
        Act(
            "replicas-0",
            "scaled to zero",
            lambda stage: stage.pin(stage.release("1.1.0", replicas=0)),
            "hold",
            Expected("held", "ScaledToZero", "readiness", ("spec.replicas is 0",)),
            recorded_when=seeing.synced_quietly,
        ),
        Act(
            "paused",
            "a paused Deployment",
            lambda stage: stage.pin(stage.release("1.2.0", paused=True)),
            "hold",
            Expected("held", "Paused", "readiness", ("is paused",)),
            recorded_when=seeing.suspended,
        ),
        Act("going-on", "no longer paused", lambda stage: stage.pin(stage.release("1.2.0")), "pass", PASSED),
    ),
)


def _begin_stateful(stage: Stage) -> None:
    sha = stage.create(stage.write(stateful_release(WEB, "1.0.0"), "Release 1.0.0"))
    stage.wait(seeing.synced_quietly, sha)


STATEFUL = Tale(
    "stateful",
    begin=_begin_stateful,
    acts=(
        Act(
            "stateful-on-delete",
            "StatefulSet with OnDelete: the old Pod stays",
            lambda stage: stage.pin(stage.write(stateful_release(WEB, "1.1.0"), "Release 1.1.0")),
            "hold",
            Expected("held", "NoReadinessRule", "readiness", ("StatefulSet",)),
            recorded_when=seeing.synced_quietly,
        ),
    ),
)


def _missing_image(stage: Stage) -> str:
    def change(body: Object) -> None:
        one = container(body)
        one["image"], one["imagePullPolicy"] = "promotion-gate.test/web:not-there", "IfNotPresent"

    release = web_release(WEB, "1.2.0", progress_deadline=600)
    return stage.pin(stage.write(changed(release, "Deployment", change), "Release 1.2.0"))


CONTAINERS = Tale(
    "containers",
    policy="{degraded-grace: 5s}",
    acts=(
        Act(
            "crash-loop",
            "a container that ends at once",
            lambda stage: stage.pin(stage.release("1.1.0", environment={"EXIT": "3"}, progress_deadline=600)),
            "fail",
            Expected("failed", "ContainerFailing", "readiness", ("CrashLoopBackOff",)),
            recorded_when=seeing.container_waits,
        ),
        Act(
            "image-pull-failing",
            "an image that is not there",
            _missing_image,
            "fail",
            Expected("failed", "ImagePullFailing", "readiness", ("ImagePull", "web:not-there")),
            recorded_when=seeing.container_waits,
        ),
        Act(
            "containers-recovered",
            "a good bump after containers that could not start",
            lambda stage: stage.pin(stage.release("1.3.0")),
            "pass",
            PASSED,
        ),
    ),
)
