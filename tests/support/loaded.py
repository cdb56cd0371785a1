"""Imported by the process that the gate is forked from."""

from gate.catalogue import load_catalogue
from tests.support.forked import load_gate

load_gate()
load_catalogue()
