"""Hostile text made harmless, for each place where it is shown. Pure, and cheap to import.

Text from Git, the cluster and HTTP can hold Markdown, HTML, mentions, workflow commands, escape
sequences and characters that turn the reading direction. Every renderer passes such text through
one function of this module, chosen by the place:

``clean``      one line of visible characters; the start of all the others
``markdown``   prose in a comment or summary, also inside a table cell
``code``       a code span, also inside a table cell
``fenced``     a code block
``log``        lines of a workflow log or of standard error
``label``      a label of a mermaid picture
"""

import re
import unicodedata

ELLIPSIS = "…"
BREAK = "\u200b"
"""Zero-width space. Put into a mention, reference or address it is invisible and makes it inert."""

_LONGEST_READ = 20_000

_ESCAPE_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # control sequences: colours, cursor movements
    r"|\x1b[\]PX^_].*?(?:\x07|\x1b\\|$)"  # strings: window titles, links
    r"|\x1b[@-_]?"
    r"|\x9b[0-?]*[ -/]*[@-~]",
    re.DOTALL,
)
# Every character that can begin or end a structure in Markdown or HTML, wherever it stands.
# An entity never does: CommonMark takes it as the bare character, in tables as well.
_ACTIVE = re.compile(r"[\\`*\[\]<>&|~$^]|(?<![^\W_])_|_(?![^\W_])")
_LIVE = (
    (re.compile(r"@(?!sha\d+:)|(?<!\w)@"), f"@{BREAK}"),  # mentions, e-mail addresses; not image digests
    (re.compile(r"#(?=\w)"), f"#{BREAK}"),  # #123, owner/repository#123
    (re.compile(r"(?i)\b(gh-)(?=\d)"), rf"\1{BREAK}"),  # GH-123
    (re.compile(r":(?=(?:100|1234|[+-]1|[\w+-]*[A-Za-z][\w+-]*):)|:(?=//)"), f":{BREAK}"),  # :emoji:, https://
    (re.compile(r"\$(?=\$)"), f"${BREAK}"),  # $$mathematics$$
    (re.compile(r"(?i)(www|mailto|xmpp)(?=[.:])"), rf"\1{BREAK}"),
)
# What would begin a heading, a list or a rule, where the text begins a line or a list item of ours.
_BLOCK = re.compile(r"^(\d{0,9})([#+=.)-])(?=[#=-]*(?:\s|$))")
_MENTION = re.compile(r"(?<![\w.+-])@(?=\w)")
_SPACES = re.compile(r"\s+")
_BACKTICKS = re.compile(r"`+")
# What the runner takes for a command: `::name::` at the beginning of a line, `##[name]` anywhere.
_COMMAND = re.compile(r"^(\s*):(?=:)")


def clean(text: str, limit: int | None = None) -> str:
    """One line of visible characters: no escape sequences, controls, format or bidi characters.

    Every run of white space becomes one space. Longer than ``limit`` UTF-16 units it is cut;
    without a limit at 20,000 characters.
    """
    # Far more than can be shown need not be looked at: a message may be megabytes long.
    text = text[: _LONGEST_READ if limit is None else 8 * limit + 256]
    if not (text.isascii() and text.isprintable()):
        text = "".join(map(_visible, _ESCAPE_SEQUENCE.sub("", text)))
    line = _SPACES.sub(" ", text).strip()
    return line if limit is None else shorten(line, limit)


def _visible(character: str) -> str:
    if character in "\t\n\r\v\f\x85\u2028\u2029":
        return " "
    category = unicodedata.category(character)
    if category == "Zs":
        return " "
    if category == "Cs":
        return "\ufffd"
    # Controls; bidi controls, zero-width characters and tags; private ones; what is no character at all.
    return "" if category in ("Cc", "Cf", "Co", "Cn") else character


def width(text: str) -> int:
    """Length in UTF-16 units, which is how GitHub counts."""
    return len(text) + sum(character > "\uffff" for character in text)


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` UTF-16 units, cut between words where that loses less than half."""
    if width(text) <= limit:
        return text
    room, kept = limit - 1, 0
    for character in text:
        room -= width(character)
        if room < 0:
            break
        kept += 1
    head = text[:kept]
    word_end = head.rfind(" ")
    if not text[kept : kept + 1].isspace() and word_end > kept // 2:
        head = head[:word_end]
    return (head.rstrip(" ,;:-") + ELLIPSIS)[: max(limit, 0)]


def markdown(text: str, limit: int = 300) -> str:
    """Prose on one line, in which nothing is a structure, a mention, a reference or a link."""
    line = clean(text, limit)
    for pattern, replacement in _LIVE:
        line = pattern.sub(replacement, line)
    line = _ACTIVE.sub(lambda match: f"&#{ord(match[0])};", line)
    return _BLOCK.sub(lambda match: f"{match[1]}&#{ord(match[2])};", line)


def code(text: str, limit: int = 200) -> str:
    """A code span on one line; for no text at all, words that say so."""
    line = clean(text, limit)
    if line == "":
        return "(empty)"
    # Readers of the raw text may look for markers and mentions; a table cell ends at a bare pipe.
    line = _MENTION.sub(f"@{BREAK}", line.replace("<!--", f"<{BREAK}!--")).replace("|", r"\|")
    ticks = "`" * (_longest_run(line) + 1)
    padding = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{padding}{line}{padding}{ticks}"


def fenced(lines: tuple[str, ...], language: str = "", *, indented: bool = False) -> str:
    """A code block whose fence is longer than any run of backticks inside it.

    ``indented`` keeps the spaces at the beginning of each line.
    """
    kept = [clean(line).replace("<!--", f"<{BREAK}!--") for line in lines]
    if indented:
        kept = [" " * (len(line) - len(line.lstrip(" "))) + one for line, one in zip(lines, kept, strict=True)]
    fence = "`" * max(3, max(map(_longest_run, kept), default=0) + 1)
    return "\n".join([f"{fence}{language}", *kept, fence])


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


def log(text: str) -> tuple[str, ...]:
    """Lines for a log that a workflow runner reads: none of them is a command to it."""
    lines = (clean(line) for line in re.split(r"\r\n|[\n\r\v\f\x85\u2028\u2029]", text))
    return tuple(_COMMAND.sub(r"\1: ", line).replace("##[", "## [") for line in lines)


def label(text: str, limit: int = 40) -> str:
    """A label of a mermaid picture: letters, digits, spaces and a few harmless signs."""
    return clean(re.sub(r"[^\w ./()-]", " ", clean(text)), limit).replace(ELLIPSIS, "...")
