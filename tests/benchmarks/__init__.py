"""What the gate costs, measured: `python -m tests.benchmarks` prints a table and writes docs/benchmarks.md.

Nothing here is run by the tests. Speed is told as a ratio within one run wherever it can be,
because machines differ; each part says how busy the machine was.
"""
