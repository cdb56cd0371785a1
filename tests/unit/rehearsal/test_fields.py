"""The fields that are taken away are all that a pass rests on, by the table that the judge's own tests are held to."""

import re

from gate.rehearsal.alterations import fields
from tests.support.bundles import PASSING, recording
from tests.support.mutations import walk
from tests.support.unread import is_unread, shape

WAYS = {
    "application": (*fields.APPLICATION, *fields.OPERATION),
    "Deployment": fields.DEPLOYMENT,
    "ReplicaSet": fields.REPLICA_SET,
    "Pod": (*fields.POD, *fields.POD_BEHIND),
    "Service": (*fields.SERVICE, *fields.SERVICE_ASKED),
    "EndpointSlice": (*fields.ENDPOINT_SLICE, *fields.ENDPOINT_SLICE_ASKED),
    "responses": tuple(f"# {way}" for way in fields.RESPONSE),
}

WITHIN = (
    r"application spec destination .*",
    r"application spec sources? .*",
    r"application status sync comparedTo .*",
    r"application status operationState syncResult sources? .*",
    r"\w+ spec template .*",
    r"Deployment spec selector matchLabels.*",
    r"Service spec selector .*",
    r"Pod metadata labels .*",
)
"""Parts of what is compared as a whole, which is taken away as a whole."""

ELSEWHERE = (
    r"application status operationState syncResult resources hook .*",  # hook-failed
    r"\w+ status conditions \w+",  # their type is taken away
    r"responses # (request|route)",  # our own: no answer is read without
)


def _words(way: str) -> str:
    """A way in the words of the table of what is not read."""
    return re.sub(r"type=(\w+)", r"\1", re.sub(r"(?<= )(kind=\w+|controller=\w+|[0*])(?= )", "#", way))


def test_whatever_a_pass_rests_on_is_taken_away() -> None:
    known = {f"{kind} {_words(one)}" for kind, ways in WAYS.items() for way in ways for one in way.split(" | ")}
    left = set()
    for parts in PASSING.values():
        last = recording(**parts)["polls"][-1]
        for path, _ in walk(last):
            steps = shape(path, last)
            if path[0] == "application-again" or is_unread(steps) or len(steps) == 1 or steps[-1].isdigit():
                continue
            text = " ".join("#" if step.isdigit() else step for step in steps).replace("several", "application", 1)
            if text not in known and not any(re.fullmatch(one, text) for one in (*WITHIN, *ELSEWHERE)):
                left.add(text)
    assert left == set()


def test_nothing_is_taken_away_that_a_pass_does_not_rest_on() -> None:
    read = set()
    for parts in PASSING.values():
        last = recording(**parts)["polls"][-1]
        for path, _ in walk(last):
            steps = shape(path, last)
            if not is_unread(steps):
                text = " ".join("#" if step.isdigit() else step for step in steps)
                read.add(text.replace("several", "application", 1))
    read.add("application status operationState operation sync")  # it may be empty, and not missing
    for kind, ways in WAYS.items():
        for way in ways:
            assert any(f"{kind} {_words(one)}" in read for one in way.split(" | ")), (kind, way)
