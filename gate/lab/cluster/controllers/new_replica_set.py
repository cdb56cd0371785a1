"""The ReplicaSet that a Deployment makes for a template that it has not had before."""

import copy
from collections.abc import Sequence

from gate.lab.cluster.controllers.names import template_hash
from gate.lab.cluster.controllers.pods import owner_reference
from gate.lab.cluster.controllers.replica_sets import HASH, note_replicas, note_revision
from gate.lab.cluster.controllers.surge import max_surge, replicas_of_new, wanted
from gate.lab.cluster.store import Object


def new_replica_set(deployment: Object, others: Sequence[Object], revision: int) -> Object:
    """A body to create, with as many replicas as there may be beside the others."""
    made = _body(deployment)
    made["spec"]["replicas"] = replicas_of_new(deployment, others, made)
    note_revision(made, deployment, revision)
    note_replicas(made, wanted(deployment), wanted(deployment) + max_surge(deployment))
    return made


def _body(deployment: Object) -> Object:
    spec, metadata = deployment["spec"], deployment["metadata"]
    template = copy.deepcopy(spec["template"])
    labels = template.setdefault("metadata", {}).setdefault("labels", {})
    selector = copy.deepcopy(spec["selector"])
    digest = template_hash(spec["template"])
    for place in (labels, selector.setdefault("matchLabels", {})):
        place[HASH] = digest
    optional = {name: spec[name] for name in ("minReadySeconds",) if name in spec}
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": f"{metadata['name']}-{digest}",
            "namespace": metadata["namespace"],
            "labels": dict(labels),
            "ownerReferences": [owner_reference(deployment)],
        },
        "spec": {"replicas": 0, **optional, "selector": selector, "template": template},
    }
