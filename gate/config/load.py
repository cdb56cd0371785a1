"""The configuration text to the model, or one error that says everything that is wrong with it."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from gate.config.document import MAX_BYTES, DocumentError, KeyPath, parse_document
from gate.config.duration import show_duration
from gate.config.model import VERSION, Configuration, Environment
from gate.config.problems import Problem, explain, line_of, nearest, printable, refuse
from gate.errors import ConfigurationError, UsageError

DEFAULT_FILE = "promotion-gate.yaml"
_SHORT = timedelta(minutes=2)
_START = f"start with `version: {VERSION}` and `environments:`; docs/configuration.md has an example to copy."


def read_configuration(file: Path) -> Configuration:
    """The configuration in a file. Raises ConfigurationError, also for a file that cannot be read."""
    where = printable(str(file), 200)
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ConfigurationError(
            f"The configuration file {where} does not exist.",
            means="it has another name, or stands in another folder or on another branch.",
            change=f"add {DEFAULT_FILE} to the root of the repository, or name the file with --config.",
        ) from None
    except IsADirectoryError:
        raise ConfigurationError(
            f"{where} is a directory; expected the configuration file.", change=f"name the file in it: {DEFAULT_FILE}."
        ) from None
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else "the name holds a character that no file name has"
        raise ConfigurationError(
            f"The configuration file {where} cannot be read: {said}.", change="mend its permissions or its name."
        ) from None
    return load_configuration(decode_configuration(content, where), where)


def decode_configuration(content: bytes, where: str) -> str:
    """The text of a file's bytes; ``where`` names it in errors. Raises ConfigurationError."""
    if len(content) > MAX_BYTES:
        raise refuse(where, [Problem((), f"larger than {MAX_BYTES // 1024} KiB")])
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigurationError(
            f"{where} is not UTF-8 text: byte {error.start + 1} cannot be read.",
            means="it was saved in another encoding, or it is not the configuration file.",
            change="save it as UTF-8.",
        ) from None


def load_configuration(text: str, where: str) -> Configuration:
    """The configuration in a text of YAML 1.2 or JSON; ``where`` names it in errors.

    Raises ConfigurationError that lists up to ten problems with file, line and key path. Never
    raises anything else, whatever the text.
    """
    try:
        document = parse_document(text)
    except DocumentError as error:
        raise refuse(where, [Problem((), printable(str(error), 200), error.line)]) from None
    return parse_configuration(document.data, where, lines=document.lines)


def parse_configuration(data: object, where: str, *, lines: Mapping[KeyPath, int] | None = None) -> Configuration:
    """The configuration in data that was parsed before (dict, list, str, int, float, bool, None).

    ``lines`` maps key paths to lines for the errors. Raises ConfigurationError.
    """
    known = {} if lines is None else lines
    if data is None or data in ({}, ""):
        raise ConfigurationError(f"{where} is empty.", means="nothing was written into it yet.", change=_START)
    if not isinstance(data, Mapping):
        kind = "a list" if isinstance(data, list) else "a single value"
        raise ConfigurationError(f"{where} holds {kind}; expected a mapping of keys.", change=_START)
    _check_version(data, where, known)
    problems = [Problem(path, "nothing stands behind this key", line_of(path, known)) for path in _nulls(data)]
    try:
        configuration = Configuration.model_validate(dict(data), by_alias=True, by_name=False)
    except ValidationError as error:
        nulls = {problem.path for problem in problems}
        found = explain(error, Configuration, data, known)
        problems += [problem for problem in found if problem.path not in nulls]
        raise refuse(where, problems) from None
    problems += _promotions(configuration, known)
    if problems != []:
        raise refuse(where, problems)
    return configuration


def _check_version(data: Mapping[Any, Any], where: str, lines: Mapping[KeyPath, int]) -> None:
    """Refuse a version that is missing, wrong or newer before anything else is judged by this one's rules."""
    if "version" not in data:
        raise refuse(where, [Problem(("version",), f"required, and not given; write version: {VERSION}")])
    version = data["version"]
    line = lines.get(("version",))
    if isinstance(version, bool) or not isinstance(version, int):
        raise refuse(where, [Problem(("version",), f"expected the number {VERSION}, without quotes", line)])
    if version != VERSION:
        shown = f"version {version}" if abs(version) < 10_000 else "another version"
        raise ConfigurationError(
            f"{where}{'' if line is None else f', line {line}'}: {shown} of the format is not known here.",
            means="the file was written for a newer Promotion Gate." if version > VERSION else "",
            change=f"use a release that knows it, or write version: {VERSION}.",
        )


def _nulls(data: object) -> list[KeyPath]:
    """Paths that hold nothing. A key with nothing behind it was meant to say something."""
    found: list[KeyPath] = []
    waiting: list[tuple[KeyPath, object]] = [((), data)]
    while waiting != []:
        path, value = waiting.pop()
        if value is None:
            found.append(path)
        elif isinstance(value, Mapping):
            waiting += [((*path, str(key)), item) for key, item in value.items()]
        elif isinstance(value, list | tuple):
            waiting += [((*path, index), item) for index, item in enumerate(value)]
    return found


def _promotions(configuration: Configuration, lines: Mapping[KeyPath, int]) -> list[Problem]:
    """A ``promotes-to`` that names nothing, where another name is so near that it was meant."""
    problems = []
    names = list(configuration.environments)
    for name, environment in configuration.environments.items():
        target = environment.promotes_to
        near = nearest(target, names) if target is not None and target not in names else None
        if near is not None:
            path = ("environments", name, "promotes-to")
            problems.append(Problem(path, f"no such environment; did you mean {near}?", line_of(path, lines)))
    return problems


def choose_environment(configuration: Configuration, name: str) -> Environment:
    """The environment of that name. Raises UsageError that suggests the nearest and names all."""
    environment = configuration.environments.get(name)
    if environment is not None:
        return environment
    names = list(configuration.environments)
    near = nearest(name, names)
    raise UsageError(
        f"The configuration has no environment {printable(name)!r}"
        + (f"; did you mean {near}?" if near is not None else "."),
        means="the name is misspelt, or the environment was not added to the configuration yet.",
        change=f"name one of: {', '.join(names[:20])}{', ...' if len(names) > 20 else ''}.",
    )


def named_environment(configuration: Configuration, name: str | None) -> tuple[str, Environment]:
    """Name and environment: of this name, or the only one. Raises UsageError where it has to be said which."""
    names = list(configuration.environments)
    if name is None and len(names) > 1:
        raise UsageError(
            "The configuration has several environments, and none was named.",
            change=f"give --environment with one of: {', '.join(names[:20])}{', ...' if len(names) > 20 else ''}.",
        )
    chosen = names[0] if name is None else name
    return chosen, choose_environment(configuration, chosen)


def short_timeout(environment: Environment) -> timedelta:
    """Long enough for two agreeing bundles where the release should stand already, and not for a rollout."""
    return min(environment.timeout, max(_SHORT, 2 * environment.policy.settle + timedelta(seconds=30)))


def with_timeout(environment: Environment, timeout: timedelta | None) -> Environment:
    """The environment with another ``timeout``; None changes nothing. Raises UsageError if nothing could pass."""
    if timeout is None:
        return environment
    settle = environment.policy.settle
    if timeout <= settle:
        raise UsageError(
            f"The timeout {show_duration(timeout)} is not longer than policy.settle, {show_duration(settle)}.",
            means="a pass needs two agreeing bundles of evidence that far apart, so nothing could pass.",
            change="give a longer timeout.",
        )
    return environment.model_copy(update={"timeout": timeout})
