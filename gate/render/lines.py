"""Plain lines for a workflow log, written only when something has changed. Pure.

Nothing here is a command to the runner: text from outside passes through ``log``.
"""

from gate.render.text import log, shorten
from gate.render.words import NOT_PROVEN, headline, time_of_day, word_of
from gate.verdict import LayerResult, Verdict

_INDENT = "  "
_WIDEST_REASON = 26


def _said(verdict: Verdict) -> dict[str, tuple[str, str, str]]:
    """What each layer says, without times: a change of these is worth a line."""
    return {layer.layer.value: (layer.outcome.value, layer.reason.value, layer.message) for layer in verdict.layers}


def _layer(layer: LayerResult, limit: int) -> str:
    message = " ".join(log(layer.message))
    head = f"{layer.layer.value:<10} {layer.outcome.value:<10} {layer.reason.value:<{_WIDEST_REASON}}"
    return f"{_INDENT}{head} {shorten(message, limit)}".rstrip()


def render_lines(verdict: Verdict, previous: Verdict | None = None) -> tuple[str, ...]:
    """A head line and one line for each layer that changed since ``previous``; nothing if none did."""
    before = {} if previous is None else _said(previous)
    changed = [layer for layer in verdict.layers if before.get(layer.layer.value) != _said(verdict)[layer.layer.value]]
    moved = previous is None or (previous.word, previous.reason) != (verdict.word, verdict.reason)
    if not changed and not moved:
        return ()
    head = f"{time_of_day(verdict.at, verdict.at)} UTC {word_of(verdict).value}: {headline(verdict)}"
    return (" ".join(log(head)), *(_layer(layer, 300) for layer in changed))


def render_report(verdict: Verdict) -> tuple[str, ...]:
    """The whole verdict at the end of a run: every layer, the notes, and what was not proven."""
    lines = [f"verdict: {word_of(verdict).value}: {headline(verdict)}", f"commit: {verdict.intended or 'not known'}"]
    if verdict.newer is not None:
        lines.append(f"newer commit: {verdict.newer}")
    shown = [" ".join(log(line)) for line in lines]
    shown.extend(_layer(layer, 1000) for layer in verdict.layers)
    if len(verdict.layers) == 0:
        shown.extend(f"{_INDENT}{line}" for line in log(verdict.message))
    shown.extend(f"note: {' '.join(log(note))}" for note in verdict.notes)
    shown.extend(f"not proven by {layer.layer.value}: {NOT_PROVEN[layer.layer]}" for layer in verdict.layers)
    return tuple(shown)
