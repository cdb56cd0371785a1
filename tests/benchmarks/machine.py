"""What the numbers were measured on."""

import os
import platform
import re
from importlib.metadata import version
from pathlib import Path

from gate import __version__

NAMED = {"PyGithub": "github", "kubernetes": "kubernetes.aio", "httpx": "httpx", "tenacity": "tenacity"} | {
    "pydantic": "pydantic"
}
"""The five packages that the bars name: how they are distributed, and what is imported."""


def machine() -> str:
    """The class of the machine, in words."""
    processor = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    memory = re.search(r"^MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text(), re.MULTILINE)
    cores = os.cpu_count()
    size = "" if memory is None else f", {int(memory[1]) / 1024 / 1024:.0f} GiB"
    return f"{cores} cores of {'an unknown processor' if processor is None else processor[1]}{size}"


def versions() -> str:
    """What was measured, and with what."""
    packages = ", ".join(f"{name} {version(name)}" for name in NAMED)
    return f"promotion-gate {__version__}, Python {platform.python_version()}, {packages}"
