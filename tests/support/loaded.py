"""Imported by the process that the gate is forked from.

It leaves out the pauses between requests that GitHub asks for and a stand-in does not need: a second for each write.
"""

from gate.adapters.github.access import GitHubAccess
from gate.catalogue import load_catalogue
from tests.support.forked import load_gate

load_gate()
load_catalogue()
GitHubAccess.model_fields["paced"].default = False
GitHubAccess.model_rebuild(force=True)
