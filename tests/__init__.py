"""Tests of the promotion gate: unit, contract, action and cluster."""
