"""What a report learns of Git beside its files: from a clone, from GitHub, and where neither can tell."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gate.app.reporting import ROLES, Reporting
from gate.app.stores import StoreOptions
from gate.evidence.record import EvidenceFile
from gate.facts.moment import GitRecord
from gate.lab.github import Fault
from gate.render.report.subject import RefusedReport, Report, Role
from tests.support.clones import commit, git, new_clone
from tests.support.github import NAME
from tests.support.github_client import ClientBench, client_bench
from tests.support.recoveries import altered, story

SERVER = "https://github.com"


class Told:
    """Three commits in a repository: good, bad, and with another one between, its revert."""

    def __init__(self, folder: Path) -> None:
        self.good = commit(folder, "Release 1.0.0", f="1", kept="k")
        self.bad = commit(folder, "Break it", f="2")
        commit(folder, "Between", kept="kk")
        git(folder, "revert", "--no-edit", self.bad)
        self.recovered = git(folder, "rev-parse", "HEAD")

    @property
    def ids(self) -> tuple[str, str, str]:
        return self.good, self.bad, self.recovered


def files_of(ids: tuple[str, str, str], url: str = "") -> dict[Role, EvidenceFile]:
    """Evidence about these commits, that recorded nothing of Git: as read and verified."""
    files = story()
    for role, one in zip(ROLES, ids, strict=True):
        files = altered(files, role, intended=one)
        polls = tuple(poll.model_copy(update={"git": None}) for poll in files[role].polls)
        files = {**files, role: files[role].model_copy(update={"polls": polls, "objects": _from(files[role], url)})}
    return files


def _from(file: EvidenceFile, url: str) -> tuple[dict[str, object], ...]:
    return tuple(
        {**one, "spec": {**one["spec"], "source": {**one["spec"]["source"], "repoURL": url}}}
        if one["kind"] == "Application"
        else one
        for one in file.objects
    )


class _Read(Reporting):
    """A report of files that were read and verified already."""

    files: dict[Role, EvidenceFile]

    async def _named(self) -> dict[Role, EvidenceFile]:
        return self.files


def report(
    files: dict[Role, EvidenceFile], store: StoreOptions, at: ClientBench | None = None
) -> Report | RefusedReport:
    made = _Read(dict.fromkeys(ROLES, "x"), None, store, SERVER, None if at is None else at.client)
    made.files = files
    return asyncio.run(made.run())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return new_clone(tmp_path)


def test_a_clone_proves_a_revert_by_its_patch(folder: Path) -> None:
    told = Told(folder)
    made = report(files_of(told.ids), StoreOptions(repo=folder))
    assert isinstance(made, Report)
    assert (made.kind, made.relations.undone_by) == ("git-revert", "patch")
    assert (made.relations.bad_to_recovered, made.relations.same_tree) == ("ahead", "no")
    assert made.recovered.subject == 'Revert "Break it"'


def test_without_it_the_same_files_say_that_they_do_not_know(folder: Path) -> None:
    made = report(files_of(Told(folder).ids), StoreOptions())
    assert isinstance(made, Report)
    assert (made.kind, made.repairs_intent, made.relations.says_revert) == ("unknown", "unknown", "unknown")
    assert any("--repo" in note for note in made.notes)


def test_a_shallow_clone_says_what_it_cannot_tell(folder: Path, tmp_path: Path) -> None:
    told = Told(folder)
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{folder}", str(shallow))
    made = report(files_of(told.ids), StoreOptions(repo=shallow))
    assert isinstance(made, Report)
    assert made.kind == "unknown"
    assert any("Git could not be asked about everything" in note for note in made.notes)


def test_evidence_that_contradicts_the_repository_is_refused(folder: Path) -> None:
    told = Told(folder)
    files = files_of(told.ids)
    false = GitRecord.model_validate({"commits": {told.bad: {"tree": "7" * 40, "parents": [], "message": "Break it"}}})
    polls = (files["bad"].polls[0].model_copy(update={"git": false}), *files["bad"].polls[1:])
    files = {**files, "bad": files["bad"].model_copy(update={"polls": polls})}
    made = report(files, StoreOptions(repo=folder))
    assert isinstance(made, RefusedReport)
    assert f"commit {told.bad} has the tree {'7' * 40}; the repository says" in made.reasons[0]


def _on_github(at: ClientBench) -> tuple[str, str, str]:
    repository = at.lab.repository
    good = repository.commit("main", {"f": "1\n"}, "Release 1.0.0")
    bad = repository.commit("main", {"f": "2\n"}, "Break it")
    return good, bad, repository.commit("main", {"f": "1\n"}, f'Revert "Break it"\n\nThis reverts commit {bad}.')


def test_github_proves_a_revert_by_its_tree(tmp_path: Path) -> None:
    with client_bench(tmp_path) as at:
        made = report(files_of(_on_github(at), f"{SERVER}/{NAME}.git"), StoreOptions(), at)
        assert isinstance(made, Report)
        assert (made.kind, made.relations.undone_by, made.relations.same_tree) == ("git-revert", "tree", "yes")


def test_github_that_does_not_answer_leaves_it_open(tmp_path: Path) -> None:
    with client_bench(tmp_path, faults=(Fault(kind="error", status=500, method="GET", times=None),)) as at:
        made = report(files_of(_on_github(at), f"{SERVER}/{NAME}.git"), StoreOptions(), at)
        at.lab.validator.seen += 1
        assert isinstance(made, Report)
        assert made.kind == "unknown"
        assert any("Git could not be asked about everything" in note for note in made.notes)


def test_a_repository_elsewhere_is_not_looked_for_on_github(tmp_path: Path) -> None:
    with client_bench(tmp_path) as at:
        ids = _on_github(at)
        at.lab.validator.seen += 1
        made = report(files_of(ids, f"https://git.example.org/{NAME}.git"), StoreOptions(), at)
        assert isinstance(made, Report)
        assert made.kind == "unknown"
        assert [one.path for one in at.lab.github.requests if "/repos/" in one.path] == []
