"""Makes the pictures beside it: the pull request comment and the terminal, as the laboratory's story gives them.

Run by `make pictures`. Needs Chromium and a font with emoji (Debian: chromium, fonts-noto-color-emoji).
The style is close to GitHub's and not the same; a mermaid picture stays the text that GitHub draws from.
"""

import asyncio
import dataclasses
import io
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from markdown_it import MarkdownIt
from rich.console import Console
from rich.terminal_theme import MONOKAI

from docs.pictures.palette import shrink
from gate.lab.display import Display
from gate.lab.player import Player
from gate.lab.scenarios.story import STORY
from gate.lab.told import Told
from gate.render.terminal import render_terminal

HERE = Path(__file__).parent
LARGEST = 150_000
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")

PAGE = """<!doctype html><meta charset="utf-8"><style>
* { box-sizing: border-box }
body { margin: 0; padding: 16px; background: #fff; color: #1f2328; width: WIDTHpx;
  font: 14px/1.5 "Liberation Sans", Arial, "Noto Color Emoji", sans-serif }
.box { border: 1px solid #d1d9e0; border-radius: 6px }
.by { padding: 8px 16px; background: #f6f8fa; border-bottom: 1px solid #d1d9e0; color: #59636e }
.by b { color: #1f2328 } .body { padding: 16px } .body > :first-child { margin-top: 0 }
h3 { font-size: 17.5px; line-height: 1.3; margin: 0 0 12px } p, ul, table, pre, details { margin: 0 0 12px }
a { color: #0969da; text-decoration: none } ul { padding-left: 24px } li + li { margin-top: 3px }
table { border-collapse: collapse } th, td { border: 1px solid #d1d9e0; padding: 5px 10px; text-align: left }
th { font-weight: 600 } tr:nth-child(2n) td { background: #f6f8fa }
code { font: 12px "DejaVu Sans Mono", monospace; background: #eff1f3; padding: 2px 5px; border-radius: 5px }
pre { background: #f6f8fa; padding: 12px; border-radius: 6px } pre code { background: none; padding: 0 }
sub { font-size: 12px; color: #59636e; vertical-align: baseline }
.terminal { background: #0d1117; color: #e6edf3; padding: 14px 18px; border-radius: 8px; white-space: pre }
.terminal, .terminal pre, .terminal code { font: 13px/1.45 "DejaVu Sans Mono", "Noto Color Emoji", monospace;
  background: #0d1117; margin: 0; padding: 0 } .terminal { padding: 14px 18px }
</style><body>CONTENT<script>document.title = document.documentElement.scrollHeight</script>"""


class Recorder(Display):
    """Keeps the commands that were typed."""

    def __init__(self) -> None:
        super().__init__(io.StringIO(), Path())
        self.commands: list[str] = []

    def typed(self, command: str) -> None:
        """Remember the command."""
        self.commands.append(command)


def play() -> tuple[Told, list[str]]:
    """What the gate says about the story's broken readiness path, and the commands that broke it."""
    recorder = Recorder()
    scenario = dataclasses.replace(STORY, acts=STORY.acts[:2])
    with tempfile.TemporaryDirectory() as folder:
        player = Player(recorder, Path(folder))
        asyncio.run(player.play_all([scenario]))
    told = player.told[-1]
    if told.differences:
        sys.exit(f"pictures: the story went another way: {'; '.join(told.differences)}.")
    return told, recorder.commands[-2:]


def comment_page(told: Told) -> tuple[str, int]:
    """The comment as GitHub would show it."""
    body = MarkdownIt("commonmark", {"html": True}).enable("table").render(told.comment)
    head = '<div class="by"><b>github-actions</b> bot commented</div>'
    return f'<div class="box">{head}<div class="body">{body}</div></div>', 1000


def terminal_page(told: Told, commands: list[str]) -> tuple[str, int]:
    """The same act in a terminal of 120 columns."""
    console = Console(record=True, width=120, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print("$ make lab", style="dim", highlight=False)
    console.print("…", style="dim")
    console.print(f"Act 2 of {len(STORY.acts)}: {told.act.title}", style="bold", highlight=False)
    for command in commands:
        console.print(f"  $ {command}", style="dim", highlight=False, markup=False, no_wrap=True, overflow="ellipsis")
    console.print(render_terminal(told.verdict))
    shown = console.export_html(theme=MONOKAI, inline_styles=True, code_format="<pre>{code}</pre>")
    return f'<div class="terminal">{shown}</div>', 1040


def browser() -> str:
    """The path of a Chromium; ends the program with what to install when there is none."""
    found = next((path for path in map(shutil.which, PROGRAMS) if path is not None), None)
    if found is None:
        sys.exit("pictures: Chromium is missing. Install it (Debian: apt-get install chromium fonts-noto-color-emoji).")
    return found


def draw(program: str, content: str, width: int, picture: Path) -> None:
    """Write one picture as high as its content."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        page.write_text(PAGE.replace("WIDTH", str(width)).replace("CONTENT", content), encoding="utf-8")
        start = [
            program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
            "--disable-lcd-text",
            f"--user-data-dir={folder}/profile",
        ]  # fmt: skip
        measured = _run([*start, f"--window-size={width},200", "--dump-dom", page.as_uri()])
        height = re.search(r"<title>(\d+)</title>", measured)
        if height is None:
            sys.exit("pictures: Chromium did not say how high the page is.")
        _run([*start, f"--window-size={width},{height[1]}", f"--screenshot={picture}", page.as_uri()])
    picture.write_bytes(shrink(picture.read_bytes()))
    size = picture.stat().st_size
    print(f"pictures: {picture.relative_to(Path.cwd())}, {width} x {height[1]}, {size // 1000} kB")
    if size > LARGEST:
        sys.exit(f"pictures: {picture.name} is larger than {LARGEST // 1000} kB.")


def _run(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


def main() -> None:
    """Make all pictures anew."""
    program = browser()
    told, commands = play()
    pages = {"comment.png": comment_page(told), "terminal.png": terminal_page(told, commands)}
    for name, (content, width) in pages.items():
        draw(program, content, width, HERE / name)


if __name__ == "__main__":
    main()
