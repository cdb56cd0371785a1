"""A bump as the runner runs it: the pin is written, and what was written is checked like any other commit."""

import signal
from pathlib import Path

import pytest

from gate.lab.github import Fault
from tests.support import situations
from tests.support.action import PROGRAM
from tests.support.bumping import application, bump_configuration, bump_stage, put_pin, read, tip, written
from tests.support.bundles import OLD, recording
from tests.support.environments import PIN

PENDING, SUCCESS = ("pending", "gate/staging"), ("success", "gate/staging")


def test_the_commit_is_pinned_and_then_passes(tmp_path: Path) -> None:
    with bump_stage(tmp_path) as on:
        base = tip(on)
        ended = on.run()
        assert ended.code == 0, ended.log
        made = tip(on)
        assert (ended.outputs["commit"], ended.outputs["pull-request"]) == (made, "")
        assert ended.outputs["verdict"] == "passed"
        git = on.lab.repository.git
        assert git.text("rev-parse", f"{made}^") == base != made
        assert git.text("diff", "--name-only", base, made) == PIN
        assert read(on, made) == application("shop", on.commit)
        message = git.text("log", "-1", "--format=%B", made)
        assert f"Revision: {on.commit}" in message
        assert f"before: {on.old}" in message
        for commit in (made, on.commit):
            assert on.statuses(commit) == [PENDING, SUCCESS]
        assert on.statuses(base) == []


def test_a_bump_that_fails_its_check_says_so_on_both_commits(tmp_path: Path) -> None:
    with bump_stage(tmp_path, situations.broken()) as on:
        ended = on.run()
        assert ended.code == 1, ended.log
        for commit in (tip(on), on.commit):
            assert on.statuses(commit)[-1] == ("failure", "gate/staging")


@pytest.mark.exhaustive
def test_what_is_pinned_already_is_gated_without_a_commit(tmp_path: Path) -> None:
    with bump_stage(tmp_path) as on:
        base = put_pin(on, on.commit)
        ended = on.run()
        assert ended.code == 0, ended.log
        assert tip(on) == base
        assert written(on) == []
        assert ended.outputs["commit"] == ""
        assert "already" in ended.log
        for commit in (base, on.commit):
            assert on.statuses(commit) == [PENDING, SUCCESS]


@pytest.mark.exhaustive
def test_an_application_that_is_never_moved_is_held_and_its_owner_named(tmp_path: Path) -> None:
    state = recording(app={"pin": OLD})
    for one in state["polls"]:
        one["application"]["metadata"]["ownerReferences"] = [{"kind": "ApplicationSet", "name": "shops", "uid": "7"}]
    with bump_stage(tmp_path, state) as on:
        ended = on.run(timeout="4s")
        assert ended.code == 2, ended.log
        assert ended.outputs["reason"] == "NotPinned"
        assert "its spec is written by ApplicationSet shops" in ended.result["message"]
        assert on.statuses(on.commit)[-1] == ("error", "gate/staging")


def test_a_short_id_a_branch_and_a_tag_are_resolved_once_and_told(tmp_path: Path) -> None:
    with bump_stage(tmp_path) as on:
        on.lab.repository.git.run("tag", "v2.0.0", on.commit)
        ended = on.run(revision="v2.0.0", check="false")
        assert ended.code == 0, ended.log
        assert f"{on.commit}, given as v2.0.0" in ended.log
        assert read(on, tip(on)) == application("shop", on.commit)
        assert "given as v2.0.0" in on.lab.repository.git.text("log", "-1", "--format=%B", "main")
        before = tip(on)
        again = on.run(revision=on.commit[:9])
        assert again.code == 0, again.log
        assert tip(on) == before


def test_without_the_check_nothing_is_said_to_have_passed(tmp_path: Path) -> None:
    with bump_stage(tmp_path) as on:
        ended = on.run(check="false")
        assert ended.code == 0, ended.log
        assert ended.outputs == {"commit": tip(on), "pull-request": ""}
        assert f"pinned to {on.commit} by commit {tip(on)}. Nothing was checked." in ended.summary
        assert on.statuses(tip(on)) == on.statuses(on.commit) == []
        assert on.cluster.asked == []


def test_every_application_of_the_environment_is_pinned_in_one_commit(tmp_path: Path) -> None:
    both = [{"name": "shop", "pin": {"file": PIN}}, {"name": "cart", "pin": {"file": "apps/cart.yaml"}}]
    with bump_stage(tmp_path, config=bump_configuration(both)) as on:
        base = put_pin(on, on.old, "cart", "apps/cart.yaml")
        ended = on.run(check="false")
        assert ended.code == 0, ended.log
        assert on.lab.repository.git.text("diff", "--name-only", base, tip(on)).split() == ["apps/cart.yaml", PIN]
        assert on.lab.repository.git.count(base, "main") == 1
        assert read(on, tip(on), "apps/cart.yaml") == application("cart", on.commit)


def test_one_application_alone_is_pinned_where_nothing_is_to_be_checked(tmp_path: Path) -> None:
    both = [{"name": "shop", "pin": {"file": PIN}}, {"name": "cart", "pin": {"file": "apps/cart.yaml"}}]
    with bump_stage(tmp_path, config=bump_configuration(both)) as on:
        base = put_pin(on, on.old, "cart", "apps/cart.yaml")
        refused = on.run(application="cart")
        assert refused.code == 64, refused.log
        assert "Application shop is pinned to" in refused.log
        assert tip(on) == base
        ended = on.run(application="cart", check="false")
        assert ended.code == 0, ended.log
        assert on.lab.repository.git.text("diff", "--name-only", base, tip(on)) == "apps/cart.yaml"


def test_a_pull_request_proposes_it_where_the_configuration_says_so(tmp_path: Path) -> None:
    with bump_stage(tmp_path, config=bump_configuration(pull_request=True)) as on:
        base = tip(on)
        ended = on.run()
        assert ended.code == 0, ended.log
        assert tip(on) == base
        branch = f"promote/staging/{on.commit[:7]}"
        assert ended.outputs == {"commit": tip(on, branch), "pull-request": ended.outputs["pull-request"]}
        pull = on.lab.github.pull(int(ended.outputs["pull-request"]))
        assert (pull.base, pull.head) == ("main", branch)
        assert f"pull request #{pull.number} proposes to pin {on.commit}" in ended.summary
        assert on.commit in (pull.body or "")
        assert read(on, branch) == application("shop", on.commit)
        assert on.statuses(on.commit) == on.statuses(tip(on, branch)) == []
        again = on.run()
        assert again.outputs == ended.outputs


@pytest.mark.exhaustive
def test_signed_commits_go_another_way(tmp_path: Path) -> None:
    with bump_stage(tmp_path, config=bump_configuration(signed=True), signs_commits=False) as on:
        on.lab.github.add_rule("main", {"type": "required_signatures"})
        ended = on.run()
        assert ended.code == 0, ended.log
        assert any("/graphql" in one for one in written(on))
        assert read(on, tip(on)) == application("shop", on.commit)


@pytest.mark.parametrize("key", ["branch", "bump"])
def test_an_environment_with_a_branch_of_its_own_is_pinned_there(key: str, tmp_path: Path) -> None:
    config = bump_configuration()
    config["environments"]["staging"][key] = "env/staging" if key == "branch" else {"branch": "env/staging"}
    with bump_stage(tmp_path, config=config) as on:
        on.lab.repository.git.run("branch", "env/staging", "main")
        base = tip(on)
        ended = on.run(check="false")
        assert ended.code == 0, ended.log
        assert tip(on) == base
        assert read(on, tip(on, "env/staging")) == application("shop", on.commit)


@pytest.mark.exhaustive
@pytest.mark.parametrize("signed", [False, True])
def test_line_ends_and_marks_survive_the_way_to_github(signed: bool, tmp_path: Path) -> None:
    with bump_stage(tmp_path, config=bump_configuration(signed=signed)) as on:
        text = "\ufeff" + application("shop", on.old).rstrip().replace("\n", "\r\n") + "\r\n# ünï\t\U0001f680"
        on.lab.repository.commit("main", {PIN: text}, "Another editor")
        ended = on.run(check="false")
        assert ended.code == 0, ended.log
        assert read(on, tip(on)) == text.replace(on.old, on.commit)


@pytest.mark.exhaustive
def test_the_command_does_the_same_in_a_workflow(tmp_path: Path) -> None:
    with bump_stage(tmp_path) as on:
        environ = {key: value for key, value in on.environment().items() if not key.startswith("INPUT_")}
        command = [*PROGRAM, "bump", "--environment", "staging", "--kubeconfig", on.inputs["kubeconfig"]]
        ended = on.start(program=command, environment={**environ, "GITHUB_TOKEN": on.lab.github.token}).end()
        assert ended.code == 0, ended.log
        assert read(on, tip(on)) == application("shop", on.commit)
        assert on.statuses(tip(on)) == on.statuses(on.commit) == [PENDING, SUCCESS]


def test_a_bump_that_is_told_to_end_has_said_nothing_good(tmp_path: Path) -> None:
    hang = Fault(kind="hang", method="GET", path="*/compare/*", times=None)
    with bump_stage(tmp_path, faults=(hang,)) as on:
        base = tip(on)
        started = on.start()
        started.until(lambda: any("/compare/" in one.path for one in on.lab.github.requests))
        started.send(signal.SIGINT)
        ended = started.end()
        assert ended.code == 130, ended.log
        assert ended.outputs["verdict"] == "cancelled"
        assert tip(on) == base
        assert SUCCESS not in on.statuses()


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "fault",
    [Fault(method="PATCH", path="*/git/refs/*", status=502, after=True), Fault(method="POST", path="*/git/trees")],
    ids=["lost answer", "repeated"],
)
def test_github_stumbles_and_one_commit_stands(fault: Fault, tmp_path: Path) -> None:
    with bump_stage(tmp_path, faults=(fault,)) as on:
        base = tip(on)
        ended = on.run()
        assert ended.code == 0, ended.log
        assert on.lab.repository.git.count(base, "main") == 1
