"""Input that cannot be used: an exit code, a message that names what is wrong and what to do, and no success."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from gate.lab.github import Fault
from tests.support import situations
from tests.support.action import PROGRAM, Stage, stage
from tests.support.bundles import recording
from tests.support.cluster import MISSING_CRD, Trouble, refusal
from tests.support.environments import configuration
from tests.support.loopback import Reply
from tests.support.sampling import sampled


def config(**changes: Any) -> str:
    return yaml.safe_dump(configuration(**changes))


def kubeconfig_of(on: Stage, **changes: Any) -> None:
    on.cluster.write_kubeconfig(on.workspace / "kubeconfig", **changes)


Change = Callable[[Stage], object]
CONFIGURATIONS: dict[str, tuple[str, list[str]]] = {
    "unknown key": (config(setle="5s"), ["promotion-gate.yaml", "line", "setle"]),
    "wrong type": (config(timeout=["a", "b"]), ["promotion-gate.yaml", "timeout"]),
    "malformed YAML": ("version: 1\nenvironments: {staging: [}\n", ["promotion-gate.yaml", "line 2"]),
    "empty selector": (
        config(applications=[{"selector": {"matchLabels": {}}, "minimum": 1}]),
        ["promotion-gate.yaml", "applications[0].selector: must not be empty"],
    ),
    "header variable not set": (
        config(requests=[{"name": "v", "service": "shop/web:http", "headers": {"X-Key": "RELEASE_KEY"}}]),
        ["RELEASE_KEY", "X-Key", "env:"],
    ),
}
INPUTS: dict[str, tuple[Change, list[str]]] = {
    "missing configuration": (lambda on: on.inputs.update(config="gone.yaml"), ["gone.yaml", "is not there"]),
    "environment unknown": (lambda on: on.inputs.update(environment="stagin"), ["stagin", "did you mean staging"]),
    "short id of nothing": (lambda on: on.inputs.update(revision="abcdef12"), ["abcdef12", "full commit id"]),
    "branch of nothing": (lambda on: on.inputs.update(revision="release/9"), ["release/9", "full commit id"]),
    "context of nothing": (lambda on: on.inputs.update(context="stagin"), ["stagin", "contexts are staging"]),
    "kubeconfig not there": (lambda on: on.inputs.update(kubeconfig="/gone/config"), ["/gone/config", "workspace"]),
    "kubeconfig empty": (lambda on: on.inputs.update(kubeconfig=""), ["No access to the cluster", "kubeconfig"]),
    "TLS not verified": (
        lambda on: kubeconfig_of(on, **{"insecure-skip-tls-verify": True, "server": "https://127.0.0.1:1"}),
        ["insecure-skip-tls-verify"],
    ),
    "timeout of no length": (lambda on: on.inputs.update(timeout="soon"), ["timeout", "15m"]),
    "mode of later": (lambda on: on.inputs.update({"mode": "bumb"}), ["mode"]),
    "publish misspelt": (lambda on: on.inputs.update(publish="True"), ["publish: expected true or false"]),
    "author misspelt": (lambda on: on.inputs.update({"comment-author": "my app"}), ["comment-author"]),
    "hyphen lost": (
        lambda on: on.more.update({"INPUT_SERVER_TOKEN": "x"}),
        ["INPUT_SERVER_TOKEN", "server-token"],
    ),
}


def check_refused(on: Stage, told: list[str]) -> None:
    """Exit code 64, the whole message in the log, and an error on the commit."""
    ended = on.run()
    assert ended.code == 64, ended.log
    assert ended.outputs["verdict"] == "could-not-run"
    assert all(text in ended.stderr for text in told), ended.stderr
    assert ended.stderr.count("What to change: ") == 1  # said once, its parts in lines
    assert "\n  What to change: " in ended.stderr
    assert "Traceback" not in ended.log
    environment = on.inputs["environment"]
    assert on.statuses()[-1] == ("error", f"gate/{environment}")
    assert "success" not in [state for state, _ in on.statuses()]
    assert ended.annotations[0].name == "error"
    assert on.evidence() == []


@pytest.mark.parametrize("case", sampled(CONFIGURATIONS, ["unknown key", "header variable not set"]))
def test_a_configuration_that_cannot_be_used(case: str, tmp_path: Path) -> None:
    text, told = CONFIGURATIONS[case]
    with stage(tmp_path, config=text) as on:
        check_refused(on, told)


@pytest.mark.parametrize(
    "case", sampled(INPUTS, ["missing configuration", "short id of nothing", "TLS not verified", "hyphen lost"])
)
def test_an_input_that_cannot_be_used(case: str, tmp_path: Path) -> None:
    change, told = INPUTS[case]
    with stage(tmp_path) as on:
        change(on)
        check_refused(on, told)
        assert on.cluster.asked == [] or case in ("short id of nothing", "branch of nothing")


def test_an_empty_token_is_told_as_such_and_github_is_not_asked(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        ended = on.run(github_token="")
        assert ended.code == 64, ended.log
        assert "the input github-token is empty" in ended.stderr
        assert "What to change: " in ended.stderr
        assert on.lab.github.requests == []


@pytest.mark.parametrize(
    ("status", "told", "not_told"),
    [
        (401, "leave it out and use the job's own", "contents: read"),
        (403, "contents: read", "leave it out"),
        (404, "the token does not see this repository", "leave it out"),
        pytest.param(500, "run the job again", "contents: read", marks=pytest.mark.exhaustive),
    ],
)
def test_a_configuration_that_github_does_not_give(status: int, told: str, not_told: str, tmp_path: Path) -> None:
    """The advice fits what GitHub said."""
    fault = Fault(method="GET", path="*/contents/*", status=status, times=None)
    with stage(tmp_path, faults=(fault,)) as on:
        ended = on.run()
        assert ended.code == 64, ended.log
        assert told in ended.stderr, ended.stderr
        assert not_told not in ended.stderr, ended.stderr
        assert on.statuses()[-1] == ("error", "gate/staging")


def test_a_short_id_of_two_commits(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        git = on.lab.repository.git
        person = "A Person <person@example.com> 1770000000 +0000"
        head = f"tree {git.tree(on.commit)}\nparent {on.commit}\nauthor {person}\ncommitter {person}\n\n"
        seen: dict[str, bytes] = {}
        short, content = "", b""
        for number in range(5000):
            content = f"{head}{number}\n".encode()
            short = hashlib.sha1(b"commit %d\0%s" % (len(content), content), usedforsecurity=False).hexdigest()[:4]
            if short in seen:
                break
            seen[short] = content
        for made in (seen[short], content):
            assert git.run("hash-object", "-t", "commit", "-w", "--stdin", stdin=made).decode().startswith(short)
        on.inputs["revision"] = short
        check_refused(on, [f"'{short}'", "fits no commit, or several"])


@pytest.mark.exhaustive
@pytest.mark.parametrize("event", ["push", "pull_request"])
@pytest.mark.parametrize("content", [None, "[]", '{"ref": "refs/heads/main"}'])
def test_an_event_file_that_cannot_be_used(content: str | None, event: str, tmp_path: Path) -> None:
    """A push is about the commit that the variables name; a pull request is not, so that nothing can be told."""
    with stage(tmp_path) as on:
        if event == "pull_request":
            on.on_pull_request()
        on.more["GITHUB_SHA"] = on.commit
        environment = on.environment()
        path = tmp_path / "elsewhere.json"
        if content is not None:
            path.write_text(content)
        ended = on.start(program=PROGRAM, environment={**environment, "GITHUB_EVENT_PATH": str(path)}).end()
        assert ended.code == 64, ended.log
        assert "event" in ended.stderr
        assert "What to change: " in ended.stderr
        assert ended.outputs["verdict"] == "could-not-run"
        assert on.statuses() == ([("error", "gate/staging")] if event == "push" else [])


@pytest.mark.parametrize("name", sampled(["GITHUB_EVENT_NAME", "GITHUB_RUN_ID"], ["GITHUB_RUN_ID"]))
def test_a_runner_that_leaves_something_out(name: str, tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        environment = on.environment()
        del environment[name]
        ended = on.start(program=PROGRAM, environment=environment).end()
        assert ended.code == 64, ended.log
        assert name in ended.stderr


# --- what the cluster says: held, by name, and never for longer than it takes

HELD: dict[str, tuple[list[Trouble], list[str], str]] = {
    "401": ([Trouble("*", refusal(401))], ["401", "Application argocd/shop"], "AccessDenied"),
    "403 on one kind only": ([Trouble("Pod", refusal(403, "pods is forbidden"))], ["403", "Pod"], "AccessDenied"),
    "CRD missing": ([Trouble("Application", MISSING_CRD)], ["does not serve Application", "CRD"], ""),
    "API server overloaded": ([Trouble("*", refusal(429))], ["429"], ""),
    "connection cut": ([Trouble("Application", Reply(body={"kind": "Application"}, cut=True))], ["Application"], ""),
}


@pytest.mark.parametrize("case", sampled(HELD, ["connection cut"]))
def test_a_cluster_that_does_not_answer(case: str, tmp_path: Path) -> None:
    troubles, told, reason = HELD[case]
    # Three refusals in a row are final, and end the wait long before the deadline.
    limit = "60s" if reason != "" else "4s"
    with stage(tmp_path, cluster={"troubles": troubles}) as on:
        ended = on.run(timeout=limit)
        assert ended.code == 2, ended.log
        assert ended.outputs["verdict"] == "held"
        assert reason in ("", ended.outputs["reason"])
        assert ended.result["timed-out"] is (reason == "")
        assert all(text in ended.log for text in told), ended.log
        assert on.statuses()[0] == ("pending", "gate/staging")
        assert on.statuses()[-1] == ("error", "gate/staging")


@pytest.mark.exhaustive
def test_an_unreachable_server(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        kubeconfig_of(on, server="https://127.0.0.1:1")
        ended = on.run(timeout="3s")
        assert ended.code == 2, ended.log
        assert "connection refused (127.0.0.1:1)" in ended.log
        assert on.statuses()[-1] == ("error", "gate/staging")


@pytest.mark.exhaustive
def test_an_application_that_is_not_there_may_still_come(tmp_path: Path) -> None:
    with stage(tmp_path, situations.absent()) as on:
        ended = on.run(timeout="3s")
        assert ended.code == 2, ended.log
        assert (ended.outputs["verdict"], ended.outputs["reason"]) == ("held", "ApplicationAbsent")
        assert ended.result["timed-out"] is True
        assert "Application argocd/shop" in ended.log
        assert on.statuses()[-1] == ("error", "gate/staging")
    (tmp_path / "two").mkdir()
    with stage(tmp_path / "two", situations.moving(situations.absent(), recording())) as on:
        started = on.start()
        started.until(lambda: on.cluster.applications_read >= 3)
        on.cluster.show(1)
        ended = started.end()
        assert ended.code == 0, ended.log
