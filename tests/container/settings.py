"""Names and folders of the container tests."""

import os
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
IMAGE = "localhost/promotion-gate:test"
TEST_IMAGE = "localhost/promotion-gate:with-tests"
RUNNER_IMAGE = "localhost/runner:latest"
"""What a workflow's own steps run in: any image with bash."""

SUITE = "trixie"
INCLUDED = ("python3", "python3-venv", "python3-pip", "ca-certificates")


class ContainerError(Exception):
    """An image cannot be built or a container not run: the message says what to do."""


def cache_folder() -> Path:
    """The folder for the base image, outside the checkout."""
    chosen = os.environ.get("PROMOTION_GATE_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return (Path(chosen) if chosen else Path(base) / "promotion-gate").resolve() / "container"


def base_image() -> str:
    """The image that the Dockerfile builds on, as it names it."""
    for line in (CHECKOUT / "Dockerfile").read_text().splitlines():
        if line.startswith("ARG PYTHON_IMAGE="):
            return line.partition("=")[2].strip()
    raise ContainerError("the Dockerfile has no line ARG PYTHON_IMAGE=")
