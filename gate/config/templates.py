"""Templates in expected texts: ``{revision}``, ``{label:KEY}`` and their like. Pure.

A template stands for what was *meant* to be deployed. It is written in braces; a brace that is
meant as itself is doubled (``{{`` and ``}}``), as in Python's format strings.
"""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from gate.config.shapes import KUBERNETES_NAME, QUALIFIED_NAME, Shape

# What stands after the colon; None: the template takes nothing.
KNOWN: dict[str, Shape | None] = {
    "revision": None,
    "short-revision": None,
    "tree": None,
    "image.tag": KUBERNETES_NAME,
    "image.digest": KUBERNETES_NAME,
    "label": QUALIFIED_NAME,
    "annotation": QUALIFIED_NAME,
}
_ARGUMENT_WORD = {"image.tag": "CONTAINER", "image.digest": "CONTAINER", "label": "KEY", "annotation": "KEY"}
_TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


class TemplateError(ValueError):
    """A text with a template that cannot be understood; says which and what to write instead."""


class Unresolved(LookupError):
    """What was meant has no value for a template, so that nothing can be compared with it."""

    def __init__(self, template: "Template") -> None:
        super().__init__(f"{template} has no value")
        self.template = template


@dataclass(frozen=True)
class Literal:
    """A piece of text that stands for itself, with doubled braces made single."""

    text: str


@dataclass(frozen=True)
class Template:
    """A piece that stands for what was meant. ``argument`` is the CONTAINER or KEY, or None."""

    name: str
    argument: str | None = None

    @property
    def key(self) -> str:
        """How values are looked up: ``revision``, ``label:app.kubernetes.io/version``."""
        return self.name if self.argument is None else f"{self.name}:{self.argument}"

    def __str__(self) -> str:
        return f"{{{self.key}}}"


Part = Literal | Template


def parse_template(text: str) -> tuple[Part, ...]:
    """A text as literals and templates, in order; empty text gives no part.

    Raises TemplateError for an unknown template, a missing or needless argument, or a single brace.
    """
    parts: list[Part] = []
    literal: list[str] = []
    end = 0
    for token in _TOKEN.finditer(text):
        literal.append(text[end : token.start()])
        end = token.end()
        inside = token.group(1)
        if token.group() in ("{{", "}}"):
            literal.append(token.group()[0])
        elif inside is None:
            raise TemplateError("a single brace; write {{ or }} for a brace that is meant as itself")
        else:
            parts += [Literal("".join(literal)), _template(inside)]
            literal = []
    literal.append(text[end:])
    parts.append(Literal("".join(literal)))
    return tuple(part for part in parts if part != Literal(""))


def _template(inside: str) -> Template:
    name, colon, argument = inside.partition(":")
    if name not in KNOWN:
        raise TemplateError(f"unknown template; {_known(name)}; write {{{{ and }}}} for braces meant as themselves")
    shape = KNOWN[name]
    if shape is None:
        if colon != "":
            raise TemplateError(f"the template {{{name}}} takes nothing after its name")
        return Template(name)
    if argument == "":
        raise TemplateError(f"the template {{{name}}} needs a {_ARGUMENT_WORD[name]}: {_spelling(name)}")
    try:
        return Template(name, shape.check(argument))
    except ValueError as error:
        raise TemplateError(f"in the template {_spelling(name)}: {error}") from None


def _spelling(name: str) -> str:
    return f"{{{name}:{_ARGUMENT_WORD[name]}}}" if name in _ARGUMENT_WORD else f"{{{name}}}"


def _known(name: str) -> str:
    near = difflib.get_close_matches(name[:40], KNOWN, n=1)
    if near != []:
        return f"did you mean {_spelling(near[0])}?"
    return "known are " + ", ".join(_spelling(known) for known in KNOWN)


def templates_in(text: str) -> tuple[Template, ...]:
    """The templates of a text in order, each once. Raises TemplateError as parse_template does."""
    return tuple(dict.fromkeys(part for part in parse_template(text) if isinstance(part, Template)))


def resolve(text: str, values: Mapping[str, str | None]) -> str:
    """The text with every template replaced by its value, looked up by ``Template.key``.

    Raises Unresolved as ``value_of``, TemplateError as parse_template does. Values are not read
    for templates again.
    """
    parts = parse_template(text)
    return "".join(part.text if isinstance(part, Literal) else value_of(part, values) for part in parts)


def value_of(template: Template, values: Mapping[str, str | None]) -> str:
    """The value of a template. Raises Unresolved where it is not there, None or empty: that tells nothing apart."""
    value = values.get(template.key)
    if value is None or value == "":
        raise Unresolved(template)
    return value
