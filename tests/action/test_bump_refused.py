"""What a bump does not write, and what it says of that: never a pass, and the branch stays as it was."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support import events
from tests.support.bumping import application, bump_configuration, bump_stage, put_pin, read, tip, written
from tests.support.bundles import NEW
from tests.support.environments import PIN, SERVER
from tests.support.github import MISSING, NAME

ERROR = ("error", "gate/staging")


def test_a_commit_that_is_not_on_the_allowed_branch(tmp_path: Path) -> None:
    with bump_stage(tmp_path) as on:
        base = tip(on)
        ended = on.run(revision=on.promotion)
        assert ended.code == 64, ended.log
        assert f"{on.promotion} is not on the default branch of {NAME}: it is not pinned." in ended.log
        assert tip(on) == base
        assert written(on) == []
        assert on.statuses(on.promotion) == [ERROR]
        assert ended.outputs["verdict"] == "could-not-run"
        assert ended.outputs["commit"] == ""


def test_the_allowed_branch_is_the_configurations(tmp_path: Path) -> None:
    with bump_stage(tmp_path, config=bump_configuration(allowed_branch="promote/prod")) as on:
        ended = on.run(revision=on.promotion, check="false")
        assert ended.code == 0, ended.log
        assert read(on, tip(on)) == application("shop", on.promotion)
        other = on.run(revision=tip(on), check="false")
        assert other.code == 64, other.log
        assert "is not on branch promote/prod" in other.log


@pytest.mark.parametrize("revision", [MISSING, "no-such-branch", "abcdef0"])
def test_a_commit_that_does_not_exist(revision: str, tmp_path: Path) -> None:
    with bump_stage(tmp_path) as on:
        base = tip(on)
        ended = on.run(revision=revision)
        assert ended.code == 64, ended.log
        assert "names no single commit" in ended.log
        assert tip(on) == base
        assert on.statuses() == on.statuses(base) == []


def test_an_older_commit_is_superseded_unless_it_is_asked_for(tmp_path: Path) -> None:
    with bump_stage(tmp_path) as on:
        base = put_pin(on, on.commit)
        ended = on.run(revision=on.old)
        assert ended.code == 3, ended.log
        assert (ended.outputs["verdict"], ended.outputs["reason"]) == ("superseded", "NewerCommitPinned")
        assert f"pinned to {on.commit}" in ended.log
        assert tip(on) == base
        assert on.statuses(on.old) == [ERROR]
        asked = on.run(revision=on.old, allow_older="true", check="false")
        assert asked.code == 0, asked.log
        assert read(on, tip(on)) == application("shop", on.old)


def test_the_configuration_may_allow_an_older_one(tmp_path: Path) -> None:
    with bump_stage(tmp_path, config=bump_configuration(allow_older=True)) as on:
        put_pin(on, on.commit)
        assert on.run(revision=on.old, check="false").code == 0
        assert read(on, tip(on)) == application("shop", on.old)


@pytest.mark.parametrize("event", ["pull_request", "merge_group"])
def test_what_is_not_merged_writes_nothing(event: str, tmp_path: Path) -> None:
    with bump_stage(tmp_path) as on:
        base = tip(on)
        payload = events.pull_request(on.promotion, on.pull) if event == "pull_request" else None
        on.event, on.payload = event, payload or events.merge_group(on.promotion, on.pull)
        ended = on.run(revision=on.commit)
        assert ended.code == 64, ended.log
        assert f"No pin is written for the event {event}." in ended.log
        assert tip(on) == base
        assert written(on) == []


def test_a_branch_that_takes_no_direct_commits(tmp_path: Path) -> None:
    with bump_stage(tmp_path) as on:
        on.lab.github.require_status("main", "gate/prod")
        base = tip(on)
        ended = on.run()
        assert ended.code == 64, ended.log
        assert 'Required status check "gate/prod" is expected.' in ended.log
        assert "This usually means:" in ended.log
        assert tip(on) == base
        assert on.statuses() == [ERROR]


def test_a_token_that_may_not_write(tmp_path: Path) -> None:
    readable = {"contents": "read", "statuses": "write", "metadata": "read"}
    with bump_stage(tmp_path, permissions=readable) as on:
        base = tip(on)
        ended = on.run(comment="false")
        assert ended.code == 64, ended.log
        assert "contents: write" in ended.log
        assert tip(on) == base
        assert on.statuses() == [ERROR]


def _source(url: str, pin: str) -> str:
    return application("shop", pin).replace(f"{SERVER}/{NAME}.git", url)


def test_a_repository_elsewhere_needs_a_clone(tmp_path: Path) -> None:
    with bump_stage(tmp_path) as on:
        on.lab.repository.commit("main", {PIN: _source("https://git.example/shop.git", on.old)}, "Elsewhere")
        ended = on.run(revision=NEW)
        assert ended.code == 64, ended.log
        assert "https://git.example/shop.git is not on this GitHub server" in ended.log
        assert on.statuses() == []


def test_the_reported_commit_of_another_repository_is_not_guessed(tmp_path: Path) -> None:
    with bump_stage(tmp_path) as on:
        on.lab.repository.commit("main", {PIN: _source(f"{SERVER}/acme/shop", on.old)}, "Elsewhere")
        ended = on.run()
        assert ended.code == 64, ended.log
        assert "No commit of acme/shop is named" in ended.log
        assert written(on) == []


HOSTILE = "::error::pwned\x1b[31m ##[add-mask]x"
SHOP = "kind: Application\nmetadata: {name: shop}\n"
MANIFESTS = {
    "no application": (SHOP.replace("shop", "other"), "holds no Application named shop"),
    "helm": ("{{- if .Values.on }}\nkind: Application\n{{- end }}\n", "Helm"),
    "chart": (f"{SHOP}spec: {{source: {{chart: x, targetRevision: 1.0.0}}}}\n", "no Git source"),
    "anchor": (f"{SHOP}x: &r main\nspec: {{source: {{repoURL: URL, targetRevision: *r}}}}\n", "anchor"),
    "deep": ("[" * 5000, "levels deep"),
    "commands": (f"{SHOP}spec: '{HOSTILE}'\n", "is not YAML"),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", MANIFESTS)
def test_hostile_manifests_are_refused(name: str, tmp_path: Path) -> None:
    text, says = MANIFESTS[name]
    with bump_stage(tmp_path) as on:
        base = on.lab.repository.commit("main", {PIN: text.replace(" URL", f" {SERVER}/{NAME}")}, "Hostile")
        ended = on.run()
        assert ended.code == 64, ended.log
        assert says in ended.log
        assert tip(on) == base
        assert written(on) == []
        assert {one.name for one in ended.commands} <= {"error", "add-mask"}


def test_a_hostile_pin_is_replaced_and_stays_text(tmp_path: Path) -> None:
    """It stands in the commit's message and in the diff, and is a command to nobody."""
    pin = "'::error::pwned ##[set-output name=verdict]passed @everyone #1'"
    with bump_stage(tmp_path) as on:
        bad = application("shop", on.old).replace(f"'{on.old}'", pin).replace(on.old, pin)
        on.lab.repository.commit("main", {PIN: bad}, "Hostile")
        shown = on.run(dry_run="true")
        assert shown.code == 0, shown.log
        assert {one.name for one in shown.commands} == {"add-mask"}
        ended = on.run(check="false", dry_run="false")
        assert ended.code == 0, ended.log
        assert {one.name for one in ended.commands} == {"add-mask"}
        assert read(on, tip(on)) == bad.replace(pin, on.commit) or read(on, tip(on)) == bad.replace(
            pin, f"'{on.commit}'"
        )


def test_the_configuration_of_a_pull_request_is_not_obeyed(tmp_path: Path) -> None:
    """What the branch that was pushed says counts, and nothing of a branch that is only proposed."""
    loose: dict[str, Any] = {"allowed_branch": "promote/prod"}
    with bump_stage(tmp_path) as on:
        text = yaml.safe_dump(bump_configuration(**loose))
        head = on.lab.repository.commit("promote/prod", {"promotion-gate.yaml": text}, "Loosen")
        on.on_pull_request()
        on.payload["pull_request"]["head"]["sha"] = head
        ended = on.run(revision=head, dry_run="true")
        assert ended.code == 64, ended.log
        assert "is not on the default branch" in ended.log
