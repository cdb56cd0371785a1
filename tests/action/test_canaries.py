"""No secret anywhere: canaries in everything that a run is given or reads, looked for in all that it leaves behind."""

import base64
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.support import situations
from tests.support.action import Stage, stage
from tests.support.approving import approve, checked
from tests.support.bumping import application, bump_configuration, bump_stage, tip
from tests.support.bundles import Json, recording
from tests.support.canaries import (
    BRANCH,
    CLUSTER,
    GIVEN,
    asking,
    canary,
    found_in,
    give,
    kubeconfig,
    planted,
    printed,
    said,
    sinks,
    takes,
)
from tests.support.environments import PIN
from tests.support.forked import start_forked
from tests.support.promoting import layout
from tests.support.runs import Ended

pytestmark = pytest.mark.exhaustive

TAKES = {"takes": takes}


def by_path(on: Stage) -> None:
    (on.workspace / "kubeconfig").write_text(kubeconfig(on))
    on.inputs["kubeconfig"] = "kubeconfig"


def by_base64(on: Stage) -> None:
    on.inputs["kubeconfig"] = base64.b64encode(kubeconfig(on).encode()).decode()


def by_server(on: Stage) -> None:
    del on.inputs["kubeconfig"]
    on.inputs |= {"server": on.cluster.loopback.url(), "server-token": CLUSTER}


RUNS: list[tuple[str, Json, Callable[[Stage], None]]] = [
    ("passed", recording(), by_base64),
    ("failed", situations.broken(), by_server),
    ("held", situations.on_a_branch(), by_path),
]


@pytest.mark.parametrize(("word", "raw", "way"), RUNS, ids=[word for word, *_ in RUNS])
def test_a_check_leaves_none_behind(word: str, raw: Json, way: Callable[[Stage], None], tmp_path: Path) -> None:
    with stage(tmp_path, planted(raw), config=asking(), message=f"Release 2.0.0\n\n{said()}", cluster=TAKES) as on:
        give(on)
        way(on)
        if word == "failed":
            on.on_pull_request()
            on.inputs["revision"] = on.commit
        ended = on.run(evidence_branch=BRANCH)
        assert ended.outputs["verdict"] == word, ended.log
        left = sinks(on, ended)
        assert left.found == {}
        assert {"stderr", "summary", "output", "state", "github", "branch log"} <= left.texts.keys()
        assert {name.rpartition(".")[2] for name in left.texts} >= {"html", "json"}
        if word == "failed":
            assert on.comments() != []
            assert all("denied for ***" in left.texts[name] for name in ("stdout", "stderr", "output"))
        hidden = {one.message for one in ended.commands if one.name == "add-mask"}
        assert {GIVEN["INPUT_GITHUB-TOKEN"], GIVEN["RELEASE_KEY"], GIVEN["RELEASE_CALLER"], CLUSTER} <= hidden
        assert {"post": sinks(on, on.after()).found} == {"post": {}}
        _read_again(on)


def gate(on: Stage, *arguments: str, **variables: str) -> Ended:
    """A command of the command line, with the secrets of the environment."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(on.folder), "TERM": "dumb", **on.more, **variables}
    run = start_forked(arguments, on.workspace, environment)
    out, err = run.communicate(timeout=30)
    return Ended(run.wait(), out, err, {}, "", 0)


def _read_again(on: Stage) -> None:
    """What the commands say that read what was kept."""
    [file] = on.evidence()
    on.more |= {"GITHUB_API_URL": on.lab.github.url, "GITHUB_TOKEN": GIVEN["INPUT_GITHUB-TOKEN"]}
    for arguments in (
        ("evidence", "show", str(file)),
        ("evidence", "page", str(file)),
        ("replay", str(file)),
        ("history", "--environment", "staging", "--repository", "acme/environments"),
        ("report", *[str(file)] * 3, "--format", "json"),
        ("report", *[str(file)] * 3),
    ):
        ended = gate(on, *arguments)
        assert ended.stdout + ended.stderr != ""
        assert {arguments: found_in(ended.log)} == {arguments: set()}


def test_what_is_given_wrongly_is_not_repeated(tmp_path: Path) -> None:
    """Secrets in the wrong inputs: nothing of a value is in the message about it."""
    with stage(tmp_path, cluster=TAKES) as on:
        give(on)
        secret = canary("wrong")
        for name in ("mode", "timeout", "publish", "comment-author", "server", "app-id", "revision", "application"):
            on.inputs = {**on.inputs, "environment": "staging", name: f"{secret} {secret}"}
        ended = on.run()
        assert ended.code == 64
        assert sinks(on, ended).found == {}


@pytest.mark.parametrize(
    "given",
    ["users: [{user: {token: TOKEN", "{TOKEN", "- TOKEN\n- TOKEN", "TOKEN: {a\nb"],
    ids=["cut", "json", "list", "key"],
)
def test_a_damaged_kubeconfig_is_not_repeated(given: str, tmp_path: Path) -> None:
    with stage(tmp_path, cluster=TAKES) as on:
        give(on)
        on.inputs["kubeconfig"] = given.replace("TOKEN", f"token: {CLUSTER}" if given.startswith("-") else CLUSTER)
        ended = on.run()
        assert ended.code == 64, ended.log
        assert sinks(on, ended).found == {}


def test_an_approval_leaves_none_behind(tmp_path: Path) -> None:
    config = layout()
    config["environments"]["staging"]["requests"] = asking()["environments"]["staging"]["requests"]
    with stage(tmp_path, planted(recording()), config=config, cluster=TAKES) as on:
        give(on)
        checked(on)
        ended = approve(on)
        assert ended.code == 0, ended.log
        assert sinks(on, ended).found == {}


def test_a_bump_shows_what_stands_in_the_file_and_no_secret_that_it_was_given(tmp_path: Path) -> None:
    """The manifest is the user's own text: a diff shows its lines, but none of the run's secrets in them."""
    with bump_stage(tmp_path, config=bump_configuration(pull_request=True), cluster=TAKES) as on:
        give(on)
        helm = f"    helm: {{values: 'a {GIVEN['AWS_SECRET_ACCESS_KEY']}'}} # theirs\n"
        text = application("shop", on.old).replace("spec:\n  source:\n", f"spec:\n  source:\n{helm}")
        assert helm in text
        on.lab.repository.commit("main", {PIN: text}, said())
        ended = on.run(dry_run="true")
        assert ended.code == 0, ended.log
        assert "helm: {values: 'a ***'} # theirs" in ended.stdout
        assert sinks(on, ended).found == {}
        ended = on.run(dry_run="false")
        assert ended.code == 0, ended.log
        proposed = on.lab.github.pull(int(ended.outputs["pull-request"]))
        assert sinks(on, ended).found == {}
        assert found_in(on.lab.repository.git.text("log", "-1", "--format=%B", proposed.head_sha)) == set()
        made = on.lab.repository.git.run("show", f"{proposed.head_sha}:{PIN}").decode()
        assert helm in made, "the file itself is theirs, to the byte"
        assert tip(on) != proposed.head_sha


def test_the_commands_of_a_laptop_print_none(tmp_path: Path) -> None:
    with stage(tmp_path, planted(recording()), cluster=TAKES) as on:
        give(on)
        (on.workspace / "promotion-gate.yaml").write_text(yaml.safe_dump(asking()))
        (on.workspace / "config").write_text(kubeconfig(on))
        on.more |= {"KUBECONFIG": str(on.workspace / "config"), "GITHUB_API_URL": on.lab.github.url}
        clone = str(on.lab.repository.git.directory)
        for arguments in (
            ("doctor", "-e", "staging", "--format", "json"),
            ("init", "-a", "shop", "-o", "-"),
            ("rehearse", "-e", "staging", "--live", "--repo", clone),
            ("check", "-e", "staging", "--no-publish", "--repo", clone, "--revision", on.commit, "--format", "json"),
        ):
            ended = gate(on, *arguments)
            assert ended.code in (0, 1), ended.log
            assert {arguments: {name: found_in(text) for name, text in printed(ended).items()}} == {
                arguments: {"stdout": set(), "stderr": set()}
            }
