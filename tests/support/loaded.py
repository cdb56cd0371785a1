"""Imported by the process that the gate is forked from.

It leaves out the pauses between requests that GitHub asks for and a stand-in does not need: a second for each write.
"""

from typing import Any

from gate.adapters.github import login
from gate.adapters.github.access import GitHubAccess
from gate.catalogue import load_catalogue
from tests.support.forked import load_gate

load_gate()
load_catalogue()
_with_pauses = login.settings_of


def _without_pauses(access: GitHubAccess) -> dict[str, Any]:
    return _with_pauses(access.model_copy(update={"paced": False}))


login.settings_of = _without_pauses
