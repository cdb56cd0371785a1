"""``gate explain``: what a reason means and what to do about it. Imports nothing that is slow to import."""

import json
import textwrap

import click

from gate.catalogue import Explanation, explain, load_catalogue
from gate.errors import ExitCode, UsageError

_WIDTH = 88


def _wrapped(text: str) -> str:
    return textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _text(one: Explanation) -> str:
    layer = {"verdict": "the verdict", "any": "any layer"}.get(one.layer, f"layer {one.layer}")
    parts = [f"{one.reason.value} ({layer})", "", _wrapped(one.meaning), "", _wrapped(f"Next: {one.next}")]
    if len(one.commands) > 0:
        parts += ["", "These commands only read:", *(f"  {command}" for command in one.commands)]
    parts += ["", f"Final: {one.final}"]
    return "\n".join(parts)


def _json(one: Explanation) -> dict[str, object]:
    return {
        "reason": one.reason.value,
        "layer": one.layer,
        "short": one.short,
        "meaning": one.meaning,
        "next": one.next,
        "commands": list(one.commands),
        "final": one.final,
    }


def _table(entries: tuple[Explanation, ...]) -> str:
    widest = max(len(one.reason.value) for one in entries)
    return "\n".join(f"{one.layer:<9}  {one.reason.value:<{widest}}  {one.short}" for one in entries)


@click.command("explain")
@click.argument("reason", required=False)
@click.option("--all", "every", is_flag=True, help="Every reason there is.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="markdown goes with --all and makes the page docs/reasons.md.",
)
def command(reason: str | None, every: bool, form: str) -> ExitCode:
    """Say what REASON means and what to do about it."""
    if (reason is None) != every:
        raise UsageError(
            "Give exactly one of a reason and --all.", change="for example: gate explain NotPinned, gate explain --all"
        )
    if form == "markdown":
        if not every:
            raise UsageError("--format markdown makes the page of all reasons.", change="add --all")
        from gate.render.reasons_page import render_reasons_page

        click.echo(render_reasons_page(load_catalogue()), nl=False)
        return ExitCode.PASSED
    entries = tuple(load_catalogue().values()) if reason is None else (explain(reason),)
    if form == "json":
        values = [_json(one) for one in entries]
        click.echo(json.dumps(values if every else values[0], indent=2))
    else:
        click.echo(_table(entries) if every else _text(entries[0]))
    return ExitCode.PASSED
