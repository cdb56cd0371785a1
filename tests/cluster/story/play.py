"""Playing tales side by side: the gate and the other tools, asked about the same situation at once."""

import threading
import time
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.harness import Harness, NotFound, baselines
from tests.cluster.harness.baselines import Answer, Words
from tests.cluster.story import seeing
from tests.cluster.story.acts import Act, Tale, Target
from tests.cluster.story.github import Said, Tribune, tribune
from tests.cluster.story.stage import WEB, Stage

SIDE_BY_SIDE = 6
PATIENCE = 20
"""Seconds that the other tools are given, where the gate has as many or more."""
_LOOK = 0.3


@dataclass(frozen=True)
class Outcome:
    """What was said about one act.

    ``there_after``: seconds from the asking until the release was really there, None if it never
    was. ``words_before`` and ``words_after`` are Argo CD's own at the asking and at the verdict.
    ``said_after``: seconds from the asking until the gate had ended.
    """

    act: Act
    target: Target
    said: Said
    argocd: Answer
    kubectl: Answer
    words_before: Words
    words_after: Words
    there_after: float | None

    @property
    def right(self) -> bool:
        """Whether the gate said what the table says, and did not pass what was not there yet."""
        expected, result = self.act.expected, self.said.result
        words = (result.get("verdict"), result.get("reason"), result.get("failed-layer"))
        early = expected.verdict == "passed" and (
            self.there_after is None or self.said.seconds < self.there_after - 2 * _LOOK
        )
        return words == (expected.verdict, expected.reason, expected.layer) and not early


class _Looking(threading.Thread):
    """Looks again and again whether the release is there; remembers when it first was."""

    def __init__(self, stage: Stage, intended: str) -> None:
        super().__init__(daemon=True)
        self._stage, self._intended = stage, intended
        self._began = time.monotonic()
        self._ended = threading.Event()
        self.found: float | None = None

    def run(self) -> None:
        while self.found is None and not self._ended.is_set():
            began = time.monotonic() - self._began
            if seeing.is_there(self._stage, self._intended):
                self.found = began
            self._ended.wait(_LOOK)

    def end(self) -> float | None:
        """When it was first there; None where it never was, or nobody looked."""
        self._ended.set()
        if self.is_alive():
            self.join()
        return self.found


def _words(stage: Stage) -> Words:
    """Argo CD's own words; empty ones where there is no Application."""
    try:
        return baselines.words(stage.harness, stage.name)
    except NotFound:
        return Words("", "", "", "")


def _play(tribunal: Tribune, act: Act) -> Outcome:
    stage, harness = tribunal.stage, tribunal.stage.harness
    target = act.target(stage)
    looking = _Looking(stage, target.intended)
    patience = min(act.timeout, PATIENCE)
    with ThreadPoolExecutor(4) as pool:
        before = pool.submit(_words, stage)
        said = pool.submit(tribunal.ask, act, target)
        if act.truth == "pass":
            looking.start()
        argocd = pool.submit(baselines.argocd_app_wait, harness, stage.name, patience)
        kubectl = pool.submit(baselines.kubectl_rollout_status, harness, stage.namespace, WEB, patience)
        try:
            heard = said.result()
            after = _words(stage)
        finally:
            found = looking.end()
        return Outcome(act, target, heard, argocd.result(), kubectl.result(), before.result(), after, found)


def _tell(harness: Harness, tale: Tale, kubeconfig: Path, folder: Path, wanted: set[str]) -> list[Outcome]:
    stage = tale.stage(harness)
    try:
        outcomes: list[Outcome] = []
        last = max(number for number, act in enumerate(tale.acts) if act.name in wanted)
        with tribune(stage, kubeconfig, folder / tale.name, tale.as_action) as tribunal:
            for act in tale.acts[: last + 1]:
                if act.live:
                    outcomes.append(_play(tribunal, act))
                else:
                    stage.wait(act.recorded_when, act.target(stage).intended)
        return outcomes
    finally:
        stage.end()


def play(
    harness: Harness, tales: Iterable[Tale], folder: Path, wanted: set[str], side_by_side: int = SIDE_BY_SIDE
) -> dict[str, Future[list[Outcome]]]:
    """Play the tales as far as the wanted acts need, some at a time; each tale's outcomes, all done."""
    kubeconfig = harness.reader_kubeconfig()
    with ThreadPoolExecutor(side_by_side) as pool:
        return {
            tale.name: pool.submit(_tell, harness, tale, kubeconfig, folder, wanted)
            for tale in tales
            if any(act.name in wanted for act in tale.acts)
        }
