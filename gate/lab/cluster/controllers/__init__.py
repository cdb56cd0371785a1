"""The controllers of the workloads, and the node: they move what is in the store, as on a real cluster."""

from gate.lab.cluster.controllers.running import run_controllers

__all__ = ["run_controllers"]
