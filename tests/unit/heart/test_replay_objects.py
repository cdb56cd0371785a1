"""``gate replay --intended SHA --objects``: a diagnosis of what kubectl wrote, which never passes."""

import copy
import json
from typing import Any

import pytest

from gate.errors import UsageError
from tests.support.bundles import NEW, OLD, Json, both, find, recording
from tests.support.replaying import Replay

PASSED = recording()


def _objects(moment: Json) -> Json:
    return {"apiVersion": "v1", "kind": "List", "items": [moment["application"], *moment["objects"]]}


def test_objects_as_kubectl_wrote_them_never_pass(replay: Replay) -> None:
    ran = replay("--intended", NEW, "--objects", _objects(PASSED["polls"][0]))
    assert (ran.code, ran.printed[0]["verdict"]) == (2, "held")
    words = [one["outcome"] for one in ran.printed[0]["layers"]]
    assert "failed" not in words


def test_objects_in_several_files_are_one_moment(replay: Replay) -> None:
    moment = PASSED["polls"][0]
    ran = replay("--intended", NEW, "--objects", moment["application"], *moment["objects"])
    assert len(ran.printed) == 1
    assert ran.code == 2


def test_objects_show_what_is_wrong(replay: Replay) -> None:
    moment = copy.deepcopy(PASSED["polls"][0])
    find(moment, "Deployment")["spec"]["paused"] = True
    for app in both(moment):
        app["spec"]["source"]["targetRevision"] = OLD
    ran = replay("--intended", NEW, "--objects", _objects(moment))
    assert ran.printed[0]["verdict"] in ("held", "pending")
    assert OLD in json.dumps(ran.printed[0]["layers"])


@pytest.mark.parametrize(
    "arguments",
    [
        ("--objects",),
        ("--intended", NEW),
        ("--intended", NEW[:10], "--objects"),
        ("--intended", "main", "--objects"),
    ],
)
def test_objects_need_a_full_commit_id(arguments: tuple[str, ...], replay: Replay) -> None:
    with pytest.raises(UsageError):
        replay(*arguments, _objects(PASSED["polls"][0]))


@pytest.mark.parametrize("odd", [["text"], {"kind": "List", "items": [7]}, {"kind": "Pod"}, {}])
def test_objects_that_are_none_are_refused(odd: Any, replay: Replay) -> None:
    with pytest.raises(UsageError):
        replay("--intended", NEW, "--objects", json.dumps(odd) + "\n")
