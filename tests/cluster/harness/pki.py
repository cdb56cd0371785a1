"""Certificates and kubeconfigs: one authority, made anew for each cluster."""

import base64
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .settings import (
    API_SERVER,
    API_SERVICE_ADDRESS,
    NODE_ADDRESS,
    NODE_NAME,
    ClusterError,
)

SERVICE_NAMES = "kubernetes.default.svc.cluster.local"
DAYS = "30"
NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


@dataclass(frozen=True)
class Certificate:
    """One certificate to be made."""

    name: str
    common_name: str
    organization: str = ""
    addresses: str = ""

    @property
    def extension(self) -> str:
        """The lines that say what the certificate is for."""
        use = "serverAuth" if self.addresses else "clientAuth"
        lines = ["keyUsage=digitalSignature", f"extendedKeyUsage={use}"]
        if self.addresses:
            lines.append(f"subjectAltName={self.addresses}")
        return "\n".join(lines) + "\n"

    @property
    def subject(self) -> str:
        """The subject as openssl wants it."""
        organization = f"/O={self.organization}" if self.organization else ""
        return f"{organization}/CN={self.common_name}"


def _api_names() -> str:
    parts = SERVICE_NAMES.split(".")
    names = [".".join(parts[: n + 1]) for n in range(len(parts))]
    addresses = (NODE_ADDRESS, API_SERVICE_ADDRESS, "127.0.0.1")
    return ",".join([*(f"DNS:{n}" for n in names), *(f"IP:{a}" for a in addresses)])


NODE = f"system:node:{NODE_NAME}"
CLIENTS = {
    "admin": Certificate("admin", "admin", "system:masters"),
    "controller-manager": Certificate("controller-manager", "system:kube-controller-manager"),
    "scheduler": Certificate("scheduler", "system:kube-scheduler"),
    "proxy": Certificate("proxy", "system:kube-proxy"),
    "kubelet": Certificate("kubelet", NODE, "system:nodes"),
}
OTHERS = (
    Certificate("apiserver", "kube-apiserver", addresses=_api_names()),
    Certificate("kubelet-server", NODE, addresses=f"DNS:{NODE_NAME},IP:{NODE_ADDRESS}"),
    Certificate("apiserver-to-kubelet", "apiserver-to-kubelet", "system:masters"),
)


def create(folder: Path) -> None:
    """Make every key, certificate and kubeconfig in the folder."""
    folder.mkdir(mode=0o700)
    uses = ("basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign")
    extensions = [part for use in uses for part in ("-addext", use)]
    names = ["-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=test-cluster"]
    _openssl(folder, "req", "-x509", *NEW_KEY, "-days", DAYS, *extensions, *names)
    for certificate in [*CLIENTS.values(), *OTHERS]:
        _sign(folder, certificate)
    _openssl(folder, "genrsa", "-out", "accounts.key", "2048")
    _openssl(folder, "rsa", "-in", "accounts.key", "-pubout", "-out", "accounts.pub")
    for name in CLIENTS:
        user = {
            "client-certificate-data": _encoded(folder / f"{name}.crt"),
            "client-key-data": _encoded(folder / f"{name}.key"),
        }
        write_kubeconfig(folder / f"{name}.kubeconfig", folder / "ca.crt", user)


def _sign(folder: Path, certificate: Certificate) -> None:
    name = certificate.name
    (folder / f"{name}.ext").write_text(certificate.extension)
    request = ["-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", certificate.subject]
    _openssl(folder, "req", "-new", *NEW_KEY, *request)
    authority = ["-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", DAYS]
    sign = ["-in", f"{name}.csr", "-out", f"{name}.crt", "-extfile", f"{name}.ext"]
    _openssl(folder, "x509", "-req", *authority, *sign)


def write_kubeconfig(path: Path, authority: Path, user: dict[str, str]) -> None:
    """Write a kubeconfig (JSON is YAML) for one user of the cluster."""
    cluster = {"server": API_SERVER, "certificate-authority-data": _encoded(authority)}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "test", "cluster": cluster}],
        "users": [{"name": "user", "user": user}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "user"}}],
        "current-context": "test",
    }
    path.touch(mode=0o600)
    path.write_text(json.dumps(config, indent=2) + "\n")


def _encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


def _openssl(folder: Path, *arguments: str) -> None:
    run = subprocess.run(["openssl", *arguments], cwd=folder, check=False, capture_output=True, text=True)
    if run.returncode != 0:
        raise ClusterError(f"`openssl {arguments[0]}` failed: {run.stderr.strip()}")
