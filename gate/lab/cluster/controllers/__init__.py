"""The controllers of the workloads, and the node: they move what is in the store, as on a real cluster.

Left out, because no release that is tried here needs it: init containers, liveness and startup
probes, commands in containers, volumes, a node without room, the adoption of Pods by labels,
ControllerRevisions, and of Jobs indexes, deadlines and the time to live.
"""

from gate.lab.cluster.controllers.running import run_controllers

__all__ = ["run_controllers"]
