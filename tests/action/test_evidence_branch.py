"""The evidence branch of a run: every verdict is kept on it; what cannot be kept is said, and changes no verdict."""

from pathlib import Path

import pytest

from gate.commands.history import command as history_command
from gate.lab.github import Fault
from tests.support import situations
from tests.support.action import Stage, stage
from tests.support.bundles import Json, recording

pytestmark = pytest.mark.exhaustive

BRANCH = "gate-evidence"
NO_WRITING = {"contents": "read", "statuses": "write", "pull-requests": "write", "metadata": "read"}


def on_branch(on: Stage) -> list[str]:
    return on.lab.repository.git.text("ls-tree", "-r", "--name-only", BRANCH).splitlines()


@pytest.mark.parametrize(("state", "code"), [(recording(), 0), (situations.broken(), 1)], ids=["passed", "failed"])
def test_every_verdict_is_kept_byte_for_byte(state: Json, code: int, tmp_path: Path) -> None:
    with stage(tmp_path, state) as on:
        ended = on.run(evidence_branch=BRANCH)
        assert ended.code == code, ended.log
        [file] = on.evidence()
        place = file.relative_to(on.workspace / "evidence").as_posix()
        assert on_branch(on) == [place, place.removesuffix(".json") + ".predicate.json"]
        assert on.lab.repository.git.run("show", f"{BRANCH}:{place}") == file.read_bytes()
        commit = on.lab.repository.git.commit(BRANCH)
        assert f"The evidence is kept on branch {BRANCH}: {place} at {commit}." in ended.log
        assert f"kept on branch {BRANCH}" in ended.summary
        on.check_secrets(ended)


def test_without_the_input_nothing_is_written_there(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        ended = on.run()
        assert ended.code == 0, ended.log
        assert on.lab.repository.git.commit(BRANCH) is None
        assert BRANCH not in ended.log + ended.summary


@pytest.mark.parametrize(("state", "code"), [(recording(), 0), (situations.broken(), 1)], ids=["passed", "failed"])
def test_a_token_that_may_not_write_contents_loses_the_copy_and_not_the_verdict(
    state: Json, code: int, tmp_path: Path
) -> None:
    with stage(tmp_path, state, permissions=NO_WRITING) as on:
        ended = on.run(evidence_branch=BRANCH)
        assert ended.code == code, ended.log
        assert on.statuses()[-1][0] == ("success" if code == 0 else "failure")
        assert on.lab.repository.git.commit(BRANCH) is None
        assert f"The evidence is not on branch {BRANCH}: GitHub refused the change" in ended.log
        assert "contents: write" in ended.log
        assert f"not on branch {BRANCH}" in ended.summary
        assert [one.name for one in ended.annotations if "evidence not kept" in str(one)] == ["warning"]
        assert len(on.evidence()) == 1


def test_a_protected_branch_is_said_as_well(tmp_path: Path) -> None:
    with stage(tmp_path) as on:
        on.lab.repository.commit(BRANCH, {"README.md": "Evidence\n"}, "Begin", parents=[])
        on.lab.github.add_rule(BRANCH, {"type": "update"})
        ended = on.run(evidence_branch=BRANCH)
        assert ended.code == 0, ended.log
        assert "Repository rule violations found" in ended.log
        assert on_branch(on) == ["README.md"]


def test_the_status_does_not_wait_for_it_and_a_lost_answer_is_no_second_commit(tmp_path: Path) -> None:
    lost = Fault(method="POST", path="*/git/refs", status=502, after=True)
    with stage(tmp_path, faults=(lost,)) as on:
        ended = on.run(evidence_branch=BRANCH)
        assert ended.code == 0, ended.log
        assert on.lab.repository.git.text("rev-list", "--count", BRANCH) == "1"
        paths = [one.path for one in on.lab.github.requests if one.method == "POST"]
        final = max(number for number, path in enumerate(paths) if "/statuses/" in path)
        assert final < next(number for number, path in enumerate(paths) if path.endswith("/git/trees"))


def test_a_fork_keeps_nothing_and_says_so(tmp_path: Path) -> None:
    with stage(tmp_path, permissions={**NO_WRITING, "statuses": "read", "pull-requests": "read"}) as on:
        on.on_pull_request(fork=True)
        ended = on.run(environment="production", evidence_branch=BRANCH)
        assert ended.code == 0, ended.log
        assert "this event's token may only read" in ended.log
        assert {one.method for one in on.lab.github.requests} == {"GET"}


def test_the_command_reads_what_the_action_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    with stage(tmp_path) as on:
        assert on.run(evidence_branch=BRANCH).code == 0
        monkeypatch.setenv("GITHUB_API_URL", on.lab.github.url)
        monkeypatch.setenv("GITHUB_TOKEN", on.lab.github.token)
        arguments = ["--environment", "staging", "--repository", "acme/environments"]
        shown = CliRunner().invoke(history_command, arguments, standalone_mode=False)
        assert shown.return_value == 0, shown.output
        assert f"branch {BRANCH} of acme/environments" in shown.output
        assert on.commit[:7] in shown.output
