"""What this process knows to be secret leaves it by no stream and no file of the runner."""

import io
from pathlib import Path

from pydantic import SecretStr

from gate.adapters.runner.hidden import KNOWN, learn
from gate.adapters.runner.streams import steady, write_openly
from gate.app.requests import resolve_headers
from gate.config.load import parse_configuration
from gate.config.model import Environment
from tests.support import bundles
from tests.support.step import IN_WORKFLOW, Step

SAID = "denied for {0} by https://me:pw@x.example/?a=b"


def test_the_runners_files_hold_no_secret_that_it_was_told_to_hide(tmp_path: Path) -> None:
    step = Step(tmp_path)
    step.runner.mask(SecretStr("hidden-by-runner"))
    step.runner.write_outputs({"result": "x hidden-by-runner"})
    step.runner.write_summary("y hidden-by-runner")
    assert "hidden-by-runner" not in step.output.read_text() + step.summary.read_text()
    assert "x ***" in step.output.read_text()
    assert "y ***" in step.summary.read_text()
    assert step.printed == "::add-mask::hidden-by-runner\n"


def test_outside_of_a_workflow_nothing_is_printed_and_it_is_hidden_all_the_same(tmp_path: Path) -> None:
    step = Step(tmp_path, dict.fromkeys(IN_WORKFLOW, ""))
    step.runner.mask(SecretStr("hidden-on-laptop"))
    assert step.printed == ""
    assert KNOWN.hide("hidden-on-laptop") == "***"


def test_header_values_are_known_as_soon_as_they_are_read() -> None:
    raw = bundles.config()
    raw["environments"]["staging"]["requests"][0]["headers"] = {"X-Key": "ANY_NAME"}
    settings: Environment = parse_configuration(raw, "it").environments["staging"]
    resolve_headers(settings, {"ANY_NAME": "value-of-any-name"})
    assert KNOWN.hide("value-of-any-name") == "***"


def test_a_stream_hides_what_is_known_and_lets_the_runner_be_told(tmp_path: Path) -> None:
    learn(SecretStr("hidden-on-streams"))
    with (tmp_path / "log").open("w") as file:
        stream = steady(io.TextIOWrapper(io.BytesIO()), file.fileno())
        print(SAID.format("hidden-on-streams"), file=stream)
        print("::add-mask::hidden-on-streams", file=stream)
        stream.flush()
    shown = (tmp_path / "log").read_text()
    assert shown == "denied for *** by https://x.example/?***\n::add-mask::hidden-on-streams\n"


def test_what_is_there_to_be_typed_is_shown_as_it_is(tmp_path: Path) -> None:
    """A laboratory's own tokens, which open nothing else; what follows is hidden as ever."""
    learn(SecretStr("hidden-in-laboratory"))
    with (tmp_path / "log").open("w") as file:
        stream = steady(io.TextIOWrapper(io.BytesIO()), file.fileno())
        write_openly(stream, "export GITHUB_TOKEN=hidden-in-laboratory\n")
        print("export GITHUB_TOKEN=hidden-in-laboratory", file=stream)
    assert (tmp_path / "log").read_text() == "export GITHUB_TOKEN=hidden-in-laboratory\nexport GITHUB_TOKEN=***\n"
