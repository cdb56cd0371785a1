"""How many Pods a Deployment may have too many or too few while it rolls out: numbers only."""

import math
from collections.abc import Sequence

from gate.lab.cluster.controllers.replica_sets import MAXIMUM, active, annotations, oldest_first, replicas
from gate.lab.cluster.store import Object


def wanted(deployment: Object) -> int:
    """How many replicas it wants."""
    return int(deployment["spec"]["replicas"])


def max_surge(deployment: Object) -> int:
    """How many Pods more than wanted there may be."""
    return _bounds(deployment)[0]


def max_unavailable(deployment: Object) -> int:
    """How many Pods of those that are wanted may be missing."""
    return min(_bounds(deployment)[1], wanted(deployment))


def replicas_of_new(deployment: Object, sets: Sequence[Object], new: Object) -> int:
    """How many replicas the new ReplicaSet may have now, beside the others in ``sets``."""
    if deployment["spec"]["strategy"]["type"] != "RollingUpdate":
        return wanted(deployment)
    room = wanted(deployment) + max_surge(deployment) - replicas(sets)
    own = int(new["spec"]["replicas"])
    return own if room <= 0 else own + min(room, wanted(deployment) - own)


def in_proportion(deployment: Object, sets: Sequence[Object]) -> list[tuple[Object, int]]:
    """What each active ReplicaSet gets when a Deployment is scaled in the middle of a rollout."""
    size = wanted(deployment) + max_surge(deployment) if wanted(deployment) > 0 else 0
    found = active(sets)
    missing = size - replicas(found)
    oldest = oldest_first(found)
    ranked = sorted(reversed(oldest) if missing > 0 else oldest, key=lambda one: -int(one["spec"]["replicas"]))
    shares: list[int] = []
    for one in ranked:
        left = missing - sum(shares)
        fraction = _fraction(deployment, one)
        shares.append(min(fraction, left) if missing > 0 else max(fraction, left))
    shares[0] += missing - sum(shares)
    return [(one, max(0, int(one["spec"]["replicas"]) + share)) for one, share in zip(ranked, shares, strict=True)]


def _fraction(deployment: Object, one: Object) -> int:
    own = int(one["spec"]["replicas"])
    if wanted(deployment) == 0:
        return -own
    before = int(annotations(one).get(MAXIMUM, 0)) or int(deployment.get("status", {}).get("replicas", 0)) or own
    return math.floor(own * (wanted(deployment) + max_surge(deployment)) / before + 0.5) - own


def _bounds(deployment: Object) -> tuple[int, int]:
    """Surge, rounded up, and unavailable, rounded down; one of them is above zero."""
    strategy = deployment["spec"]["strategy"]
    if strategy["type"] != "RollingUpdate":
        return 0, 0
    given = strategy.get("rollingUpdate") or {}
    surge = _share(given.get("maxSurge", "25%"), wanted(deployment), up=True)
    unavailable = _share(given.get("maxUnavailable", "25%"), wanted(deployment), up=False)
    return (0, 1) if surge == 0 and unavailable == 0 else (surge, unavailable)


def _share(value: int | str, total: int, *, up: bool) -> int:
    """A number as it is, a percentage of the total."""
    if isinstance(value, int):
        return value
    exact = int(value.removesuffix("%")) * total / 100
    return math.ceil(exact) if up else math.floor(exact)
