"""PyGithub against the GitHub stand-in: what a client of the real API does, works here."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from github import UnknownObjectException
from github.InputGitTreeElement import InputGitTreeElement

from tests.support.github import NAME, PERSON, PIN, Bench, bench


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def test_repository_and_rate_limit(lab: Bench) -> None:
    eager = lab.pygithub(lazy=False)
    repository = eager.get_repo(NAME)
    assert repository.default_branch == "main"
    assert repository.owner.login == "acme"
    assert eager.get_rate_limit().resources.core.limit == 5000
    with pytest.raises(UnknownObjectException):
        eager.get_repo("acme/secrets")


def test_statuses_are_appended_and_the_newest_of_each_context_counts(lab: Bench) -> None:
    commit = lab.repo().get_commit(lab.second)
    assert commit.get_combined_status().state == "pending"
    commit.create_status("pending", "https://ci.example/1", "sync: Waiting", "gate/prod")
    commit.create_status("success", "https://ci.example/1", "released", "gate/prod")
    commit.create_status("success", context="lint")
    assert commit.get_combined_status().state == "success"
    assert commit.get_combined_status().total_count == 2
    commit.create_status("failure", "https://ci.example/2", "readiness: Failed", "gate/prod")
    assert commit.get_combined_status().state == "failure"

    newest_first = [status.description for status in commit.get_statuses()]
    assert newest_first == ["readiness: Failed", None, "released", "sync: Waiting"]
    published = lab.github.statuses(lab.second)
    assert [status["state"] for status in published] == ["pending", "success", "success", "failure"]
    assert published[0]["creator"] == "github-actions[bot]"
    assert lab.github.statuses(lab.first) == []


def test_comments_over_several_pages(lab: Bench) -> None:
    number = lab.github.open_pull("promote/prod").number
    lab.github.plant_comment(number, "<!-- gate --> mine, honest", PERSON)
    issue = lab.repo().get_issue(number)
    for index in range(104):
        lab.github.plant_comment(number, f"comment {index}", PERSON)
    own = issue.create_comment("<!-- gate --> first")
    comments = list(issue.get_comments())
    assert len(comments) == 106
    assert [comment.id for comment in comments] == sorted(comment.id for comment in comments)
    assert (comments[-1].user.login, comments[-1].user.type) == ("github-actions[bot]", "Bot")
    assert (comments[0].user.login, comments[0].user.type) == ("octo-dev", "User")
    assert lab.paths("GET") == [f"/issues/{number}/comments"] * 2

    own.edit("<!-- gate --> second")
    assert lab.github.comments(number)[-1]["body"] == "<!-- gate --> second"
    assert issue.get_comment(own.id).body == "<!-- gate --> second"
    own.delete()
    assert len(lab.github.comments(number)) == 105
    with pytest.raises(UnknownObjectException):
        _ = issue.get_comment(own.id).body  # lazy: only reading it sends the request


def test_a_commit_through_the_git_database(lab: Bench) -> None:
    repo = lab.repo()
    ref = repo.get_git_ref("heads/main")
    tip = repo.get_git_commit(ref.object.sha)
    element = InputGitTreeElement(PIN, "100644", "blob", content="targetRevision: four\n")
    gone = InputGitTreeElement("README.md", "100644", "blob", sha=None)
    tree = repo.create_git_tree([element, gone], tip.tree)
    commit = repo.create_git_commit("Pin four", tree, [tip])
    ref.edit(commit.sha)

    git = lab.repository.git
    assert git.commit("main") == commit.sha
    assert git.text("show", f"main:{PIN}") == "targetRevision: four"
    assert git.text("ls-tree", "-r", "--name-only", "main") == PIN
    assert git.text("rev-parse", "main^") == lab.second
    assert commit.author.name == "github-actions[bot]"
    assert commit.verification.verified
    assert lab.paths("PATCH") == ["/git/refs/heads/main"]


def test_blobs_trees_and_new_branches(lab: Bench) -> None:
    repo = lab.repo()
    blob = repo.create_git_blob(base64.b64encode(b"\x00\xff").decode(), "base64")
    assert base64.b64decode(repo.get_git_blob(blob.sha).content) == b"\x00\xff"
    element = InputGitTreeElement("logo.bin", "100644", "blob", sha=blob.sha)
    tree = repo.create_git_tree([element], repo.get_git_tree("main"))
    listed = repo.get_git_tree(tree.sha, recursive=True).tree
    assert {entry.path for entry in listed} == {
        "README.md", "envs", "envs/prod", PIN, "logo.bin",
    }  # fmt: skip
    ref = repo.create_git_ref("refs/heads/promote/staging", lab.second)
    assert repo.get_git_ref("heads/promote/staging").object.sha == lab.second
    ref.delete()
    assert lab.repository.git.commit("promote/staging") is None


def test_contents_of_files_and_directories(lab: Bench) -> None:
    repo = lab.repo()
    file = repo.get_contents(PIN, ref="promote/prod")
    assert not isinstance(file, list)
    assert file.decoded_content == b"targetRevision: three\n"
    directory = repo.get_contents("envs")
    assert isinstance(directory, list)
    assert [(entry.path, entry.type) for entry in directory] == [("envs/prod", "dir")]
    root = repo.get_contents("")
    assert isinstance(root, list)
    assert {entry.path for entry in root} == {"README.md", "envs"}
    with pytest.raises(UnknownObjectException):
        repo.get_contents("envs/none.yaml")


def test_commits_and_comparisons_are_those_of_git(lab: Bench) -> None:
    repo = lab.repo()
    assert [commit.sha for commit in repo.get_commits(sha="main")] == [lab.second, lab.first]
    assert [c.sha for c in repo.get_commits("promote/prod", path="README.md")] == [lab.first]
    commit = lab.pygithub(lazy=False).get_repo(NAME).get_commit(lab.second)
    assert [(f.filename, f.status, f.changes) for f in commit.files] == [(PIN, "modified", 2)]
    assert "+targetRevision: two" in commit.files[0].patch
    assert commit.stats.total == 2
    assert commit.commit.author.name == "Octo Dev"

    ahead = repo.compare(lab.first, lab.promotion)
    assert (ahead.status, ahead.ahead_by, ahead.behind_by) == ("ahead", 2, 0)
    assert [c.sha for c in ahead.commits] == [lab.second, lab.promotion]
    behind = repo.compare("promote/prod", "main")
    assert (behind.status, behind.ahead_by, behind.behind_by) == ("behind", 0, 1)
    assert repo.compare("main", "main").status == "identical"
    aside = lab.repository.commit("aside", {"b.txt": "b\n"}, "B", parents=[lab.first])
    diverged = repo.compare("promote/prod", aside)
    assert (diverged.status, diverged.ahead_by, diverged.behind_by) == ("diverged", 1, 2)
    assert diverged.merge_base_commit.sha == lab.first
    assert [file.filename for file in diverged.files] == ["b.txt"]


def test_renames_removals_and_binary_files_are_told_apart(lab: Bench) -> None:
    text = "".join(f"line {number}\n" for number in range(20))
    lab.repository.commit("moves", {"old.txt": text, "gone.txt": "x\n"}, "A", parents=[lab.first])
    files = {"old.txt": None, "gone.txt": None, "new.txt": text, "data.bin": "a\0b"}
    sha = lab.repository.commit("moves", files, "Move")
    listed = lab.api.get(f"{lab.url}/commits/{sha}").json()["files"]
    found = {entry["filename"]: (entry["status"], entry.get("previous_filename")) for entry in listed}
    assert found == {
        "data.bin": ("added", None),
        "gone.txt": ("removed", None),
        "new.txt": ("renamed", "old.txt"),
    }
    assert "patch" not in next(entry for entry in listed if entry["filename"] == "data.bin")


def test_a_pull_request_from_opening_to_merging(lab: Bench) -> None:
    repo = lab.repo()
    pull = repo.create_pull("main", "promote/prod", title="Promote three", body="See README")
    assert (pull.number, pull.head.sha, pull.base.ref) == (1, lab.promotion, "main")
    assert pull.mergeable
    assert lab.repository.git.commit("refs/pull/1/merge") == pull.merge_commit_sha
    assert pull.merge_commit_sha != pull.head.sha
    assert [file.filename for file in pull.get_files()] == [PIN]
    pull.edit(title="Promote three to production")
    assert [p.title for p in repo.get_pulls(head="acme:promote/prod")] == [pull.title]
    assert list(repo.get_pulls(base="other")) == []
    of_commit = list(repo.get_commit(lab.promotion).get_pulls())
    assert [(p.number, p.merged_at) for p in of_commit] == [(1, None)]
    assert list(repo.get_commit(lab.first).get_pulls()) == []

    assert pull.merge(merge_method="squash").merged
    merge_commit = lab.repository.git.text("rev-parse", "main")
    [merged] = repo.get_commit(merge_commit).get_pulls()
    assert merged.merged_at is not None
    assert merged.merge_commit_sha == merge_commit
    assert list(repo.get_pulls()) == []
    assert repo.get_pull(1).merged


def test_a_pull_request_follows_its_branch(lab: Bench) -> None:
    number = lab.github.open_pull("promote/prod", user=PERSON).number
    newer = lab.repository.commit("promote/prod", {PIN: "targetRevision: five\n"}, "Five")
    pull = lab.repo().get_pull(number)
    assert pull.head.sha == newer
    assert pull.user.login == "octo-dev"
    lab.repository.git.run("update-ref", "refs/heads/main", newer)
    assert lab.github.pull(number).merged_at is not None


def test_a_conflict_makes_it_unmergeable(lab: Bench) -> None:
    number = lab.github.open_pull("promote/prod").number
    lab.repository.commit("main", {PIN: "targetRevision: other\n"}, "Other")
    pull = lab.repo().get_pull(number)
    assert (pull.mergeable, pull.mergeable_state) == (False, "dirty")
