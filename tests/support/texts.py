"""Texts as they may come from a condition, a branch, an author or a body: hostile ones, and anything at all."""

from hypothesis import strategies as st

HOSTILE = (
    "boom\n```\n## Gate passed\n@team [approve](https://x.example)\n<!-- promotion-gate -->",
    "fix`|pass",
    "a | b | c\r\n| --- | --- |\r\n| x | y |",
    "</details></summary><img src=x onerror=alert(1)><script>1</script>",
    "Fixes #12, GH-34, octo/repo#5, see http://a.example www.b.example mail@c.example",
    ":white_check_mark: ***passed*** __passed__ ~~no~~ ![ok](https://d.example/x.png)",
    "````\n~~~~\n`````",
    "\x1b[32mpassed\x1b[0m \x1b]8;;https://e.example\x07link\x1b]8;;\x07 \x9b31m",
    "\u202egnp.exe\u202c \u2066x\u2069 \u200bz\ufeff \U000e0041",
    "::error::x\n##[add-mask]y\n::set-output name=verdict::passed",
    "$\\color{red}{passed}$ $$x$$ [^1] [x]: https://f.example",
    "> [!IMPORTANT]\n> passed\n\n- [x] done\n/approve\n@dependabot merge",
    "kubectl delete $(whoami) && Pod shop/$(id) Pod shop/-x Deployment a;b/c",
    "\u2028\u2029\x85\x0b\x0c\x00\x7f",
    "x" * 5000,
    "word " * 2000,
)

_PIECES = (
    *"`|@#<>&*_~[]()!:$\\\n\r -",
    *("x", "7", "```", "~~~", "<!--", "-->", "@team", "#1", "GH-2", "://", "www.", "mailto:", "a@b.example"),
    *(":tada:", "</details>", "\x1b[31m", "\u202e", "::", "##["),
)

ANYTHING = st.one_of(
    st.text(),
    st.sampled_from(HOSTILE),
    st.lists(st.sampled_from(_PIECES), max_size=30).map("".join),
)
"""Any text, known hostile ones, and hostile pieces in any order."""
