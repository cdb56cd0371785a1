"""The click group of the program: it imports a command only when that command is called."""

import importlib
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from gate import __version__
from gate.commands import COMMANDS
from gate.errors import ExitCode, InternalError, UsageError


def _while_writing(error: OSError) -> bool:
    """Whether it is standard output that failed: nothing but these writes on it."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    name = str(frames[-1].f_globals.get("__name__", ""))
    return name in ("gate.app.console", "gate.adapters.runner.streams") or name.partition(".")[0] in ("click", "rich")


@contextmanager
def _told_when_not_written() -> Iterator[None]:
    """Make a UsageError of standard output that takes nothing more."""
    try:
        yield
    except OSError as error:
        if not isinstance(error, BrokenPipeError) and not _while_writing(error):
            raise
        # What is still buffered must not fail once more when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise UsageError("Standard output was closed before everything was written.") from error
        raise UsageError(
            f"Standard output could not be written: {(error.strerror or 'no reason is known').lower()}.",
            means="it leads to a file on a disk that is full or broken.",
            change="make room there, or send it elsewhere.",
        ) from error


class LazyGroup(click.Group):
    """Lists the commands from the table; the module of one is imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        """The names of the table, in its order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # as above
        """The command of this name, imported now; None for an unknown name."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        found = importlib.import_module(entry.module).command
        if not isinstance(found, click.Command):
            raise InternalError(f"{entry.module}.command is no command.")
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, but an unknown name suggests names of the table."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.NoSuchCommand(args[0], possibilities=COMMANDS, ctx=ctx)
        return super().resolve_command(ctx, args)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """As click does, and the help is written here."""
        with _told_when_not_written():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> object:
        """As click does; a reader that went away is told apart from a failed release (click exits with 1)."""
        with _told_when_not_written():
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  # as above
        """The commands with one line each, from the table."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="gate", message="%(prog)s %(version)s")
def group() -> None:
    """One verdict on whether an Argo CD Application has really been released at a commit."""


def run(arguments: Sequence[str]) -> int:
    """Run the command that the arguments name and return its exit code.

    Raises UsageError for arguments that do not fit, and whatever the command raises.
    """
    try:
        code: object = group.main(args=list(arguments), prog_name="gate", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return ExitCode.COULD_NOT_RUN
    except click.ClickException as error:
        raise _usage(error) from error
    if not isinstance(code, int) or isinstance(code, bool):
        # Nothing returned is not success: a command that forgets its code must not open the gate.
        raise InternalError("The command returned no exit code.")
    return int(code)


def _usage(error: click.ClickException) -> UsageError:
    context = error.ctx if isinstance(error, click.UsageError) else None
    called = "gate" if context is None else context.command_path
    return UsageError(error.format_message(), change=f"`{called} --help` says what can be given")
