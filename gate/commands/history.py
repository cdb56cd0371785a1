"""``gate history``: the stored verdicts of an environment, each verified before it is shown."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

import click

from gate.commands.formats import format_option
from gate.commands.storing import store_access, store_client, store_options
from gate.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from gate.app.stores import StoreOptions
    from gate.evidence.entries import Entry, EvidenceStore
    from gate.render.history import Stored, StoredVerdicts


@click.command("history")
@click.option("--environment", "-e", required=True, metavar="NAME", help="The environment whose verdicts are listed.")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many, newest first.")
@format_option()
@store_access
def command(**given: Any) -> int:
    """List the stored verdicts of an environment, newest first, from a folder or the evidence branch.

    Read from the first of these that is given: --folder, --repository, --repo; else from the workflow's own
    repository, else from the folder evidence. Every file is verified: what one says that is not is not shown.

    \b
    Exit code:
       0 all that is shown is verified   1 a file is not verified   64 could not run
    """  # noqa: D301  # click reads the backspace character
    history = asyncio.run(_read(given["environment"], given["limit"], store_options(given, os.environ)))
    if given["form"] == "json":
        click.echo(history.model_dump_json(indent=2, by_alias=True))
    else:
        from gate.render.history import render_history

        click.echo(render_history(history), nl=False)
    return ExitCode.PASSED if all(one.verdict is not None for one in history.verdicts) else ExitCode.FAILED


async def _read(environment: str, limit: int, options: StoreOptions) -> StoredVerdicts:
    from gate.app.stores import open_store
    from gate.render.history import StoredVerdicts

    client = store_client(options, os.environ)
    try:
        store = await open_store(options, client)
        entries = await store.list(environment, most=limit + 1)
        verdicts = [await _stored(store, entry) for entry in entries[:limit]]
    finally:
        if client is not None:
            client.close()
    return StoredVerdicts(
        environment=environment, store=store.what, verdicts=tuple(verdicts), more=len(entries) > limit
    )


async def _stored(store: EvidenceStore, entry: Entry) -> Stored:
    from gate.evidence.entries import read_verified
    from gate.render.history import Stored

    verdict, refused = None, ""
    try:
        verdict = (await read_verified(store, entry)).verdict
    except UsageError as error:  # refused, gone, or no evidence file
        refused = error.happened
    return Stored(
        recorded_at=entry.recorded_at,
        commit=entry.commit,
        run=entry.run,
        path=entry.path,
        verdict=None if verdict is None else verdict.word,
        reason="" if verdict is None else verdict.reason.value,
        failed_layer="" if verdict is None or verdict.failed_layer is None else verdict.failed_layer.value,
        refused=refused,
    )
