"""What a bump says in Git: plain, complete, and nothing in it that was not meant."""

from gate.render.diff import render_diff
from gate.render.proposal import Proposal, render_commit_message, render_pull_request

OLD, NEW = "1" * 40, "2" * 40
HOSTILE = "main\n\nSigned-off-by: you @everyone <!-- #1 | `x` \x1b[31m"


def test_the_commit_tells_what_is_pinned_and_what_was() -> None:
    made = Proposal("staging", NEW, (("shop", OLD), ("cart", NEW)), "v2", "https://github.example/run")
    assert render_commit_message(made) == (
        f"Pin staging to {NEW[:12]}\n\nRevision: {NEW} (given as v2)\nApplication: shop, before: {OLD}\n"
        "Run: https://github.example/run"
    )
    assert "given" not in render_commit_message(Proposal("staging", NEW, (), NEW))


def test_the_pull_request_leads_to_what_changes() -> None:
    made = Proposal("staging", NEW, (("shop", OLD),), compare_url="https://github.example/acme/shop/compare")
    text = render_pull_request(made)
    assert f"| `shop` | `{OLD}` |" in text
    assert f"(https://github.example/acme/shop/compare/{OLD}...{NEW})" in text
    assert "nothing of it has been checked yet" in text


def test_a_hostile_pin_is_text() -> None:
    made = Proposal("staging", NEW, (("shop", HOSTILE),), compare_url="https://github.example/acme/shop/compare")
    message = render_commit_message(made)
    assert message.count("\n") == 3
    assert "\x1b" not in message
    body = render_pull_request(made)
    assert "<!--" not in body
    assert "@everyone" not in body
    assert "compare" not in body, "it leads nowhere"


def test_a_diff_shows_what_changes_and_nothing_where_nothing_does() -> None:
    before = {"b.yaml": "a: 1\nb: 2\n", "a.yaml": "x\n"}
    shown = render_diff(before, {**before, "b.yaml": "a: 1\nb: 3\n"})
    assert shown == "--- a/b.yaml\n+++ b/b.yaml\n@@ -1,2 +1,2 @@\n a: 1\n-b: 2\n+b: 3"
    assert render_diff(before, before) == ""
    assert render_diff({}, {"n.yaml": "x\n"}).startswith("--- /dev/null\n+++ b/n.yaml")
