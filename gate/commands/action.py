"""The entry of the action. Signals are minded before anything slow is imported."""

from collections.abc import Mapping

from gate.app.signals import remember_signals


def main(environ: Mapping[str, str]) -> int:
    """Run the action; its exit code."""
    remember_signals()
    from gate.commands.acting import act

    return act(environ)
