"""The report from the evidence that the story left: the same on the real cluster and on the laboratory."""

import json
from collections.abc import Iterable
from typing import Any

from click.testing import CliRunner

from gate.commands.report import command
from gate.errors import ExitCode
from tests.cluster.story.play import Outcome

ACTS = {"good": "story-recreate-normal", "bad": "story-recreate-broken", "recovered": "story-recreate-recovered"}


def report(outcomes: Iterable[Outcome], acts: dict[str, str] = ACTS) -> tuple[int, dict[str, Any]]:
    """What `gate report` says of the evidence of these acts, and its exit code."""
    evidence = {one.act.name: one.said.evidence for one in outcomes}
    arguments = ["--format", "json"]
    for role, act in acts.items():
        [file] = evidence[act]
        arguments += [f"--{role}", str(file)]
    ran = CliRunner().invoke(command, arguments, standalone_mode=False, catch_exceptions=False)
    return int(ran.return_value), json.loads(ran.stdout)


def check_report(outcomes: list[Outcome]) -> None:
    """Good, bad and recovered are told apart, each with all that was seen; no other order of them is a recovery."""
    code, told = report(outcomes)
    assert code == ExitCode.PASSED, told
    assert (told["outcome"], told["kind"], told["repairs-intent"]) == ("recovered", "git-revert", "yes")
    assert (told["relations"]["same-tree"], told["relations"]["says-revert"]) == ("yes", "yes")
    commits = {one.act.name: one.target.intended for one in outcomes}
    assert {role: told[role]["commit"] for role in ACTS} == {role: commits[act] for role, act in ACTS.items()}
    well, ill = ({"Healthy"}, "1 of 1", "200"), ({"Progressing", "Degraded"}, "0 of 1", "503")
    for role, (health, endpoints, status) in {"good": well, "bad": ill, "recovered": well}.items():
        column = told[role]
        assert f"Synced at {column['commit']}" in column["revisions"][0]
        assert column["health"][0].rpartition(": ")[2] in health
        assert column["endpoints"][0].endswith(f": {endpoints} ready")
        assert f"status {status}" in column["answers"][0]
    assert ["404" in "".join(told[role]["probes"]) for role in ACTS] == [False, True, False]
    turned = {"good": ACTS["recovered"], "bad": ACTS["bad"], "recovered": ACTS["good"]}
    assert report(outcomes, turned)[0] == ExitCode.HELD
