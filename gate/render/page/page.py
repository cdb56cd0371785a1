"""The whole page, from the verdict down to the raw facts. Pure: the same evidence gives the same bytes."""

import re
from collections.abc import Iterator

from gate.facts.moment import Raw
from gate.notes import SCOPE
from gate.render.page.layers import render_layers
from gate.render.page.markup import SPACE, Html, block, code, element, fold, join, moment, text
from gate.render.page.style import STYLE
from gate.render.page.subject import Subject
from gate.render.page.timeline import render_timeline
from gate.render.words import SYMBOLS, advice, findings, headline, short_id, word_of
from gate.verdict import Changes, CommitSummary

_ADDRESS = re.compile(r"https?://[^\s<>\"'`|\\]+")
_MOST_OBJECTS = 100
# Nothing may be loaded, sent or run, whatever a browser would otherwise do with the page.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def terms(pairs: list[tuple[str, Html]]) -> Html:
    """Names and what they stand for."""
    return element("dl", *(part for name, value in pairs for part in (element("dt", text(name)), element("dd", value))))


def link(url: str | None, words: str) -> Html:
    """A link to a web address; only the words for anything else."""
    if url is None or _ADDRESS.fullmatch(url) is None:
        return text(words)
    return element("a", text(words), href=url, rel="noreferrer")


def _verdict(subject: Subject) -> Html:
    verdict = subject.verdict
    word = word_of(verdict)
    mark = element("span", text(SYMBOLS[word]), aria_hidden="true")
    names = ", ".join(verdict.applications) or "none is known"
    shown = word.value if word.value in ("passed", "pending", "held", "superseded") else "failed"
    return element(
        "div",
        element("h1", mark, SPACE, text(headline(verdict), 300)),
        element("p", element("b", text(advice(verdict)))),
        element("p", text(next(iter(findings(verdict.message)), ""), 1000)),
        terms(
            [
                ("Verdict", element("b", text(word.value))),
                ("Reason", text(verdict.reason.value)),
                ("Environment", text(verdict.environment)),
                ("Application", text(names)),
                ("Commit", code(verdict.intended)),
                *([] if verdict.newer is None else [("Newer commit", code(verdict.newer))]),
                ("Given at", moment(verdict.at)),
                ("Run", link(subject.run_url, subject.run)),
                *([] if subject.approves is None else [("Approval of", code(subject.approves))]),
            ]
        ),
        class_=f"verdict {shown}",
    )


def _commit(commit: CommitSummary) -> Html:
    pairs = [
        ("Id", code(commit.id)),
        ("Subject", text(commit.subject)),
        ("Author", text(commit.author or "not known")),
        ("Tree", code(commit.tree)),
        ("Parents", code(" ".join(commit.parents)) if commit.parents else text("none")),
    ]
    return terms(pairs + ([] if commit.committed_at is None else [("Committed", moment(commit.committed_at))]))


def _changes(changes: Changes) -> Iterator[Html]:
    yield element("h3", text(f"What changed since {short_id(changes.since)}, the release before"))
    yield element("p", text(f"This commit stands to it: {changes.relation}."))
    shown = [
        element(
            "li", code(one.id[:7]), SPACE, text(one.subject), SPACE, element("span", text(one.author), class_="quiet")
        )
        for one in changes.commits
    ]
    yield element("ul", *shown) if shown else element("p", text("No commit is known."))
    if changes.files:
        files = element("ul", *(element("li", code(path)) for path in changes.files))
        yield files if len(changes.files) <= 10 else fold(text(f"{len(changes.files)} files"), files)
    if changes.truncated:
        yield element("p", text("Not everything is known, or shown."))


def _git(subject: Subject) -> Html:
    verdict = subject.verdict
    parts = [_commit(verdict.commit)] if verdict.commit is not None else [element("p", text("Git did not tell of it."))]
    if verdict.changes is None:
        return join([*parts, element("p", text("No release before this one is known."))])
    return join([*parts, *_changes(verdict.changes)])


def _notes(subject: Subject) -> Html:
    policy = subject.settings.policy
    opted = [f"Allowed: {one.value}" for one in policy.allow]
    opted += [f"Not judged: {kind}" for kind in policy.unjudged_kinds]
    notes = [note for note in subject.verdict.notes if note != SCOPE]
    return join(
        [
            element("p", text("Opted out by the configuration: " + ("; ".join(opted) or "nothing") + ".")),
            element("ul", *(element("li", text(note)) for note in (*notes, SCOPE))),
        ]
    )


def _place(raw: Raw) -> str:
    metadata = raw.get("metadata")
    place = metadata if isinstance(metadata, dict) else {}
    return f"{raw.get('kind')} {place.get('namespace')}/{place.get('name')}"


def _look(number: int, raw: Raw) -> Html:
    repeated = raw.get("repeated", 0)
    more = f", then {repeated} looks in which nothing changed" if repeated else ""
    return fold(text(f"Look {number} at {raw.get('now')}{more}"), block(raw))


def _facts(subject: Subject) -> Html:
    shown = subject.objects[:_MOST_OBJECTS]
    objects = [fold(text(f"Object {number}: {_place(raw)}", 300), block(raw)) for number, raw in enumerate(shown)]
    if len(shown) < len(subject.objects):
        objects.append(element("p", text(f"{len(subject.objects) - len(shown)} more are in the evidence file.")))
    looks = [_look(number, raw) for number, raw in enumerate(subject.looks)]
    intro = "Objects hold only the fields that the gate reads; looks refer to them by number. A key `whole` holds a "
    intro += "number that stands for what was left off: where it is the same, that was the same."
    return join(
        [
            element("p", text(intro), class_="quiet"),
            *([element("p", text(subject.cut))] if subject.cut else []),
            fold(text(f"{len(looks)} looks that changed something"), join(looks)),
            fold(text(f"{len(subject.objects)} objects"), join(objects)),
            fold(text("Settings in force"), block(subject.raw_settings)),
        ]
    )


def _footer(subject: Subject) -> Html:
    versions = ", ".join(f"{name} {version}" for name, version in subject.versions)
    return element(
        "footer",
        terms(
            [
                ("Recorded at", moment(subject.recorded_at)),
                ("Made with", text(versions)),
                ("Settings", code(subject.settings_digest)),
                ("Evidence file", code(subject.digest)),
            ]
        ),
        element(
            "p",
            text("This page is made from the evidence file beside it. The digest shows damage to that file; only a"),
            SPACE,
            text("signature shows forgery: check with"),
            SPACE,
            element("code", text("gate evidence verify")),
            SPACE,
            text("and"),
            SPACE,
            element("code", text("gh attestation verify")),
            text("."),
        ),
    )


def part(name: str, title: str, body: Html) -> Html:
    """A section with its heading."""
    return element("section", element("h2", text(title), id=name), body, aria_labelledby=name)


def document(title: str, *body: Html) -> str:
    """A whole page as one text, with a line end after the last line."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", text(title, 200)),
        element("style", Html(STYLE)),
    )
    return "<!doctype html>\n" + element("html", head, element("body", *body), lang="en") + "\n"


def render_page(subject: Subject) -> str:
    """The page as one text, with a line end after the last line."""
    title = f"{headline(subject.verdict)} ({short_id(subject.verdict.intended) or 'no commit'})"
    main = element(
        "main",
        part("layers", "Four layers", render_layers(subject.verdict)),
        part("timeline", "Timeline", render_timeline(subject)),
        part("commit", "Commit", _git(subject)),
        part("notes", "Notes and opt-outs", _notes(subject)),
        part("facts", "Raw facts", _facts(subject)),
    )
    return document(title, element("header", _verdict(subject)), main, _footer(subject))
