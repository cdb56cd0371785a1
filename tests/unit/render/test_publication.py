"""Links: only of addresses that can stand in Markdown, and only to what is known."""

import pytest
from pydantic import ValidationError

from gate.reasons import Reason
from tests.support import release, verdicts


def test_links() -> None:
    one = verdicts.publication()
    assert one.reason_url(Reason.NOT_PINNED).endswith("/docs/reasons.md#notpinned")
    assert one.data_url.endswith("/docs/data.md")
    assert one.reported_url() == f"https://github.example/shop/environments/commit/{release.REPORTED}"
    assert one.revision_url(release.BAD) == f"https://github.example/shop/environments/commit/{release.BAD}"
    assert one.compare_url(release.GOOD, release.BAD) == (
        f"https://github.example/shop/environments/compare/{release.GOOD}...{release.BAD}"
    )


def test_a_slash_at_the_end_makes_no_double_one() -> None:
    one = verdicts.publication(server_url="https://github.example/", docs_url="https://docs.example/")
    assert "e//" not in f"{one.revision_url(release.BAD)}{one.data_url}{one.reported_url()}"


@pytest.mark.parametrize("commit", ["", "main", "c7581a7", release.BAD.upper(), f"{release.BAD}\n", f"{release.BAD})x"])
def test_only_full_ids_are_linked(commit: str) -> None:
    one = verdicts.publication()
    assert one.revision_url(commit) is None
    assert one.compare_url(commit, release.BAD) is None
    assert one.compare_url(release.BAD, commit) is None


def test_nothing_is_linked_that_is_not_known() -> None:
    one = verdicts.publication(revision_repository=None, reported=None)
    assert one.revision_url(release.BAD) is None
    assert one.compare_url(release.GOOD, release.BAD) is None
    assert one.reported_url() is None


@pytest.mark.parametrize(
    "changes",
    [
        {"server_url": "javascript:alert(1)"},
        {"server_url": "https://x.example/) [y](https://z.example"},
        {"server_url": ""},
        {"run_url": "https://x.example/a b"},
        {"docs_url": "https://x.example/`"},
        {"repository": "shop"},
        {"repository": "shop/a/b"},
        {"revision_repository": "shop/a b"},
        {"reported": "main"},
        {"reported": f"{release.BAD}\n"},
        {"pull": 0},
        {"pull": "7"},
        {"colour": "red"},
    ],
)
def test_what_could_break_a_link_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        verdicts.publication(**changes)
