"""The tale of an approval: a check that passed, the service broken behind its back, and well again.

The same on the real cluster and on the laboratory. What breaks the service is a hand's edit of the live readiness
probe that Argo CD was told not to look at: Git, the pin and the comparison are as they were when it passed.
"""

import copy
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from gate.lab.github import GitHubStandIn
from tests.cluster.harness import Harness, until
from tests.cluster.harness.settings import CHECKOUT
from tests.cluster.story import seeing
from tests.cluster.story.github import REPOSITORY
from tests.cluster.story.stage import WEB, Stage, container

TIMEOUT = 60
_PROBE = "/spec/template/spec/containers/0/readinessProbe"
_IGNORED = {"ignoreDifferences": [{"group": "apps", "kind": "Deployment", "jsonPointers": [_PROBE]}]}
_PATIENCE = 60


@dataclass(frozen=True)
class Spoken:
    """One run: its exit code, verdict, the last status on the head, its own evidence, and its log."""

    code: int
    verdict: dict[str, Any]
    status: str
    evidence: Path | None
    log: str


@dataclass(frozen=True)
class Told:
    """The check, and the approvals: of what it saw, of a service that was broken since, of a tampered file, and
    of the service when it was well again.
    """

    checked: Spoken
    approved: Spoken
    broken: Spoken
    tampered: Spoken
    mended: Spoken


@dataclass
class Teller:
    """Runs the gate on the promotion pull request of a stage, each time as a run of its own."""

    stage: Stage
    github: GitHubStandIn
    folder: Path
    runs: int = 0

    def ask(self, *options: str) -> Spoken:
        """One run of the gate."""
        self.runs += 1
        folder = self.folder / str(self.runs)
        folder.mkdir(parents=True)
        number = next(iter(self.github.world.repositories[REPOSITORY].pulls))
        head = self.github.pull(number).head_sha
        (folder / "event.json").write_text(json.dumps(self.github.events().pull_request(number)))
        given = [*options, "--environment", "staging", "--repo", str(self.stage.repository.path)]
        given += ["--kubeconfig", str(self.stage.harness.reader_kubeconfig()), "--format", "json"]
        ended = self.stage.harness.gate(given, folder, self._variables(folder), TIMEOUT + _PATIENCE)
        found = sorted((folder / "evidence").rglob("*.json"))
        files = [file for file in found if not file.name.endswith(".predicate.json")]
        verdict = json.loads(ended.out) if ended.out.startswith("{") else {}
        status = str(self.github.statuses(head)[-1]["state"])
        return Spoken(ended.code, verdict, status, files[0] if files else None, ended.err)

    def _variables(self, folder: Path) -> Mapping[str, str]:
        return {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(folder),
            "PYTHONPATH": str(CHECKOUT),
            "GITHUB_EVENT_PATH": str(folder / "event.json"),
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_SERVER_URL": self.github.server_url,
            "GITHUB_API_URL": self.github.url,
            "GITHUB_RUN_ID": str(self.runs),
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_SHA": "f" * 40,
            "GITHUB_TOKEN": self.github.token,
        }


def promoting(settings: str) -> str:
    """The configuration with an environment behind staging, which stands on the branch production."""
    raw = yaml.safe_load(settings)
    staging = raw["environments"]["staging"]
    raw["environments"]["production"] = {**copy.deepcopy(staging), "branch": "production"}
    staging["promotes-to"] = "production"
    text: str = yaml.safe_dump(raw, sort_keys=False)
    return text


def probe(stage: Stage, path: str) -> None:
    """What a hand does to the live readiness probe."""
    one = container(stage.deployment)
    one["readinessProbe"]["httpGet"]["path"] = path
    stage.harness.patch("Deployment", stage.namespace, WEB, {"spec": {"template": {"spec": {"containers": [one]}}}})


def tampered(file: Path, folder: Path) -> Path:
    """The evidence of a failure made to say that all is well, its digest made anew."""
    from gate.evidence.record import digest_of

    raw = json.loads(file.read_text(encoding="utf-8"))
    raw["run"]["approves"] = None
    raw["verdict"] |= {"verdict": "passed", "reason": "AllLayersAgree", "failed-layer": "", "final": True}
    for layer in raw["verdict"]["layers"]:
        layer["outcome"] = "passed"
    made = folder / "tampered.json"
    made.write_text(json.dumps({**raw, "digest": digest_of(raw)}))
    return made


def tell(harness: Harness, folder: Path) -> Told:
    """Play the tale; everything that it made is taken away."""
    stage = Stage(harness, "approval")
    try:
        stage.repository.commit({"promotion-gate.yaml": promoting(stage.settings)}, "Promote to production")
        sha = stage.create(stage.release("1.0.0", note="first"))
        stage.patch_application({"spec": _IGNORED})
        stage.wait(seeing.is_quiet, sha)
        with GitHubStandIn({REPOSITORY: stage.repository.bare}) as github:
            github.open_pull("main", "production", title="Promote to production")
            return _tell(stage, Teller(stage, github, folder), sha)
    finally:
        stage.end()


def _tell(stage: Stage, teller: Teller, sha: str) -> Told:
    checked = teller.ask("check", "--timeout", f"{TIMEOUT}s")
    assert checked.evidence is not None, checked.log
    approve = ("approve", "--timeout", f"{TIMEOUT}s", "--evidence", str(checked.evidence))
    approved = teller.ask(*approve)
    probe(stage, "/nowhere")
    stage.wait(seeing.deadline_exceeded, sha)
    broken = teller.ask(*approve)
    assert broken.evidence is not None, broken.log
    forged = teller.ask(*approve[:-1], str(tampered(broken.evidence, teller.folder)))
    probe(stage, "/healthz")
    until(lambda: seeing.is_quiet(stage, sha), _PATIENCE, "the service to be well again")
    return Told(checked, approved, broken, forged, teller.ask(*approve))


def check_told(told: Told) -> None:
    """What had to be said."""
    assert (told.checked.code, told.checked.status) == (0, "success"), told.checked.log
    assert (told.approved.code, told.approved.status) == (0, "success"), told.approved.log
    assert any(note.startswith("Approval: rests on evidence sha256:") for note in told.approved.verdict["notes"])
    assert told.approved.evidence is not None
    kept = json.loads(told.approved.evidence.read_text(encoding="utf-8"))
    assert told.checked.evidence is not None
    assert kept["run"]["approves"] == json.loads(told.checked.evidence.read_text(encoding="utf-8"))["digest"]
    assert (told.broken.code, told.broken.status) == (1, "failure"), told.broken.log
    said = told.broken.verdict
    assert (said["failed-layer"], said["reason"]) == ("readiness", "ProgressDeadlineExceeded"), told.broken.log
    assert [layer["outcome"] for layer in said["layers"][:2]] == ["passed", "passed"]
    assert (told.tampered.code, told.tampered.status) == (2, "error"), told.tampered.log
    assert told.tampered.verdict["reason"] == "EvidenceNotVerified"
    assert (told.mended.code, told.mended.status) == (0, "success"), told.mended.log
