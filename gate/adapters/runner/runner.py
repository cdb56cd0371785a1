"""The runner as the gate uses it; outside a workflow the same calls print plain text and write nothing."""

import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TextIO

from pydantic import SecretStr

from gate.adapters.runner.commands import annotation_command, mask_commands, neutralise
from gate.adapters.runner.files import append_outputs, append_summary
from gate.adapters.runner.hidden import KNOWN, learn
from gate.outcomes import Layer
from gate.render.annotations import Annotation


def _random_word() -> str:
    return secrets.token_hex(16)


class Runner:
    """Speaks to the runner over two streams and the files it names in ``environment``; no file gets a secret.

    Only under ``GITHUB_ACTIONS=true`` are commands printed: anywhere else ``::add-mask::`` would
    show the secret that it is to hide. ``token`` gives unguessable words.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        stdout: TextIO,
        stderr: TextIO,
        *,
        token: Callable[[], str] = _random_word,
    ) -> None:
        self._environment = environment
        self._stdout = stdout
        self._stderr = stderr
        self._token = token
        self._annotated: set[Layer | None] = set()
        self.in_workflow = environment.get("GITHUB_ACTIONS") == "true"

    def say(self, text: str) -> None:
        """Print text, from wherever it comes; nothing in it is a command."""
        _print(self._stdout, neutralise(text))

    def complain(self, text: str) -> None:
        """The same on standard error."""
        _print(self._stderr, neutralise(text))

    def mask(self, secret: SecretStr) -> None:
        """Have the runner hide a secret from the log, before anything could show it, and hide it ourselves."""
        learn(secret)
        if self.in_workflow:
            for line in mask_commands(secret.get_secret_value()):
                _print(self._stdout, line)

    def annotate(self, annotation: Annotation) -> None:
        """Show one annotation for the verdict and at most one for each layer; GitHub shows ten a step."""
        if annotation.layer in self._annotated:
            return
        self._annotated.add(annotation.layer)
        self.annotate_beside(annotation)

    def annotate_beside(self, annotation: Annotation) -> None:
        """Show an annotation whatever else was shown."""
        if self.in_workflow:
            _print(self._stdout, annotation_command(annotation))
        else:
            self.say(f"{annotation.level}: {annotation.title}: {annotation.message}")

    def write_outputs(self, values: Mapping[str, str]) -> bool:
        """Set the step's outputs; False where there is no runner to take them. Raises PublishError."""
        path = self._file("GITHUB_OUTPUT")
        if path is None:
            return False
        append_outputs(path, {name: KNOWN.hide(value) for name, value in values.items()}, self._token)
        return True

    def write_summary(self, markdown: str) -> bool:
        """Add to the job summary; False where there is no runner to take it. Raises PublishError."""
        path = self._file("GITHUB_STEP_SUMMARY")
        if path is None:
            return False
        append_summary(path, KNOWN.hide(markdown))
        return True

    def _file(self, name: str) -> Path | None:
        value = self._environment.get(name, "")
        return None if value == "" else Path(value)


def _print(stream: TextIO, text: str) -> None:
    """Whole lines at once, in what the stream can encode."""
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, errors="replace").decode(encoding) + "\n")
    stream.flush()
