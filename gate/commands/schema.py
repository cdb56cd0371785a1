"""``gate schema``: prints a published JSON Schema. Needs no model, cluster or network."""

from importlib.resources import files
from typing import NamedTuple

import click

from gate.errors import ExitCode, InternalError


class _Published(NamedTuple):
    """A schema file that is part of the package."""

    package: str
    file: str


# Every schema that users may ask for, by the word they say.
SCHEMAS: dict[str, _Published] = {
    "configuration": _Published("gate.config", "promotion-gate.schema.json"),
    "evidence": _Published("gate.evidence", "evidence.schema.json"),
}


def read_schema(name: str) -> str:
    """The text of a published schema. Raises InternalError when the package was installed without it."""
    published = SCHEMAS[name]
    try:
        return files(published.package).joinpath(published.file).read_text(encoding="utf-8")
    except (OSError, ModuleNotFoundError) as error:
        raise InternalError(
            f"The schema {published.file} is not where {published.package} should have it.",
            means="the installation is damaged.",
            change="install the program again.",
        ) from error


@click.command("schema")
@click.argument("name", type=click.Choice(list(SCHEMAS)), default="configuration")
def command(name: str) -> int:
    """Print the JSON Schema of the configuration file, or of another format, for editors and scripts."""
    click.echo(read_schema(name), nl=False)
    return ExitCode.PASSED
