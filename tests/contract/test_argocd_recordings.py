"""The model of Argo CD comes to the very Applications that were recorded from the real one, word for word.

Left out are recordings whose Application is that of another one here (the acts differ in workloads or
in what is asked), and ``multi-source-one-old``: it caught a comparison between two applied objects.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.support import argocd_tales as tales
from tests.support.argocd import Room, play
from tests.support.sampling import sampled

Tale = Callable[[Room], Awaitable[None]]

TALES: dict[str, Tale] = {
    "first-release": tales.first_release,
    "story-recreate-normal": tales.recreate_normal,
    "story-recreate-broken": tales.recreate_broken,
    "no-op-commit": tales.no_op_commit,
    "story-rolling-normal": tales.rolling_normal,
    "story-rolling-broken-deadline": tales.rolling_broken,
    "story-rolling-recovered": tales.rolling_recovered,
    "branch-as-pin": tales.branch_as_pin,
    "commit-unknown": tales.commit_unknown,
    "no-resources": tales.no_resources,
    "hand-edit-selfheal-off": tales.hand_edit_unhealed,
    "hand-edit-taken-back": tales.hand_edit_taken_back,
    "hand-edit-selfheal-on": tales.hand_edit_healed,
    "autosync-off": tales.autosync_off,
    "synced-by-a-person": tales.synced_by_a_person,
    "argocd-rollback": tales.rolled_back,
    "synced-again": tales.synced_again,
    "sync-window": tales.window_closed,
    "sync-window-opened": tales.window_opened,
    "hook-running": tales.hook_running,
    "hook-succeeded": tales.hook_succeeded,
    "hook-failed": tales.hook_failed,
    "hook-recovered": tales.hook_recovered,
    "refused-retrying": tales.refused_retrying,
    "good-while-refused-retries": tales.good_while_refused,
    "refused-terminated": tales.refused_terminated,
    "refused-failed": tales.refused_failed,
    "refused-recovered": tales.refused_recovered,
    "multi-source": tales.two_sources,
    "multi-source-both": tales.both_at_last,
    "replicas-0": tales.replicas_0,
    "paused": tales.paused,
    "stateful-on-delete": tales.on_delete,
}


SAMPLE = ("first-release", "story-rolling-broken-deadline", "hook-failed", "sync-window-opened", "refused-retrying")
"""One of each kind, for `make test`."""


@pytest.mark.parametrize("recording", sampled(TALES, SAMPLE))
def test_it_comes_to_the_application_that_was_recorded(recording: str, tmp_path: Path) -> None:
    async def tale(room: Room) -> None:
        await TALES[recording](room)
        await room.comes_to(recording)

    play(tmp_path, tale)
