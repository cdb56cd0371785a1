"""Ruleset rules: what a branch takes, from whom, and which statuses a commit still lacks.

Source of the rules, except where another stands beside one:
https://docs.github.com/en/repositories (available rules for rulesets)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gate.lab.github.exchange import unprocessable
from gate.lab.github.identity import GITHUB_ACTIONS, Identity
from gate.lab.github.state import Repository

VIOLATIONS = "Repository rule violations found"


@dataclass(frozen=True)
class RefUpdate:
    """A branch on its way from `old` to `new` (None: it is made, or deleted), by somebody."""

    branch: str
    old: str | None
    new: str | None
    by: Identity


def add_rule(
    repository: Repository, branch: str, rule: dict[str, Any], ruleset_id: int, bypass: tuple[int, ...] = ()
) -> None:
    """Put a rule on a branch; the Apps with these ids are not bound by it.

    Rule: the App behind GITHUB_TOKEN cannot be on a bypass list. Sources:
    tangosdev/sm64ds-decomp#1136, FriendlyInternet/nuxt-crouton#1942.
    """
    if GITHUB_ACTIONS.app_id in bypass:
        message = "Actor GitHub Actions integration must be part of the ruleset source or owner organization"
        raise unprocessable(message)
    source = {"ruleset_source_type": "Repository", "ruleset_source": repository.full_name}
    repository.rules.setdefault(branch, []).append({**rule, **source, "ruleset_id": ruleset_id})
    repository.bypass[ruleset_id] = frozenset(bypass)


def rules_for(repository: Repository, branch: str, by: Identity) -> list[dict[str, Any]]:
    """The rules of a branch that bind this caller."""
    rules = repository.rules.get(branch, [])
    return [rule for rule in rules if by.app_id not in repository.bypass.get(rule["ruleset_id"], frozenset())]


def refuse(repository: Repository, update: RefUpdate) -> None:
    """422 with every violated rule.

    Source of the message's form: satisfactory-factories/application#67.
    """
    said = list(violations(repository, update))
    if said:
        raise unprocessable(f"{VIOLATIONS}\n\n" + "".join(f"{one}\n\n" for one in said))


def violations(repository: Repository, update: RefUpdate) -> Iterator[str]:
    """What each rule says against a direct update of a branch."""
    for rule in rules_for(repository, update.branch, update.by):
        said = _violation(repository, rule, update)
        if said:
            yield said


def _violation(repository: Repository, rule: dict[str, Any], update: RefUpdate) -> str:
    kind = rule["type"]
    if update.new is None:
        return "Cannot delete this branch" if kind == "deletion" else ""
    if kind == "creation":
        # strands-labs/robots#1959
        return "Cannot create ref due to creations being restricted." if update.old is None else ""
    if kind == "required_status_checks":
        exempt = update.old is None and rule["parameters"].get("do_not_enforce_on_create") is True
        return "" if exempt else expected(*_counts(repository, [rule], update.new))
    if kind == "required_signatures":
        signed = all(sha in repository.verified for sha in _added(repository, update))
        return "" if signed else "Commits must have verified signatures."  # vercel/sandbox#169
    if kind == "required_linear_history":  # termux/termux-packages#23456
        return "This branch must not contain merge commits." if _merges(repository, update) else ""
    if update.old is None:
        return ""
    if kind == "non_fast_forward":
        forward = repository.git.is_ancestor(update.old, update.new)
        return "" if forward else "Cannot force-push to this branch"
    return {
        "pull_request": "Changes must be made through a pull request.",
        "merge_queue": "Changes must be made through the merge queue",  # pascalgn/automerge-action#235
        "update": "Cannot update this protected ref.",
    }.get(kind, "")


def _added(repository: Repository, update: RefUpdate) -> list[str]:
    assert update.new is not None  # noqa: S101 - the caller has looked
    if update.old is None:
        return [update.new]
    return repository.git.between(update.old, update.new)


def _merges(repository: Repository, update: RefUpdate) -> bool:
    git = repository.git
    return any(len(git.text("rev-parse", f"{sha}^@").split()) > 1 for sha in _added(repository, update))


def required_checks(rules: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The required contexts of some rules, each with its App if one is named."""
    return [
        check
        for rule in rules
        if rule["type"] == "required_status_checks"
        for check in rule["parameters"]["required_status_checks"]
    ]


def missing_checks(repository: Repository, rules: list[dict[str, Any]], sha: str) -> list[str]:
    """Required contexts without a success on this commit.

    Rules: the latest commit counts, and with an expected source only that
    App's statuses do. Source: https://docs.github.com/en/repositories
    (about protected branches, require status checks before merging)
    """
    good = {
        (status.context.lower(), app)
        for status in repository.latest_statuses(sha)
        if status.state == "success"
        for app in (None, status.creator.app_id)
    }
    return [
        check["context"]
        for check in required_checks(rules)
        if (check["context"].lower(), check.get("integration_id")) not in good
    ]


def _counts(repository: Repository, rules: list[dict[str, Any]], sha: str) -> tuple[list[str], int]:
    return missing_checks(repository, rules, sha), len(required_checks(rules))


def expected(missing: list[str], required: int) -> str:
    """GitHub's words for missing statuses; empty where none is missing.

    Sources: wheels-dev/wheels#3283 and RakuenSoftware/aimee#2460 for several.
    """
    if len(missing) > 1:
        return f"{len(missing)} of {required} required status checks are expected."
    return f'Required status check "{missing[0]}" is expected.' if missing else ""


def is_strict(rules: list[dict[str, Any]]) -> bool:
    """Whether a branch has to be up to date before it merges."""
    return any(
        rule["parameters"].get("strict_required_status_checks_policy") is True
        for rule in rules
        if rule["type"] == "required_status_checks"
    )
