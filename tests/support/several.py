"""Recordings that pass with more in them than one Application with one Deployment.

``second_application`` adds ``cart``, with a Deployment, a Service and requests of its own;
``second_deployment`` adds ``worker``, which no Service leads to, to the Application that is there.
"""

import copy
import json
from typing import Any, cast

from tests.support.bundles import Json, changed, find, judge, recording
from tests.support.raw_application import NAMESPACE

CART, WORKER = 1, 2
"""Which of the further releases: it stands in every uid, address and cluster IP of it."""

LABELS = {"team": "shop"}

Outcome = tuple[str, str, str, bool]
"""A verdict's word and reason, the layer that failed (empty without one), and whether it is final."""

PASSED: Outcome = ("passed", "AllLayersAgree", "", True)


def outcome(raw: Json) -> Outcome:
    """What a recording comes to."""
    verdict = judge(raw)
    layer = "" if verdict.failed_layer is None else verdict.failed_layer.value
    return verdict.word.value, verdict.reason.value, layer, verdict.final


def _own(raw: Any, name: str, number: int) -> Any:
    """A copy of JSON data about ``web`` that is about ``name``: other names, labels, uids and addresses."""
    text = json.dumps(raw).replace("web", name).replace("-4000-", f"-400{number}-")
    text = text.replace("10.244.", f"10.24{4 + number}.").replace("10.96.", f"10.{96 + number}.")
    return json.loads(text)


def of_cart(raw: Any) -> Any:
    """What ``cart`` has where the first Application has this."""
    return _own(raw, "cart", CART)


def _cart_application(raw: Json) -> Json:
    made = cast("Json", of_cart(raw))
    made["metadata"]["name"] = "cart"
    return made


def _with_cart(moment: Json) -> None:
    for one, many in (("application", "applications"), ("application-again", "applications-again")):
        first = moment.pop(one)
        first["metadata"]["labels"] = dict(LABELS)
        moment[many] = [first, _cart_application(first)]
    added = of_cart(moment["objects"])
    for kind in ("Deployment", "Service"):
        notes = find({"objects": added}, kind)["metadata"]["annotations"]
        notes.update({key: value.replace("shop:", "cart:", 1) for key, value in notes.items()})
    moment["objects"] += added
    moment["responses"] += [{**one, "request": "cart"} for one in moment["responses"]]


def settings(raw: Json) -> Json:
    """The environment's part of the configuration, to be changed in place."""
    return cast("Json", raw["config"]["environments"]["staging"])


def expecting(raw: Json, *workloads: Json) -> Json:
    """The same recording, these Deployments expected by the configuration."""
    made = copy.deepcopy(raw)
    settings(made)["workloads"] = [{"kind": "Deployment", **one} for one in workloads]
    return made


def second_application(**parts: Any) -> Json:
    """Two Applications in one namespace, each by its name, each with a Service of its own that is asked."""
    made = changed(recording(**parts), _with_cart)
    chosen = settings(made)
    chosen["applications"].append({"name": "cart"})
    (request,) = chosen["requests"]
    chosen["requests"].append({**copy.deepcopy(request), "name": "cart", "service": f"{NAMESPACE}/cart:http"})
    return made


def by_selector(raw: Json, *, minimum: int = 2) -> Json:
    """The same recording, its Applications found by their labels."""
    made = copy.deepcopy(raw)
    settings(made)["applications"] = [{"selector": {"match-labels": dict(LABELS)}, "minimum": minimum}]
    return made


def _with_worker(moment: Json) -> None:
    kinds = ("Deployment", "ReplicaSet", "Pod")
    moment["objects"] += [_own(one, "worker", WORKER) for one in moment["objects"] if one["kind"] in kinds]
    for app in (moment["application"], moment["application-again"]):
        status = app["status"]
        for entries in (status["resources"], status["operationState"]["syncResult"]["resources"]):
            entries += [_own(one, "worker", WORKER) for one in entries if one["kind"] == "Deployment"]


def second_deployment(**parts: Any) -> Json:
    """One Application with the Deployments ``web``, behind a Service, and ``worker``, behind none."""
    return changed(recording(**parts), _with_worker)


def named(moment: Json, kind: str, name: str, key: str = "objects") -> Json:
    """The first object of this kind whose name is this, or begins with it and a dash."""
    found: list[Json] = [one for one in moment[key] if one["kind"] == kind]
    return next(one for one in found if f"{one['metadata']['name']}-".startswith(f"{name}-"))


def add_third(moment: Json, *, first: Json | None, again: Json | None) -> None:
    """A third Application, sound at the same commit, with these labels in either read; None: not in it.

    It manages what the second one manages.
    """
    for key, labels in (("applications", first), ("applications-again", again)):
        if labels is not None:
            third = copy.deepcopy(moment[key][1])
            third["metadata"].update(name="third", uid=third["metadata"]["uid"][:-1] + "3", labels=dict(labels))
            moment[key].append(third)
