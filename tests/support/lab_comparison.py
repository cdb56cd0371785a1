"""Objects of the laboratory and of a recording, made comparable: names, ids and times are no difference.

Left out on purpose, because the laboratory does not have it: the tracking id of Argo CD (its own
model writes that), the annotation endpoints.kubernetes.io/last-change-trigger-time and the exact
generation of EndpointSlices, counts of Events, and events of the recording machine (no cluster DNS,
volumes that are not there yet, probes that met a container in the moment of its start or end).
"""

import json
import re
from pathlib import Path
from typing import Any

from gate.lab.cluster.store import Object

_RECORDED = Path(__file__).parents[1] / "states" / "recorded"
KINDS = ("Deployment", "ReplicaSet", "Pod", "Service", "EndpointSlice", "Event")
_REVISION = "deployment.kubernetes.io/revision"
_MACHINE = ("MissingClusterDNS", "FailedMount")
_PATTERNS = (
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "TIME"),
    (re.compile(r"containerd://[0-9a-f]{64}"), "CONTAINER"),
    (re.compile(r"sha256:[0-9a-f]{64}"), "DIGEST"),
    (re.compile(r"kube-api-access-\w{5}"), "TOKEN"),
    (re.compile(r"\b10\.(96|244)\.\d+\.\d+\b"), "ADDRESS"),
    (re.compile(r"\[::1\]:\d{5}"), "SOCKET"),
)


def recorded(name: str) -> list[Object]:
    """The objects of the last moment of a recording."""
    moments = json.loads((_RECORDED / f"{name}.json").read_text())["polls"]
    found: list[Object] = moments[-1]["objects"]
    return found


def comparable(objects: list[Object]) -> list[Object]:
    """The objects in a fixed order, with names in place of what differs from run to run."""
    known = [one for one in objects if one["kind"] in KINDS and not _is_noise(one)]
    names = _names(known)
    text = json.dumps([_stripped(one) for one in known])
    for old in sorted(names, key=len, reverse=True):
        text = text.replace(old, names[old])
    for pattern, word in _PATTERNS:
        text = pattern.sub(word, text)
    found: list[Object] = json.loads(text)
    return sorted(found, key=lambda one: json.dumps([one["kind"], one["metadata"]["name"], one], sort_keys=True))


def _is_noise(one: Object) -> bool:
    if one["kind"] != "Event":
        return False
    probe = re.search(r"EOF|connection refused$", one["message"]) is not None and one["reason"] == "Unhealthy"
    return one["type"] != "Warning" or one["reason"] in _MACHINE or probe


def _names(objects: list[Object]) -> dict[str, str]:
    """What each name, hash and uid is called in the comparison: by the revision that it belongs to."""
    names = {one["metadata"]["namespace"]: "NAMESPACE" for one in objects}
    sets: dict[str, str] = {}
    known = {one["metadata"]["uid"]: one["metadata"]["name"] for one in objects}
    for one in objects:
        if one["kind"] == "ReplicaSet":
            revision = one["metadata"]["annotations"][_REVISION]
            sets[one["metadata"]["uid"]] = revision
            names[one["metadata"]["labels"]["pod-template-hash"]] = f"HASH{revision}"
    for one in objects:
        if one["kind"] == "Event":
            # Its Pod may be gone: the name still says of which ReplicaSet it was.
            about = one["involvedObject"]
            revision = next((sets[uid] for uid in sets if about["name"].startswith(f"{known[uid]}-")), "")
            names[about["uid"]] = f"UID-{about['kind']}{revision}"
            names[about["name"]] = f"{about['kind']}{revision}" if revision else about["name"]
    for one in objects:
        owner = next((ref["uid"] for ref in one["metadata"].get("ownerReferences", ())), "")
        if owner not in known and owner:
            names[owner] = "UID-Owner"
        called = f"{one['kind']}{sets.get(one['metadata']['uid'], sets.get(owner, ''))}"
        names[one["metadata"]["uid"]] = f"UID-{called}"
        if one["kind"] in ("Pod", "EndpointSlice") and "generateName" in one["metadata"]:
            names[one["metadata"]["name"]] = called
        if one["kind"] == "Pod" and "controller-revision-hash" in one["metadata"]["labels"]:
            names[one["metadata"]["labels"]["controller-revision-hash"]] = "REVISION"
    return names


def _stripped(one: Object) -> Object:
    metadata = {key: value for key, value in one["metadata"].items() if key != "resourceVersion"}
    notes = {
        key: value
        for key, value in metadata.pop("annotations", {}).items()
        if not key.startswith(("argocd.argoproj.io/", "endpoints.kubernetes.io/"))
    }
    metadata |= {"annotations": notes} if notes else {}
    found: dict[str, Any] = {**one, "metadata": metadata}
    if one["kind"] == "EndpointSlice":
        metadata["generation"] = "MOVES"
    if one["kind"] == "Event":
        metadata |= {"name": "EVENT", "uid": "UID"}
        found["involvedObject"] = {**one["involvedObject"], "resourceVersion": "N"}
        found["count"] = "COUNT"
    return found
