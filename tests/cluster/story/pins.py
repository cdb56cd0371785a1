"""Tales of pins: several sources, branches, commits that are not there, Applications never applied or empty."""

from tests.cluster.harness import application, manifest_file, source
from tests.cluster.story import seeing
from tests.cluster.story.acts import PASSED, Act, Expected, Tale, Target
from tests.cluster.story.stage import Stage

NOBODY = "0123456789abcdef0123456789abcdef01234567"
"""A commit id that no repository has."""


def _settings(stage: Stage, colour: str) -> str:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"colour": colour}}
    return stage.repository.commit({"extras/settings.yaml": manifest_file([body])}, f"Paint it {colour}")


def _begin_sources(stage: Stage) -> None:
    stage.release("1.0.0")
    sha = _settings(stage, "green")
    both = [source(stage.repository.url, path, sha) for path in ("workloads", "extras")]
    stage.create(sha, sources=both)
    stage.wait(seeing.is_there, sha)


def _one_of_two(stage: Stage) -> str:
    stage.release("1.2.0")
    sha = stage.notes["second"] = _settings(stage, "blue")
    sources = stage.application["spec"]["sources"]
    stage.patch_application({"spec": {"sources": [{**sources[0], "targetRevision": sha}, sources[1]]}})
    return sha


SOURCES = Tale(
    "sources",
    begin=_begin_sources,
    acts=(
        Act(
            "multi-source",
            "two sources, both bumped",
            lambda stage: stage.pin(stage.release("1.1.0")),
            "pass",
            PASSED,
        ),
        Act(
            "multi-source-one-old",
            "two sources, one bumped",
            _one_of_two,
            "hold",
            Expected("held", "SourceNotChosen", "intent", ("pinned differently",), timed_out=True),
            timeout=6,
            recorded_when=seeing.always,
        ),
        Act(
            "multi-source-both",
            "the other source bumped as well",
            lambda stage: stage.pin(stage.notes["second"]),
            "pass",
            PASSED,
        ),
    ),
)


def _unknown(stage: Stage) -> Target:
    stage.pin(NOBODY)
    return Target(NOBODY, stage.repository.head)


PINS = Tale(
    "pins",
    acts=(
        Act(
            "branch-as-pin",
            "pinned to a branch",
            lambda stage: (stage.pin("main"), stage.release("1.1.0"))[1],
            "hold",
            Expected("held", "PinNotACommit", "intent", ("'main'",)),
            recorded_when=seeing.always,
        ),
        Act(
            "commit-unknown",
            "pinned to a commit that the repository does not have",
            _unknown,
            "hold",
            Expected("held", "CommitUnknown", "intent", (NOBODY,), timed_out=True),
            timeout=8,
            recorded_when=seeing.unknown,
        ),
    ),
)


def _declare(stage: Stage) -> Target:
    sha = stage.release("1.0.0", note="first")
    body = application(stage.name, stage.repository.url, "workloads", sha, destination=stage.namespace)
    reported = stage.repository.commit({"apps/orders.yaml": manifest_file([body])}, "Pin orders to 1.0.0")
    stage.notes["declared"] = reported
    return Target(sha, reported)


def _apply_declared(stage: Stage) -> Target:
    stage.create(stage.notes["first"])
    return Target(stage.notes["first"], stage.notes["declared"])


DECLARED = Tale(
    "declared",
    begin=lambda _stage: None,
    pin="apps/orders.yaml",
    acts=(
        Act(
            "written-never-applied",
            "Application written and committed, never applied",
            _declare,
            "hold",
            Expected("held", "ApplicationAbsent", "intent", ("is not there",), timed_out=True),
            timeout=6,
            recorded_when=seeing.always,
        ),
        Act("applied-at-last", "Application written and committed, applied at last", _apply_declared, "pass", PASSED),
    ),
)

EMPTY = Tale(
    "empty",
    begin=lambda _stage: None,
    acts=(
        Act(
            "no-resources",
            "an Application without resources",
            lambda stage: stage.create(stage.repository.commit({"nothing/README": "Nothing.\n"}, "A"), "nothing"),
            "hold",
            Expected("held", "NoResources", "sync", ("manages nothing",), timed_out=True),
            timeout=10,
            recorded_when=seeing.synced_quietly,
        ),
    ),
)
