"""A promotion pull request, one directory for each environment: judged by what the environment before runs now."""

from pathlib import Path

import pytest

from gate.lab.github.merging import MergeRefused
from tests.support import situations
from tests.support.action import Stage, stage
from tests.support.bundles import Json, recording
from tests.support.environments import manifest
from tests.support.promoting import GATE, PRODUCTION, STAGING, about, layout, propose, settle, state


def refuses_to_merge(on: Stage) -> None:
    with pytest.raises(MergeRefused, match=GATE):
        on.lab.github.merge_pull(on.pull)


def test_what_staging_runs_may_be_promoted(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit)})
        refuses_to_merge(on)
        ended = on.run()
        assert ended.code == 0, ended.log
        assert ended.result["intended"] == on.commit
        assert on.statuses(on.promotion) == [("pending", GATE), ("success", GATE)]
        assert on.statuses("f" * 40) == []  # GITHUB_SHA, the test merge
        [comment] = on.comments()
        assert f"promote {on.commit} to production" in comment
        assert on.lab.github.merge_pull(on.pull).merged_at is not None


@pytest.mark.parametrize(
    ("state_of_staging", "code", "said"),
    [
        (situations.broken(), 1, "failure"),
        (situations.on_a_branch(), 2, "error"),
        pytest.param(situations.superseded(), 3, "error", marks=pytest.mark.exhaustive),
    ],
    ids=["failed", "held", "superseded"],
)
def test_what_staging_does_not_run_well_is_not_promoted(
    state_of_staging: Json, code: int, said: str, tmp_path: Path
) -> None:
    with stage(tmp_path, state_of_staging, config=layout()) as on:
        settle(on)
        propose(on, {PRODUCTION: manifest(on.commit)})
        ended = on.run()
        assert ended.code == code, ended.log
        assert state(on) == said
        refuses_to_merge(on)


def test_another_commit_than_staging_runs_is_not_promoted(tmp_path: Path) -> None:
    """The message says what staging runs and what would be promoted."""
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        other = on.lab.repository.commit("hotfix", {"release": "1.0.1\n"}, "Hotfix", parents=[on.old])
        propose(on, {PRODUCTION: manifest(other)})
        ended = on.run(timeout="3s")
        assert ended.code == 2, ended.log
        assert ended.outputs["reason"] == "NotPinned"
        message = ended.result["message"]
        assert f"is {on.commit}; expected {other}" in message
        assert f"would promote {other} to production" in message
        assert state(on) == "error"
        refuses_to_merge(on)


def test_an_older_commit_than_staging_runs_is_superseded(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        settle(on, **{PRODUCTION: manifest("e" * 40)})
        propose(on, {PRODUCTION: manifest(on.old)})
        ended = on.run()
        assert ended.code == 3, ended.log
        assert state(on) == "error"


def test_what_promotes_nothing_has_nothing_to_gate(tmp_path: Path) -> None:
    """No cluster is asked, no layer is claimed, and no comment begun."""
    with stage(tmp_path, situations.broken(), config=layout()) as on:
        settle(on)
        propose(on, {"README.md": "# Other\n", STAGING: manifest(on.old)})
        refuses_to_merge(on)
        ended = on.run()
        assert ended.code == 0, ended.log
        assert (ended.outputs["verdict"], ended.outputs["reason"]) == ("passed", "NothingToGate")
        assert ended.result["layers"] == []
        assert ended.outputs["evidence"] == ""
        assert state(on) == "success"
        assert "NothingToGate" in on.descriptions(on.promotion)[-1]
        assert on.cluster.asked == []
        assert on.comments() == []
        assert on.evidence() == []
        for text in (ended.summary, ended.log):
            assert "touches no file that pins production" in text
            assert "all four layers" not in text
        assert "May be promoted" not in ended.summary
        assert on.lab.github.merge_pull(on.pull).merged_at is not None


@pytest.mark.exhaustive
def test_a_comment_that_is_there_says_when_nothing_is_promoted_any_more(tmp_path: Path) -> None:
    with stage(tmp_path, situations.broken(), config=layout()) as on:
        settle(on)
        number = propose(on, {PRODUCTION: manifest(on.commit)})
        assert on.run().code == 1
        on.lab.repository.commit("promote/next", {PRODUCTION: f"# later\n{manifest(on.old)}"}, "Not yet")
        about(on, number)
        on.more["GITHUB_RUN_ATTEMPT"] = "2"
        ended = on.run()
        assert ended.code == 0, ended.log
        [comment] = on.comments()
        assert "gates nothing here" in comment.splitlines()[1]
        assert "leaves production pinned as it is" in comment


def test_a_branch_that_is_behind_promotes_only_what_it_changes(tmp_path: Path) -> None:
    """Main has moved on since; its newer pin is no change of the pull request's."""
    with stage(tmp_path, situations.broken(), config=layout()) as on:
        settle(on)
        number = propose(on, {"README.md": "# Other\n"})
        on.lab.repository.commit("main", {PRODUCTION: manifest(on.commit)}, "Promoted meanwhile")
        about(on, number)
        ended = on.run()
        assert ended.outputs["reason"] == "NothingToGate", ended.log


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({PRODUCTION: None}, "PromotedPinAbsent"),
        ({PRODUCTION: "kind: ConfigMap\n"}, "PromotedPinAbsent"),
        ({PRODUCTION: "{{ helm }}"}, "PromotedPinAbsent"),
        ({PRODUCTION: manifest("main")}, "PinNotACommit"),
        ({PRODUCTION: manifest("abc1234")}, "PinNotACommit"),
        ({PRODUCTION: manifest("$Id$"), ".gitattributes": "* ident\n"}, "PinNotACommit"),
        ({PRODUCTION: "NEW+path"}, "PromotesMoreThanThePin"),
        ({PRODUCTION: "OLD+path"}, "PromotesMoreThanThePin"),
        ({PRODUCTION: "NEW", STAGING: "OLD"}, "BothPinsChanged"),
        ({PRODUCTION: "NEW", STAGING: None}, "BothPinsChanged"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_no_verdict_could_be_given_on_is_held_at_once(
    files: dict[str, str | None], reason: str, tmp_path: Path
) -> None:
    with stage(tmp_path, config=layout()) as on:
        settle(on)

        def text(said: str) -> str:
            made = manifest({"NEW": on.commit, "OLD": on.old}[said[:3]])
            return made.replace("apps/shop", "apps/other") if "+path" in said else made

        made = {
            path: text(said) if said is not None and said[:3] in ("NEW", "OLD") else said
            for path, said in files.items()
        }
        propose(on, made)
        ended = on.run()
        assert ended.code == 2, ended.log
        assert (ended.outputs["verdict"], ended.outputs["reason"]) == ("held", reason)
        assert ended.outputs["failed-layer"] == "intent"
        assert on.cluster.asked == []
        assert state(on) == "error"
        assert reason in on.comments()[0]
        refuses_to_merge(on)


@pytest.mark.exhaustive
def test_a_comment_in_the_manifest_is_no_change(tmp_path: Path) -> None:
    with stage(tmp_path, config=layout()) as on:
        settle(on)
        said = f"# who deploys the shop\n{manifest(on.commit)}"
        propose(on, {PRODUCTION: said})
        assert on.run().code == 0
        assert state(on) == "success"


@pytest.mark.exhaustive
def test_every_application_of_the_next_environment_counts(tmp_path: Path) -> None:
    raw = layout()
    other = "apps/production/extra.yaml"
    raw["environments"]["production"]["applications"].append({"name": "extra", "pin": {"file": other}})
    with stage(tmp_path, config=raw) as on:
        extra = manifest(on.old).replace("name: shop", "name: extra")
        settle(on, **{other: extra})
        propose(on, {PRODUCTION: manifest(on.commit)})
        ended = on.run()
        assert (ended.code, ended.outputs["reason"]) == (2, "PromotedPinsDiffer"), ended.log
        propose(on, {PRODUCTION: manifest(on.commit), other: extra.replace(on.old, on.commit)}, "promote/both")
        assert on.run().code == 0
        assert state(on) == "success"


@pytest.mark.exhaustive
def test_a_merge_group_is_judged_by_what_would_be_on_main(tmp_path: Path) -> None:
    from gate.lab.github.merge_queue import rule

    with stage(tmp_path, config=layout()) as on:
        settle(on)
        number = propose(on, {PRODUCTION: manifest(on.commit)})
        on.lab.github.add_rule("main", rule())
        assert on.run().code == 0
        entry = on.lab.github.enqueue(number)
        on.event, on.payload = "merge_group", on.lab.github.events().merge_group(entry)
        assert on.lab.github.settle_queue() == []
        ended = on.run()
        assert ended.code == 0, ended.log
        assert on.statuses(entry.head_sha) == [("pending", GATE), ("success", GATE)]
        assert [left.reason for left in on.lab.github.settle_queue()] == ["merged"]


def test_a_merge_group_that_brings_what_staging_does_not_run_is_dropped(tmp_path: Path) -> None:
    from gate.lab.github.merge_queue import rule

    with stage(tmp_path, situations.moving(recording(), situations.broken()), config=layout()) as on:
        settle(on)
        number = propose(on, {PRODUCTION: manifest(on.commit)})
        on.lab.github.add_rule("main", rule())
        assert on.run().code == 0
        on.cluster.show(1)
        entry = on.lab.github.enqueue(number)
        on.event, on.payload = "merge_group", on.lab.github.events().merge_group(entry)
        ended = on.run()
        assert ended.code == 1, ended.log
        assert [left.reason for left in on.lab.github.settle_queue()] == ["dequeued"]
