"""JSON patches (RFC 6902): add, remove, replace and test."""

import copy
from typing import Any

from gate.lab.cluster.refusals import Refused, bad_request, refusal
from gate.lab.cluster.store import Object


def json_patched(body: Object, operations: Any) -> Object:
    """The body after these operations; raises Refused where one of them cannot be done."""
    if not isinstance(operations, list):
        raise bad_request("json: cannot unmarshal the patch into a list of operations")
    made: Object = copy.deepcopy(body)
    for operation in operations:
        try:
            _operate(made, operation)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise Refused(
                refusal(422, "Invalid", f"the server rejected our request due to an error: {error}", {})
            ) from None
    return made


def _operate(body: Object, operation: Object) -> None:
    word = operation["op"]
    *above, last = (part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:])
    parent: Any = body
    for part in above:
        parent = parent[int(part) if isinstance(parent, list) else part]
    if isinstance(parent, list):
        _operate_on_list(parent, last, operation)
    elif word == "add":
        parent[last] = operation["value"]
    elif word == "replace":
        del parent[last]
        parent[last] = operation["value"]
    elif word == "remove":
        del parent[last]
    elif word != "test" or parent.get(last) != operation["value"]:
        raise ValueError(f"{word} of {operation['path']} failed")


def _operate_on_list(parent: list[Any], last: str, operation: Object) -> None:
    word = operation["op"]
    at = len(parent) if last == "-" else int(last)
    if word == "add":
        parent.insert(at, operation["value"])
    elif word == "replace":
        parent[at] = operation["value"]
    elif word == "remove":
        del parent[at]
    elif word != "test" or parent[at] != operation["value"]:
        raise ValueError(f"{word} of {operation['path']} failed")
