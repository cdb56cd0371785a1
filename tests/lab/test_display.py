"""What is shown of a comment, and what of hostile text reaches a person."""

import io
from pathlib import Path

from gate.lab.display import Display, as_shown, plain

COMMENT = """### ❌ staging failed

**Do not promote.** Commit: [`abc1234`](https://github.example.test/acme/environments/commit/abc)<br>
Application: `argocd/orders`

| Observed |
| --- |
| `one`<br>`two` |

<details><summary>Timeline</summary>

| at | what |

</details>

<sub>[Run attempt](https://github.example.test/run) · a&#95;b\u200b</sub>
"""


def test_folds_are_closed_and_links_are_their_words() -> None:
    assert plain(as_shown(COMMENT)) == (
        "### ❌ staging failed\n\n**Do not promote.** Commit: `abc1234`  \nApplication: `argocd/orders`\n\n"
        "| Observed |\n| --- |\n| `one` `two` |\n\n▸ Timeline\n\nRun attempt · a_b"
    )


def test_what_comes_from_outside_is_made_harmless() -> None:
    stream = io.StringIO()
    Display(stream, Path("evidence")).typed('git commit -m "\x1b[31mred\x07" ::set-output')
    assert stream.getvalue() == '  $ git commit -m "red" ::set-output\n'
