"""The test images, written by hand: one archive with two images that share a layer."""

import hashlib
import io
import json
import tarfile
from pathlib import Path

from gate.lab.manifests import WEB_IMAGE

from .settings import PAUSE_IMAGE

ENTRYPOINTS = {WEB_IMAGE: "/web", PAUSE_IMAGE: "/pause"}


def _add(archive: tarfile.TarFile, name: str, data: bytes, mode: int = 0o644) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    member.mode = mode
    archive.addfile(member, io.BytesIO(data))


def _layer(program: bytes) -> bytes:
    """A layer with the program as /web and, as a hard link to it, /pause."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        _add(archive, "web", program, 0o755)
        link = tarfile.TarInfo("pause")
        link.type = tarfile.LNKTYPE
        link.linkname = "web"
        link.mode = 0o755
        archive.addfile(link)
    return buffer.getvalue()


def _config(entrypoint: str, layer_digest: str) -> bytes:
    return json.dumps(
        {
            "architecture": "amd64",
            "os": "linux",
            "created": "1970-01-01T00:00:00Z",
            "config": {"Entrypoint": [entrypoint]},
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{layer_digest}"]},
        },
        sort_keys=True,
    ).encode()


def write_images(program: Path, archive_path: Path) -> None:
    """Write the archive of the web and the pause image from the one static program."""
    layer = _layer(program.read_bytes())
    digest = hashlib.sha256(layer).hexdigest()
    manifest = []
    with tarfile.open(archive_path, "w") as archive:
        _add(archive, f"{digest}/layer.tar", layer)
        for reference, entrypoint in ENTRYPOINTS.items():
            config = _config(entrypoint, digest)
            name = hashlib.sha256(config).hexdigest() + ".json"
            _add(archive, name, config)
            entry = {
                "Config": name,
                "RepoTags": [reference],
                "Layers": [f"{digest}/layer.tar"],
            }
            manifest.append(entry)
        _add(archive, "manifest.json", json.dumps(manifest).encode())
