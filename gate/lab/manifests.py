"""Manifests of releases to try things with: a web server behind a Service, jobs, stateful sets."""

from collections.abc import Mapping
from typing import Literal

from gate.lab.cluster.store import Object

WEB_IMAGE = "promotion-gate.test/web:1"
"""The image of the web program; its environment variables say what it does."""
PORT = 8080
Strategy = Literal["Recreate", "RollingUpdate"]


def web_release(  # noqa: PLR0913 - a builder of manifests takes many keywords
    name: str,
    release: str,
    *,
    strategy: Strategy = "Recreate",
    replicas: int | None = 1,
    readiness_path: str = "/healthz",
    progress_deadline: int | None = 10,
    answer: str | None = None,
    selector: Mapping[str, str] | None = None,
    paused: bool | None = None,
    max_unavailable: int | str | None = None,
    max_surge: int | str | None = None,
    environment: Mapping[str, str] | None = None,
    namespace: str | None = None,
    annotations: Mapping[str, str] | None = None,
) -> list[Object]:
    """A Service and, after it, a Deployment of one release.

    answer: the release that /version names instead of this one. selector: the
    Service's, where it is not to find the pods. environment: further variables
    of the web program (EXIT, AFTER, LINGER, STATUS).
    """
    spec: Object = {
        "selector": {"matchLabels": {"app": name}},
        "strategy": _strategy(strategy, max_unavailable, max_surge),
        "template": _template(name, release, readiness_path, answer, environment),
    }
    deadline = {"progressDeadlineSeconds": progress_deadline}
    optional = {"replicas": replicas, "paused": paused, **deadline}
    spec.update({key: value for key, value in optional.items() if value is not None})
    metadata = _metadata(name, release, namespace)
    if annotations:
        metadata["annotations"] = dict(annotations)
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
    return [_service(name, release, selector, namespace), deployment]


def stateful_release(
    name: str,
    release: str,
    *,
    update: Literal["OnDelete", "RollingUpdate"] = "OnDelete",
    replicas: int = 1,
    partition: int | None = None,
    readiness_path: str = "/healthz",
    answer: str | None = None,
    namespace: str | None = None,
) -> list[Object]:
    """A Service and a StatefulSet; OnDelete leaves the old pod until someone deletes it."""
    strategy: Object = {"type": update}
    if partition is not None:
        strategy["rollingUpdate"] = {"partition": partition}
    spec = {
        "serviceName": name,
        "replicas": replicas,
        "selector": {"matchLabels": {"app": name}},
        "updateStrategy": strategy,
        "template": _template(name, release, readiness_path, answer, None),
    }
    stateful = {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": _metadata(name, release, namespace),
        "spec": spec,
    }
    return [_service(name, release, None, namespace), stateful]


def daemon_release(
    name: str,
    release: str,
    *,
    update: Literal["OnDelete", "RollingUpdate"] = "RollingUpdate",
    readiness_path: str = "/healthz",
    namespace: str | None = None,
) -> list[Object]:
    """A Service and a DaemonSet."""
    spec = {
        "selector": {"matchLabels": {"app": name}},
        "updateStrategy": {"type": update},
        "template": _template(name, release, readiness_path, None, None),
    }
    daemon = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": _metadata(name, release, namespace),
        "spec": spec,
    }
    return [_service(name, release, None, namespace), daemon]


def hook_job(
    name: str,
    *,
    hook: str | None = "PreSync",
    exit_code: int = 0,
    seconds: int = 0,
    delete_policy: str = "BeforeHookCreation",
    backoff_limit: int = 0,
    namespace: str | None = None,
) -> Object:
    """A Job that ends with the exit code after some seconds; an ordinary one with hook=None."""
    metadata: Object = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    if hook:
        metadata["annotations"] = {
            "argocd.argoproj.io/hook": hook,
            "argocd.argoproj.io/hook-delete-policy": delete_policy,
        }
    container = {
        "name": "job",
        "image": WEB_IMAGE,
        "imagePullPolicy": "Never",
        "env": _variables({"EXIT": str(exit_code), "AFTER": str(seconds)}),
    }
    pod = {"restartPolicy": "Never", "containers": [container]}
    spec = {"backoffLimit": backoff_limit, "template": {"spec": pod}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def _metadata(name: str, release: str, namespace: str | None) -> Object:
    labels = {"app.kubernetes.io/name": name, "app.kubernetes.io/version": release}
    metadata: Object = {"name": name, "labels": labels}
    if namespace:
        metadata["namespace"] = namespace
    return metadata


def _service(name: str, release: str, selector: Mapping[str, str] | None, namespace: str | None) -> Object:
    spec = {
        "selector": dict(selector) if selector is not None else {"app": name},
        "ports": [{"name": "http", "port": 80, "targetPort": PORT}],
    }
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _metadata(name, release, namespace),
        "spec": spec,
    }


def _strategy(kind: Strategy, max_unavailable: int | str | None, max_surge: int | str | None) -> Object:
    bounds = {"maxUnavailable": max_unavailable, "maxSurge": max_surge}
    given = {key: value for key, value in bounds.items() if value is not None}
    return {"type": kind, "rollingUpdate": given} if given else {"type": kind}


def _template(
    name: str,
    release: str,
    readiness_path: str,
    answer: str | None,
    environment: Mapping[str, str] | None,
) -> Object:
    variables = {"RELEASE": release, **(environment or {})}
    if answer is not None:
        variables["ANSWER"] = answer
    container = {
        "name": "web",
        "image": WEB_IMAGE,
        "imagePullPolicy": "Never",
        "env": _variables(variables),
        "ports": [{"name": "http", "containerPort": PORT}],
        "readinessProbe": {
            "httpGet": {"path": readiness_path, "port": PORT},
            "periodSeconds": 1,
            "failureThreshold": 1,
        },
    }
    labels = {"app": name, "app.kubernetes.io/version": release}
    # The short grace keeps a Recreate quick.
    pod = {"terminationGracePeriodSeconds": 1, "containers": [container]}
    return {"metadata": {"labels": labels}, "spec": pod}


def _variables(values: Mapping[str, str]) -> list[Object]:
    return [{"name": name, "value": value} for name, value in values.items()]
