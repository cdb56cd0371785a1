"""Reading how two commits of GitHub are related, and what lies between them."""

from __future__ import annotations

import pytest

from gate.adapters.github import RelationFound
from gate.errors import UsageError
from gate.observed import Absent, Observed, Present
from tests.support.github import MISSING, PIN
from tests.support.github_client import ClientBench


def relation_of(found: Observed[RelationFound]) -> RelationFound:
    assert isinstance(found, Present), found
    return found.value


def test_the_four_relations(at: ClientBench) -> None:
    first, second, promotion = at.lab.first, at.lab.second, at.lab.promotion
    side = at.lab.repository.commit("side", {"s": "1"}, "Side", parents=[first])
    repository = at.repository
    expected = {
        (first, promotion): "ahead",
        (promotion, first): "behind",
        (first, first): "identical",
        (second, side): "diverged",
    }
    for (base, head), relation in expected.items():
        assert relation_of(at.run(repository.read_relation(base, head))).relation == relation
    diverged = relation_of(at.run(repository.read_relation(second, side)))
    assert diverged.merge_base == first


def test_what_a_commit_adds_is_listed_oldest_first(at: ClientBench) -> None:
    found = relation_of(at.run(at.repository.read_relation(at.lab.first, at.lab.promotion)))
    assert [commit.id for commit in found.commits] == [at.lab.second, at.lab.promotion]
    assert found.commits[1].commit.message == "Promote three"
    assert found.commits[0].commit.files is None
    assert found.files == (PIN,)
    assert not found.truncated
    assert at.client.requests == 1


def test_a_renamed_file_is_listed_by_both_names(at: ClientBench) -> None:
    text = "".join(f"line {number}\n" for number in range(30))
    before = at.lab.repository.commit("moved", {"old.yaml": text}, "Before", parents=[at.lab.second])
    after = at.lab.repository.commit("moved", {"old.yaml": None, "new.yaml": text}, "After")
    assert relation_of(at.run(at.repository.read_relation(before, after))).files == ("new.yaml", "old.yaml")


def test_long_histories_and_many_files_are_marked_truncated(at: ClientBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gate.lab.github.api.commits.COMPARED_LIMIT", 3)
    tips = [at.lab.second]
    for number in range(4):
        tips.append(at.lab.repository.commit("long", {"n": str(number)}, f"{number}", parents=[tips[-1]]))
    fits = relation_of(at.run(at.repository.read_relation(tips[0], tips[3])))
    assert (len(fits.commits), fits.truncated) == (3, False)
    cut = relation_of(at.run(at.repository.read_relation(tips[0], tips[4])))
    assert (len(cut.commits), cut.relation, cut.truncated) == (3, "ahead", True)
    wide = at.lab.repository.commit("wide", {f"w/{n}": "x" for n in range(310)}, "Wide", parents=[at.lab.second])
    assert relation_of(at.run(at.repository.read_relation(at.lab.second, wide))).truncated


def test_unrelated_histories_are_diverged_and_unknown_commits_absent(at: ClientBench) -> None:
    alone = at.lab.repository.commit("alone", {"a": "1"}, "Alone", parents=[])
    found = relation_of(at.run(at.repository.read_relation(at.lab.first, alone)))
    assert (found.relation, found.merge_base, found.commits) == ("diverged", None, ())
    assert isinstance(at.run(at.repository.read_relation(at.lab.first, MISSING)), Absent)


def test_only_full_ids_are_compared(at: ClientBench) -> None:
    with pytest.raises(UsageError, match="is not a full commit id"):
        at.run(at.repository.read_relation("main", at.lab.second))
    assert at.client.requests == 0
