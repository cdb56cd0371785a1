"""What Go's encoding makes of an Application whenever it is written as a whole. Pure."""

from gate.lab.cluster.store import Object


def empty_status() -> Object:
    """What it writes of a status that has nothing in it."""
    return {
        "health": {},
        "sourceHydrator": {},
        "summary": {},
        "sync": {"status": "", "comparedTo": {"destination": {}, "source": {"repoURL": ""}}},
    }


def leave_out_zeroes(spec: Object) -> None:
    """Take out of a spec's sync policy what says no more than its absence."""
    policy = spec.get("syncPolicy") or {}
    for part, fields in (("automated", ("prune", "selfHeal", "allowEmpty")), ("retry", ("limit",))):
        given = policy.get(part) or {}
        for field in fields:
            if not given.get(field, True):
                del given[field]
