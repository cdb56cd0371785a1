"""Whether the verdict counts on GitHub: is it required, from whom, and may the token do its work. Reads only."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gate.adapters.github.address import quoted
from gate.adapters.github.reading import GitHubRepository
from gate.adapters.github.rules import (
    GITHUB_ACTIONS,
    BranchRules,
    RepositoryFound,
    RequiredCheck,
    probe,
    read_branch_rules,
    read_repository,
)
from gate.config.duration import show_duration
from gate.config.load import load_configuration
from gate.config.model import Environment
from gate.errors import ConfigurationError
from gate.observed import Absent, Observed, Present, Unreadable
from gate.render.findings import Finding, ok, problem, warning

_NEEDED = {
    "contents": ("read", "contents: read", "Contents: Read-only"),
    "statuses": ("write", "statuses: write", "Commit statuses: Read and write"),
    "pull_requests": ("write", "pull-requests: write", "Pull requests: Read and write"),
}
_READS = {"statuses": "/commits/{branch}/statuses", "pull_requests": "/pulls"}
_CLASSIC = "Classic branch protection cannot be read with this token; if it requires the status, all is well."
_JOB = "add to the permissions of the job"


@dataclass(frozen=True)
class OnGitHub:
    """What is asked. ``branch`` of None: the default one; ``acts_as`` is the id of the App that acts, if known."""

    repository: GitHubRepository
    environment: str
    settings: Environment
    config: str
    branch: str | None = None
    acts_as: str | None = None

    @property
    def about(self) -> str:
        """The heading."""
        return f"GitHub {self.repository.name}"

    @property
    def context(self) -> str:
        """The commit status."""
        return f"gate/{self.environment}"


async def examine_github(asked: OnGitHub) -> list[Finding]:
    """Everything about the repository, the branch that is promoted into, and the token."""
    account = await asked.repository.client.account() if asked.acts_as is not None else None
    found = await read_repository(asked.repository)
    if not isinstance(found, Present):
        said = "it is not there, or the token does not see it" if isinstance(found, Absent) else found.error
        return [problem(asked.about, f"It cannot be read: {said}.", "contents: read", to=_JOB)]
    branch = asked.branch or found.value.default_branch
    findings = [*_required(asked, branch, await read_branch_rules(asked.repository, branch))]
    findings += await _readable(asked, branch)
    findings += _writable(asked, account, found.value)
    findings += await _configuration(asked, found.value.default_branch)
    return findings


def _required(asked: OnGitHub, branch: str, rules: Observed[BranchRules]) -> Iterator[Finding]:
    if not isinstance(rules, Present):
        said = rules.error if isinstance(rules, Unreadable) else "not there"
        yield warning(asked.about, f"The rules of {branch} cannot be read: {said}.")
        return
    same = [one for one in rules.value.checks if one.context.lower() == asked.context.lower()]
    if same:
        yield from (_source(asked, branch, one) for one in same)
    else:
        yield _not_required(asked, branch, rules.value)
    minutes = rules.value.queue_minutes
    if minutes is not None and asked.settings.timeout.total_seconds() >= minutes * 60:
        ours = show_duration(asked.settings.timeout)
        said = f"The merge queue of {branch} waits {minutes} minutes, and the gate {ours}."
        yield problem(asked.about, said, f"timeout: {max(minutes - 2, 1)}m", to="write into promotion-gate.yaml")


def _not_required(asked: OnGitHub, branch: str, rules: BranchRules) -> Finding:
    if asked.settings.promotes_to is None:
        return ok(asked.about, f"{asked.context} is not required on {branch}, and nothing promotes from here.")
    line = f'{{"context": "{asked.context}", "integration_id": ID_OF_YOUR_APP}}'
    to = f"add to required_status_checks of a ruleset for {branch}"
    said = f"No ruleset requires {asked.context} on {branch}: a promotion can be merged without it."
    if rules.checks:
        others = ", ".join(dict.fromkeys(one.context for one in rules.checks))
        return problem(asked.about, f"{said} Required are {others}. {_CLASSIC}", line, to=to)
    return warning(asked.about, f"{said} {_CLASSIC}", line, to=to)


def _source(asked: OnGitHub, branch: str, check: RequiredCheck) -> Finding:
    said = f"{asked.context} is required on {branch}"
    line = f'{{"context": "{check.context}", "integration_id": ID_OF_YOUR_APP}}'
    to = "write into that ruleset, with an App of the gate's own"
    if check.app is None:
        return warning(asked.about, f"{said}, from anybody who may write a status.", line, to=to)
    if check.app == GITHUB_ACTIONS:
        every = "GitHub Actions is the token of every workflow: any of them can write it"
        return warning(asked.about, f"{said}, from GitHub Actions ({GITHUB_ACTIONS}). {every}.", line, to=to)
    acts = asked.acts_as
    if acts is not None and acts.isdecimal() and int(acts) != check.app:
        return problem(asked.about, f"{said}, from App {check.app}; the gate acts as App {acts}, which does not count.")
    if acts is None:
        lines = (f"app-id: {check.app}", "app-private-key: ${{ secrets.GATE_APP_PRIVATE_KEY }}")
        return warning(
            asked.about,
            f"{said}, from App {check.app} only: the gate has to act as that App.",
            *lines,
            to="add to the inputs of the step",
        )
    return ok(asked.about, f"{said}, from App {check.app} only.")


async def _readable(asked: OnGitHub, branch: str) -> list[Finding]:
    findings = []
    for name, path in _READS.items():
        _, line, _ = _NEEDED[name]
        refused = await probe(
            asked.repository, path.format(branch=quoted(branch)), f"{name} of {asked.repository.name}"
        )
        if refused is not None:
            said = refused.error if isinstance(refused, Unreadable) else "not there, or not seen"
            findings.append(problem(asked.about, f"{_words(name)} cannot be read: {said}.", line, to=_JOB))
    if not findings:
        findings.append(ok(asked.about, "Commit statuses and pull requests can be read."))
    return findings


def _words(name: str) -> str:
    return {"statuses": "Commit statuses", "pull_requests": "Pull requests"}.get(name, name.capitalize())


def _writable(asked: OnGitHub, account: str | None, found: RepositoryFound) -> Iterator[Finding]:
    """Whether a verdict can be published, where that can be known without writing one."""
    granted: Mapping[str, str] | None = asked.repository.client.connected().granted
    if granted is not None:
        lacking = [name for name, (level, *_) in _NEEDED.items() if not _grants(granted.get(name), level)]
        for name in lacking:
            said = f"{account} may not do enough: {name} is {granted.get(name, 'not granted')}."
            yield problem(asked.about, said, _NEEDED[name][2], to="set in the permissions of the App, and accept it")
        if not lacking:
            yield ok(asked.about, f"{account} may write statuses and comments.")
    elif found.scopes is not None:
        if "repo" in found.scopes:
            yield ok(asked.about, "The token's scope repo takes in statuses and comments.")
        else:
            scopes = ", ".join(found.scopes) or "none"
            yield problem(asked.about, f"The token's scopes are {scopes}.", "repo", to="give the token the scope")
    else:
        lines = tuple(line for _, line, _ in _NEEDED.values())
        said = "Whether this token may write statuses and comments cannot be known without writing."
        yield warning(asked.about, said, *lines, to="see that the job has these permissions")


def _grants(level: str | None, needed: str) -> bool:
    return level in (("write", "admin") if needed == "write" else ("read", "write", "admin"))


async def _configuration(asked: OnGitHub, branch: str) -> list[Finding]:
    """The file as a workflow will read it."""
    where = f"{asked.config} on {branch}"
    read = await asked.repository.read_file(asked.config, branch)
    if isinstance(read, Absent):
        command = f"git add {asked.config} && git commit && git push"
        said = f"{where} is not there: every run would end with 64."
        return [problem(asked.about, said, command, to="run, and merge it")]
    if isinstance(read, Unreadable):
        return [problem(asked.about, f"{where} cannot be read: {read.error}.", "contents: read", to=_JOB)]
    try:
        theirs = load_configuration(read.value, where).environments.get(asked.environment)
    except ConfigurationError as error:
        return [problem(asked.about, error.happened)]
    if theirs is None:
        return [problem(asked.about, f"{where} has no environment {asked.environment}.")]
    if theirs != asked.settings:
        return [warning(asked.about, f"{where} is not what was looked at here; workflows go by {branch}.")]
    return [ok(asked.about, f"{where} is valid, and is what was looked at here.")]
