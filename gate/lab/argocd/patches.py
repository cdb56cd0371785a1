"""The JSON merge patch (RFC 7386) by which Argo CD writes an Application: only what it changed. Pure."""

import copy

from gate.lab.cluster.store import Object


def difference(before: Object, after: Object) -> Object:
    """The merge patch that makes ``after`` of ``before``: None removes, a list is replaced as a whole."""
    patch: Object = dict.fromkeys(before.keys() - after.keys())
    for name, value in after.items():
        if name not in before:
            patch[name] = copy.deepcopy(value)
        elif isinstance(value, dict) and isinstance(before[name], dict):
            inner = difference(before[name], value)
            if inner:
                patch[name] = inner
        elif value != before[name]:
            patch[name] = copy.deepcopy(value)
    return patch
