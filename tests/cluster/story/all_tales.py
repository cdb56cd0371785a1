"""All tales, the longest first, so that they end together when they play side by side."""

from tests.cluster.story import contents, hands, operations, pins, rollouts
from tests.cluster.story.acts import Act, Tale

TALES: tuple[Tale, ...] = (
    rollouts.RECREATE,
    rollouts.ROLLING,
    contents.ANSWERS,
    hands.MANUAL,
    contents.CONTAINERS,
    operations.HOOKS,
    operations.RETRIES,
    contents.STANDSTILL,
    pins.SOURCES,
    rollouts.LINGERING,
    hands.WINDOW,
    operations.REFUSED,
    hands.UNHEALED,
    pins.DECLARED,
    pins.PINS,
    hands.HEALED,
    contents.STATEFUL,
    pins.EMPTY,
)

ACTS: dict[str, Act] = {act.name: act for tale in TALES for act in tale.acts}
LIVE: dict[str, Act] = {name: act for name, act in ACTS.items() if act.live}
RECORDED: dict[str, Act] = {name: act for name, act in ACTS.items() if act.moments > 0}
