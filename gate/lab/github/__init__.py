"""A stateful stand-in for GitHub's REST API, on loopback, over real Git repositories.

Commit ids, trees, merge bases and comparisons are Git's own. What GitHub adds
on top (limits, permissions, rate limits, lag) is written down here rule by
rule, each with its public source. It proves how a client behaves under those
rules; it does not prove that GitHub still has them.
"""

from gate.lab.github.exchange import Exchange
from gate.lab.github.faults import Fault
from gate.lab.github.identity import GITHUB_ACTIONS, App, Identity
from gate.lab.github.merging import MergeRefused
from gate.lab.github.standin import GitHubStandIn

__all__ = ["GITHUB_ACTIONS", "App", "Exchange", "Fault", "GitHubStandIn", "Identity", "MergeRefused"]
