"""Rehearsing a configuration: evidence that passes, altered in one thing at a time, judged as ever. Pure."""
