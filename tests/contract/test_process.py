"""The process itself: what its streams cannot say, what its disk does not take, and which signals are its own."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gate.app.console import Lines
from gate.commands.group import _while_writing
from gate.errors import UsageError
from gate.lab.loopback import bind, port_taken

SAID = "é…✅ \udc80"


def _run(code: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **variables},
        capture_output=True,
        check=False,
        timeout=50,
    )


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_character_that_the_encoding_lacks_ends_nothing_and_json_stays_json(encoding: str, stream: str) -> None:
    code = (
        "import json, sys\n"
        "from gate.adapters.runner.streams import steady_streams\n"
        "steady_streams(output=False)\n"
        f"print(json.dumps({SAID!r}, ensure_ascii=False), file=sys.{stream})\n"
    )
    run = _run(code, PYTHONIOENCODING=encoding)
    assert run.returncode == 0, run.stderr
    written: bytes = getattr(run, stream)
    assert json.loads(written.decode(encoding)) == SAID


@pytest.mark.parametrize(("before", "remembered"), [("SIG_IGN", []), ("SIG_DFL", [signal.SIGHUP.value])])
def test_under_nohup_a_hang_up_is_not_its_own(before: str, remembered: list[int]) -> None:
    code = (
        "import os, signal\n"
        f"signal.signal(signal.SIGHUP, signal.{before})\n"
        "from gate.app import signals\n"
        "signals.remember_signals()\n"
        "os.kill(os.getpid(), signal.SIGHUP)\n"
        "print(signals._received)\n"
    )
    assert _run(code).stdout.decode().strip() == str(remembered)


def test_a_line_that_cannot_be_written_is_told_from_another_file() -> None:
    full = io.TextIOWrapper(io.FileIO("/dev/full", "w"), encoding="utf-8", write_through=True)
    with pytest.raises(OSError, match="space") as caught:
        Lines(full).say("a line")
    full.detach().close()
    assert _while_writing(caught.value)
    with pytest.raises(OSError, match="No such file") as other:
        Path("/nowhere").stat()
    assert not _while_writing(other.value)


def test_a_low_port_is_not_said_to_be_taken() -> None:
    assert "for root" in port_taken(80, PermissionError(13, "Permission denied")).means
    with bind(0) as taken, pytest.raises(UsageError, match="already in use") as caught:
        bind(taken.getsockname()[1])
    assert "another program has it" in caught.value.means
