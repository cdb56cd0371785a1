"""The composition: what a command was given becomes adapters, a poll, a published verdict and an exit code."""
