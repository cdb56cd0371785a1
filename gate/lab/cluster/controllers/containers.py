"""A container as the kubelet knows it, and what it says of it in a Pod's status."""

import hashlib
import uuid
from dataclasses import dataclass, field
from typing import Any

from gate.lab.cluster.store import Object


@dataclass
class Container:
    """One container. ``state`` and ``last`` are as in the status; ``container_id`` is empty before the first start."""

    spec: Object
    state: Object = field(default_factory=lambda: {"waiting": {"reason": "ContainerCreating"}})
    last: Object = field(default_factory=dict)
    ready: bool = False
    restarts: int = 0
    container_id: str = ""

    @property
    def name(self) -> str:
        """Its name in the Pod."""
        return str(self.spec["name"])

    @property
    def image(self) -> str:
        """The image as it was asked for."""
        return str(self.spec["image"])

    @property
    def runs(self) -> bool:
        """Whether it runs."""
        return "running" in self.state

    @property
    def exit_code(self) -> int | None:
        """The exit code of the run that has ended; None while it runs or waits."""
        code: int | None = self.state.get("terminated", {}).get("exitCode")
        return code

    def start(self, at: str) -> None:
        """It runs, once more where it has ended before."""
        if "terminated" in self.state:
            self.last = self.state
        if self.container_id:
            self.restarts += 1
        self.container_id = f"containerd://{uuid.uuid4().hex}{uuid.uuid4().hex}"
        self.state = {"running": {"startedAt": at}}

    def end(self, code: int, at: str) -> None:
        """It has ended with this exit code."""
        self.ready = False
        ended = {"exitCode": code, "reason": "Completed" if code == 0 else "Error"}
        times = {"startedAt": self.state["running"]["startedAt"], "finishedAt": at}
        self.state = {"terminated": {**ended, **times, "containerID": self.container_id}}

    def wait(self, reason: str, message: str) -> None:
        """It waits for something."""
        if "terminated" in self.state:
            self.last = self.state
        self.state = {"waiting": {"reason": reason, "message": message}}

    def status(self) -> Object:
        """Its entry in ``containerStatuses``."""
        mounts = [_mounted(one) for one in self.spec.get("volumeMounts", ())]
        started: Object = {}
        if self.container_id:
            started = {"containerID": self.container_id, "resources": self.spec.get("resources", {})}
        return {
            "name": self.name,
            "state": self.state,
            "lastState": self.last,
            "ready": self.ready,
            "restartCount": self.restarts,
            "image": self.image,
            "imageID": image_id(self.image) if self.container_id else "",
            **started,
            "started": self.runs,
            **({"volumeMounts": mounts} if mounts else {}),
        }


def image_id(image: str) -> str:
    """The digest of an image's content: another one for each name."""
    return f"sha256:{hashlib.sha256(image.encode()).hexdigest()}"


def _mounted(mount: Object) -> dict[str, Any]:
    found = {name: mount[name] for name in ("name", "mountPath", "readOnly") if name in mount}
    return found | ({"recursiveReadOnly": "Disabled"} if mount.get("readOnly") else {})
