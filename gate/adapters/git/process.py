"""Runs git on a clone that is not trusted: no hooks, no filters, no network, no questions, a time limit."""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

from gate.adapters.failures import Cause, ReadFailed, one_line
from gate.errors import AccessError

LONGEST_OUTPUT = 16 * 1024 * 1024
# What a clone's own configuration, attributes, replacement refs or grafts could change is switched off.
_SAFE = (
    "--no-pager",
    "--no-replace-objects",
    "--literal-pathspecs",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.fsmonitor=false",
    "-c", "core.attributesFile=/dev/null",
    "-c", "core.commitGraph=false",
    "-c", "protocol.allow=never",
    "-c", "credential.helper=",
    "-c", "diff.external=",
    "-c", "log.showSignature=false",
    "-c", "log.mailmap=false",
    "-c", "i18n.logOutputEncoding=UTF-8",
    "-c", "core.quotePath=false",
    "-c", "advice.graftFileDeprecated=false",
)  # fmt: skip


@dataclass(frozen=True)
class Output:
    """What git said. ``code`` is its exit code."""

    code: int
    text: bytes
    error: str


class Git:
    """One clone. ``seconds`` is the time limit for one command."""

    def __init__(self, directory: Path, seconds: float = 20.0) -> None:
        self.directory = directory.absolute()
        self._seconds = seconds

    async def run(self, what: str, *arguments: str) -> Output:
        """One git command; ``what`` names it in errors. Raises ReadFailed when it cannot be run to its end."""
        command = ["git", "-C", str(self.directory), "-c", f"safe.directory={self.directory}", *_SAFE, *arguments]
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                env=_environment(),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=LONGEST_OUTPUT,
            )
        except OSError as error:
            raise AccessError(
                f"git cannot be started in {one_line(str(self.directory))}: {(error.strerror or 'unknown').lower()}.",
                means="git is not installed, or the directory does not exist.",
                change="Install git, or name the clone with --repo DIR.",
            ) from None
        try:
            async with asyncio.timeout(self._seconds):
                output, error_output = await _both(process, what)
        except TimeoutError:
            raise ReadFailed(what, f"git took longer than {self._seconds:g} s", cause=Cause.TIMEOUT) from None
        finally:
            await _end(process)
        return Output(process.returncode or 0, output, one_line(error_output.decode(errors="replace")))


async def _both(process: asyncio.subprocess.Process, what: str) -> tuple[bytes, bytes]:
    """Standard output, up to the cap, and standard error, after the process has ended."""
    output, error_output = await asyncio.gather(
        _capped(process.stdout, LONGEST_OUTPUT, what), _capped(process.stderr, LONGEST_OUTPUT, what)
    )
    await process.wait()
    return output, error_output


async def _capped(stream: asyncio.StreamReader | None, cap: int, what: str) -> bytes:
    data = bytearray()
    while stream is not None and (piece := await stream.read(64 * 1024)):
        data += piece
        if len(data) > cap:
            raise ReadFailed(what, f"git printed more than {cap // 1024 // 1024} MiB", cause=Cause.TOO_LARGE)
    return bytes(data)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
        await process.wait()


def _environment() -> dict[str, str]:
    """Nothing of the caller's: variables such as GIT_DIR or GIT_SSH_COMMAND would change what is read."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.devnull,
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_GRAFT_FILE": os.devnull,
        "GIT_ASKPASS": "true",
    }
