"""What Argo CD's model decides: automated sync, sync windows, tries, the order of tasks, templates."""

from datetime import UTC, datetime
from typing import Any

import pytest

from gate.lab.applications import project
from gate.lab.argocd.applicationsets import generated
from gate.lab.argocd.autosync import go_on
from gate.lab.argocd.comparison import Comparison
from gate.lab.argocd.projects import spec_errors
from gate.lab.argocd.retries import kitchen, next_try
from gate.lab.argocd.sources import RepositoryError, parse
from gate.lab.argocd.tasks import Task, is_multi_step, ordered
from gate.lab.argocd.windows import can_sync
from gate.lab.cluster.store import Object

SHA, OTHER = "1" * 40, "2" * 40
NOW = datetime(2026, 3, 2, 12, 30, tzinfo=UTC)  # a Monday
SOURCE = {"repoURL": "git://git.example.test/one.git", "path": "workloads", "targetRevision": SHA}
CHANGED = [{"kind": "Deployment", "group": "apps", "name": "web", "status": "OutOfSync"}]


def app(**automated: Any) -> Object:
    policy = {"automated": {"prune": True, "selfHeal": True, **automated}}
    destination = {"server": "https://kubernetes.default.svc", "namespace": "shop"}
    spec = {"source": SOURCE, "destination": destination, "syncPolicy": policy}
    return {"metadata": {"name": "orders", "namespace": "argocd"}, "spec": spec, "status": {}}


def synced(body: Object, revision: str, phase: str = "Succeeded", **sync: Any) -> Object:
    result = {"revision": revision, "source": SOURCE}
    operation = {"sync": {"revision": revision, **sync}}
    state = {"phase": phase, "finishedAt": "2026-03-02T12:29:59Z", "message": "why", "operation": operation}
    body["status"]["operationState"] = {**state, "syncResult": result}
    return body


def out_of_sync(resources: list[Object] = CHANGED, word: str = "OutOfSync") -> Comparison:
    return Comparison({"status": word, "revision": SHA}, "Healthy", resources, [])


def test_a_new_commit_starts_an_operation() -> None:
    operation = go_on(synced(app(), OTHER), out_of_sync(), NOW).operation
    wanted = {"source": SOURCE, "revision": SHA, "prune": True}
    assert operation == {"initiatedBy": {"automated": True}, "retry": {"limit": 5}, "sync": wanted}


@pytest.mark.parametrize("word", ["Synced", "Unknown"])
def test_only_what_is_out_of_sync_starts_one(word: str) -> None:
    assert go_on(synced(app(), OTHER), out_of_sync(word=word), NOW).operation is None


def test_nothing_starts_one_with_automated_sync_off() -> None:
    body = synced(app(), OTHER)
    assert go_on(synced(app(enabled=False), OTHER), out_of_sync(), NOW).operation is None
    del body["spec"]["syncPolicy"]["automated"]
    assert go_on(body, out_of_sync(), NOW).operation is None


def test_one_at_a_time() -> None:
    assert go_on({**synced(app(), OTHER), "operation": {}}, out_of_sync(), NOW).operation is None


def test_a_commit_that_failed_is_not_tried_again() -> None:
    decision = go_on(synced(app(), SHA, "Failed"), out_of_sync(), NOW)
    assert decision.operation is None
    assert decision.error == f"Failed last sync attempt to [{SHA}]: why"


def test_a_difference_at_the_same_commit_is_healed_in_part() -> None:
    operation = go_on(synced(app(), SHA), out_of_sync(), NOW).operation
    assert operation is not None
    assert operation["sync"]["autoHealAttemptsCount"] == 1
    assert operation["sync"]["resources"] == [{"group": "apps", "kind": "Deployment", "name": "web"}]
    assert go_on(synced(app(selfHeal=False), SHA), out_of_sync(), NOW).operation is None


def test_healing_again_waits_longer() -> None:
    waits = [go_on(synced(app(), SHA, autoHealAttemptsCount=count), out_of_sync(), NOW).again for count in (1, 2, 3)]
    assert waits == [1.0, 5.0, 17.0]  # 2, 6 and 18 s after the last one ended, a second ago


def test_pruning_alone_starts_nothing_where_it_is_off_and_never_wipes_out_everything() -> None:
    extra = [{"kind": "Service", "name": "web", "status": "OutOfSync", "requiresPruning": True}]
    assert go_on(synced(app(prune=False), OTHER), out_of_sync(extra), NOW).operation is None
    decision = go_on(synced(app(), OTHER), out_of_sync(extra), NOW)
    assert decision.error == f"Skipping sync attempt to [{SHA}]: auto-sync will wipe out all resources"
    assert go_on(synced(app(allowEmpty=True), OTHER), out_of_sync(extra), NOW).operation is not None


def window(**fields: Any) -> Object:
    given = {"kind": "deny", "schedule": "0 12 * * *", "duration": "1h", "applications": ["*"], **fields}
    return {"spec": {"syncWindows": [given]}}


@pytest.mark.parametrize(
    ("project", "automated", "manual"),
    [
        ({}, True, True),
        (window(), False, False),
        (window(manualSync=True), False, True),
        (window(schedule="0 13 * * *"), True, True),
        (window(duration="30m"), True, True),  # it has just ended
        (window(applications=["basket-*"]), True, True),
        (window(applications=["basket"], namespaces=["sh?p"]), False, False),
        (window(applications=["basket"], namespaces=["shop"], andOperator=True), True, True),
        (window(schedule="0 7 * * *", timeZone="America/New_York"), False, False),
        (window(kind="allow"), True, True),
        (window(kind="allow", schedule="0 13 * * *"), False, False),
        (window(kind="allow", schedule="0 13 * * *", manualSync=True), False, True),
        (window(schedule="nonsense"), False, False),
    ],
)
def test_a_sync_window(*, project: Object, automated: bool, manual: bool) -> None:
    assert can_sync(project, app(), NOW, manual=False) is automated
    assert can_sync(project, app(), NOW, manual=True) is manual


def test_when_an_operation_is_tried_again() -> None:
    assert [next_try({"limit": 5}, count) for count in (0, 1, 2, 9)] == [5.0, 10.0, 20.0, 180.0]
    given = {"backoff": {"duration": "1m30s", "factor": 3, "maxDuration": "1h"}}
    assert [next_try(given, count) for count in (0, 1, 5)] == [90.0, 270.0, 3600.0]
    assert kitchen(datetime(2026, 3, 2, 22, 5, tzinfo=UTC)) == "10:05PM"
    assert kitchen(datetime(2026, 3, 2, 0, 5, tzinfo=UTC)) == "12:05AM"


def task(kind: str, name: str, wave: int = 0, phase: str = "Sync", *, prunes: bool = False) -> Task:
    metadata = {"name": name, "annotations": {"argocd.argoproj.io/sync-wave": str(wave)}}
    body = {"apiVersion": "v1", "kind": kind, "metadata": metadata}
    return Task(phase, None if prunes else body, body if prunes else None)


def names(tasks: list[Task]) -> list[str]:
    return [found.body["metadata"]["name"] for found in tasks]


def test_tasks_come_by_phase_wave_kind_and_name() -> None:
    tasks = [
        task("Job", "after", phase="PostSync"),
        task("Deployment", "web"),
        task("Service", "b"),
        task("Service", "a"),
        task("ConfigMap", "late", wave=1),
        task("Gadget", "unknown"),
        task("Job", "before", phase="PreSync"),
    ]
    assert names(ordered(tasks)) == ["before", "a", "b", "web", "unknown", "late", "after"]
    assert is_multi_step(ordered(tasks))
    assert not is_multi_step(ordered([task("Service", "a"), task("Service", "b")]))


def test_what_is_pruned_goes_in_the_opposite_order() -> None:
    tasks = [task("Service", f"wave {wave}", wave, prunes=True) for wave in (0, 1, 2)]
    assert names(ordered(tasks)) == ["wave 2", "wave 1", "wave 0"]
    late = [task("Service", "old", prunes=True), task("Service", "new", wave=3)]
    assert names(ordered(late, prune_last=True)) == ["new", "old"]


def test_a_project_says_where_from_and_where_to() -> None:
    assert spec_errors(app(), project("default")) == []
    narrow = project("default")
    narrow["spec"].update(sourceRepos=["git://elsewhere/*"], destinations=[{"server": "*", "namespace": "other"}])
    (one, other) = [text for _, text in spec_errors(app(), narrow)]
    assert one == f"application repo {SOURCE['repoURL']} is not permitted in project 'default'"
    assert "namespace 'shop' do not match any of the allowed destinations" in other


def test_manifests_are_read_as_kubernetes_does() -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {day: 2026-01-02}\n---\n---\nplain: 1\n"
    (found,) = parse("a.yaml", text)
    assert found["data"] == {"day": "2026-01-02"}, "a time is a text"
    assert parse("values.yaml", "a: [") == []
    with pytest.raises(RepositoryError, match=r'Failed to unmarshal "a\.yaml"'):
        parse("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: [")
    with pytest.raises(RepositoryError, match=r"metadata is not an object"):
        parse("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: none")


@pytest.mark.parametrize(("go", "template"), [(False, "{{ name }}-{{x.y}}"), (True, "{{.name}}-{{ .x.y }}")])
def test_a_list_generator_fills_in_a_template(*, go: bool, template: str) -> None:
    spec = {
        "goTemplate": go,
        "generators": [{"list": {"elements": [{"name": "a", "x": {"y": 1}}, {"name": "b"}]}}],
        "template": {"metadata": {"name": template}, "spec": {"source": {"targetRevision": template}}},
    }
    metadata = {"name": "environments", "namespace": "argocd", "uid": "1"}
    made = generated({"apiVersion": "argoproj.io/v1alpha1", "metadata": metadata, "spec": spec})
    first, second = (one["metadata"]["name"] for one in made)
    assert first == "a-1"
    assert second.startswith("b-{{"), "what is not given is left as it is written"
    assert made[0]["spec"]["source"]["targetRevision"] == "a-1"
    assert made[0]["metadata"]["ownerReferences"][0]["controller"] is True
