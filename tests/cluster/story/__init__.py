"""The story on the real cluster: situations that releases get into, written once.

The same acts are recorded (`tests.cluster.recording`), judged live by the gate as a process
(`test_story*.py`), and compared with other tools (`tests.cluster.comparison`).
"""
