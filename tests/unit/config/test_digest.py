"""What evidence keeps of a configuration: its digest changes with its meaning only."""

import re

from gate.config.digest import environment_digest
from tests.unit.config.building import TEXT, changed, load, request, staging


def test_layout_order_and_written_defaults_change_no_digest() -> None:
    plain = environment_digest(staging())
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", plain)
    assert environment_digest(staging(timeout=900, cluster={}, policy={"settle": "5000ms", "allow": []})) == plain
    assert environment_digest(request(samples=3, path="/")) == plain
    spaced = load(TEXT.replace("{context: staging}", "\n      context: staging # here"))
    assert environment_digest(spaced.environments["staging"]) == environment_digest(load().environments["staging"])


def test_every_difference_in_meaning_changes_the_digest() -> None:
    before = environment_digest(load().environments["staging"])
    for old, new in (
        ("samples: 5", "samples: 4"),
        ("[refresh]", "[]"),
        ("name: orders\n        pin", "name: order\n        pin"),
        ("timeout: 15m", "timeout: 16m"),
        ("{label:app.kubernetes.io/version}", "{revision}"),
        ("context: staging", "context: other"),
    ):
        assert environment_digest(load(changed(old, new)).environments["staging"]) != before, new


def test_another_environment_changes_nothing_here() -> None:
    other = load(changed("source: 0", "source: 1"))
    assert environment_digest(other.environments["staging"]) == environment_digest(load().environments["staging"])
