"""The life of one Pod on the node: bound, started, probed, restarted, ended. A script for each part of it."""

from collections.abc import Callable, Collection

from gate.lab.cluster.controllers.containers import Container
from gate.lab.cluster.controllers.controller import Context
from gate.lab.cluster.controllers.events import Events
from gate.lab.cluster.controllers.images import (
    back_off_message,
    duration,
    never_pulled,
    pull_error,
)
from gate.lab.cluster.controllers.pod_status import NODE, pod_status, scheduled
from gate.lab.cluster.controllers.probes import probe_failure
from gate.lab.cluster.controllers.timers import Cancel, Script, play
from gate.lab.cluster.store import Key, Object
from gate.lab.cluster.web import Program

# Seconds of the model, as measured on a small real cluster.
_BIND, _SEE, _NETWORK, _FIRST_PROBE = 0.03, 0.1, 1.0, 0.6
_NOTICE, _RESTART, _TAKE_DOWN = 0.3, 0.7, 0.4
_BACK_OFF, _BACK_OFF_LIMIT, _SYNC = 10, 300, 10
_KILLED = 137
"""The exit code after SIGKILL."""


class PodWorker:
    """``begin`` starts it, ``end`` lets it go in its grace, ``stop`` forgets it at once."""

    def __init__(self, context: Context, events: Events, key: Key, address: str, images: Collection[str]) -> None:
        self._context = context
        self._events = events
        self._key = key
        self._address = address
        self._images = images
        self._containers: list[Container] = []
        self._network = False
        self._scripts: list[Cancel] = []
        self.ending = False

    def begin(self) -> None:
        """Bind it to the node and start its containers."""
        self._play(self._start())

    def end(self) -> None:
        """Ask its containers to end, and remove it when they have, or when its grace is over."""
        self.stop()
        self.ending = True
        self._play(self._terminate())

    def stop(self) -> None:
        """Do nothing for it any more."""
        for cancel in self._scripts:
            cancel()
        self._scripts.clear()

    # --- scripts ----------------------------------------------------------------------------

    def _start(self) -> Script:
        yield _BIND
        self._context.store.change(*self._key, self._bind)
        yield _SEE
        self._containers = [Container(one) for one in self._pod["spec"]["containers"]]
        self._write()
        yield _NETWORK
        self._network = True
        for one in self._containers:
            self._play(self._live(one))

    def _live(self, one: Container) -> Script:
        back_off = 0
        while True:
            yield from self._pull(one)
            self._run(one)
            if (code := Program.of(one.spec).exit_code) is None:
                return
            yield Program.of(one.spec).after
            one.end(code, self._context.stamp())
            yield _NOTICE
            self._write()
            policy = self._pod["spec"]["restartPolicy"]
            if policy == "Never" or (policy == "OnFailure" and code == 0):
                return
            yield _RESTART
            if back_off > 0:
                yield from self._wait_in_crash_loop(one, back_off)
            back_off = min(back_off * 2 or _BACK_OFF, _BACK_OFF_LIMIT)

    def _pull(self, one: Container) -> Script:
        """Wait until the image is there: for ever, where it is not known."""
        back_off = _BACK_OFF
        while one.image not in self._images:
            if one.spec.get("imagePullPolicy") == "Never":
                self._warn(one, "ErrImageNeverPull", never_pulled(one.image))
                self._warn(one, "Failed", "Error: ErrImageNeverPull")
                self._wait(one, "ErrImageNeverPull", never_pulled(one.image))
                yield _SYNC
                continue
            self._normal(one, "Pulling", f'Pulling image "{one.image}"')
            yield _NOTICE
            self._warn(one, "Failed", f'Failed to pull image "{one.image}": {pull_error(one.image)}')
            self._warn(one, "Failed", "Error: ErrImagePull")
            self._wait(one, "ErrImagePull", pull_error(one.image))
            yield _RESTART
            self._normal(one, "BackOff", f'Back-off pulling image "{one.image}"')
            self._warn(one, "Failed", "Error: ImagePullBackOff")
            # The state is written one round later than the event.
            yield back_off / 2
            self._wait(one, "ImagePullBackOff", back_off_message(one.image))
            yield back_off / 2
            back_off = min(back_off * 2, _BACK_OFF_LIMIT)

    def _wait_in_crash_loop(self, one: Container, back_off: int) -> Script:
        pod = self._pod["metadata"]
        name = f"{pod['name']}_{pod['namespace']}({pod['uid']})"
        text = f"back-off {duration(back_off)} restarting failed container={one.name} pod={name}"
        self._wait(one, "CrashLoopBackOff", text)
        left = float(back_off)
        while left > 0:
            self._warn(one, "BackOff", f"Back-off restarting failed container {one.name} in pod {name}")
            yield min(left, _SYNC)
            left -= _SYNC

    def _probe(self, one: Container, probe: Object) -> Script:
        """Ask until it is ready. It is not asked again: what a running container answers does not change."""
        yield float(probe.get("initialDelaySeconds", 0)) + _FIRST_PROBE
        good, run = 0, one.container_id
        while one.runs and one.container_id == run:
            failure = probe_failure(self._pod, one.spec, probe)
            good = good + 1 if failure is None else 0
            if failure is not None:
                self._warn(one, "Unhealthy", f"Readiness probe failed: {failure}")
            elif good >= probe.get("successThreshold", 1):
                one.ready = True
                self._write()
                return
            yield float(probe.get("periodSeconds", 10))

    def _terminate(self) -> Script:
        yield _SEE
        self._write()
        grace = int(self._pod["metadata"].get("deletionGracePeriodSeconds", 30))
        running = [one for one in self._containers if one.runs]
        linger = max((Program.of(one.spec).linger for one in running), default=0)
        yield min(linger, grace)
        for one in running:
            one.end(0 if Program.of(one.spec).linger <= grace else _KILLED, self._context.stamp())
        yield _NOTICE
        self._write()
        yield _TAKE_DOWN
        self._context.store.remove(*self._key)

    # --- steps ------------------------------------------------------------------------------

    @property
    def _pod(self) -> Object:
        return self._context.store.get(*self._key)

    def _play(self, script: Script) -> None:
        self._scripts.append(play(self._context.timers, script))

    def _bind(self, pod: Object) -> None:
        pod["spec"]["nodeName"] = NODE
        pod["status"] = scheduled(pod, self._context.stamp())

    def _run(self, one: Container) -> None:
        self._normal(one, "Pulled", f'Container image "{one.image}" already present on machine')
        self._normal(one, "Created", f"Created container: {one.name}")
        self._normal(one, "Started", f"Started container {one.name}")
        one.start(self._context.stamp())
        probe = one.spec.get("readinessProbe")
        one.ready = probe is None
        self._write()
        if probe is not None:
            self._play(self._probe(one, probe))

    def _wait(self, one: Container, reason: str, message: str) -> None:
        one.wait(reason, message)
        self._write()

    def _write(self) -> None:
        """Write the status, if there is anything to say of containers yet."""
        address = self._address if self._network else ""

        def change(pod: Object) -> None:
            pod["status"] = pod_status(pod, self._containers, address, self._context.stamp())

        if self._containers:
            self._context.store.change(*self._key, change)

    def _tell(self, say: Callable[[Object, str, str, str], None], one: Container, reason: str, message: str) -> None:
        say(self._pod, reason, message, f"spec.containers{{{one.name}}}")

    def _normal(self, one: Container, reason: str, message: str) -> None:
        self._tell(self._events.normal, one, reason, message)

    def _warn(self, one: Container, reason: str, message: str) -> None:
        self._tell(self._events.warn, one, reason, message)
