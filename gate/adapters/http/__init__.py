"""Requests straight to the release: routes ``cluster`` and ``external``."""
