"""A model of Argo CD 3.2's application controller: the same states, in the same order, with the same words."""

from gate.lab.argocd.controller import Controller
from gate.lab.argocd.people import RefusedError

__all__ = ["Controller", "RefusedError"]
