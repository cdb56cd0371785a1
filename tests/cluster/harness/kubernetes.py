"""Command lines and configuration files of the Kubernetes programs."""

import json
from pathlib import Path

from . import needs
from .settings import (
    API_PORT,
    CGROUP,
    NODE_ADDRESS,
    NODE_NAME,
    PAUSE_IMAGE,
    POD_RANGE,
    SERVICE_RANGE,
    STATE,
    ClusterError,
)

PKI = STATE / "pki"
CONTAINERD_SOCKET = STATE / "containerd.sock"
ETCD = "http://127.0.0.1:2379"
ETCD_PEER = "http://127.0.0.1:2380"
ISSUER = "https://kubernetes.default.svc.cluster.local"


def write_configuration() -> None:
    """Write the files that containerd, the kubelet and kube-proxy read."""
    (STATE / "cni").mkdir()
    _write_json(STATE / "cni" / "10-pods.conflist", _pod_network())
    _write_json(STATE / "kubelet.json", _kubelet())
    _write_json(STATE / "kube-proxy.json", _kube_proxy())
    (STATE / "containerd.toml").write_text(_containerd())


def commands(programs: Path) -> dict[str, list[str]]:
    """The command of each program, in the order in which they are started."""
    return {
        "containerd": [
            _system("containerd"),
            "--config",
            str(STATE / "containerd.toml"),
        ],
        "etcd": _etcd_command(),
        "kube-apiserver": [str(programs / "kube-apiserver"), *_apiserver_flags()],
        "kube-controller-manager": [
            str(programs / "kube-controller-manager"),
            f"--kubeconfig={PKI / 'controller-manager.kubeconfig'}",
            f"--service-account-private-key-file={PKI / 'accounts.key'}",
            f"--root-ca-file={PKI / 'ca.crt'}",
            "--use-service-account-credentials=true",
            "--leader-elect=false",
            "--bind-address=127.0.0.1",
        ],
        "kube-scheduler": [
            str(programs / "kube-scheduler"),
            f"--kubeconfig={PKI / 'scheduler.kubeconfig'}",
            "--leader-elect=false",
            "--bind-address=127.0.0.1",
        ],
        "kubelet": [
            str(programs / "kubelet"),
            f"--config={STATE / 'kubelet.json'}",
            f"--kubeconfig={PKI / 'kubelet.kubeconfig'}",
            f"--root-dir={STATE / 'kubelet'}",
            f"--cert-dir={STATE / 'kubelet-certificates'}",
            f"--hostname-override={NODE_NAME}",
            f"--node-ip={NODE_ADDRESS}",
        ],
        "kube-proxy": [
            str(programs / "kube-proxy"),
            f"--config={STATE / 'kube-proxy.json'}",
        ],
    }


def import_command(images: Path) -> list[str]:
    """The command that gives containerd the images."""
    client = [
        _system("ctr"),
        "--address",
        str(CONTAINERD_SOCKET),
        "--namespace",
        "k8s.io",
    ]
    return [*client, "images", "import", str(images)]


def _system(name: str) -> str:
    path = needs.program(name)
    if path is None:
        raise ClusterError(f"the program {name} is missing")
    return path


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n")


def _etcd_command() -> list[str]:
    return [
        _system("etcd"),
        "--name=test",
        f"--data-dir={STATE / 'etcd'}",
        f"--listen-client-urls={ETCD}",
        f"--advertise-client-urls={ETCD}",
        f"--listen-peer-urls={ETCD_PEER}",
        f"--initial-advertise-peer-urls={ETCD_PEER}",
        f"--initial-cluster=test={ETCD_PEER}",
        "--unsafe-no-fsync",
    ]


def _apiserver_flags() -> list[str]:
    return [
        f"--etcd-servers={ETCD}",
        f"--bind-address={NODE_ADDRESS}",
        f"--advertise-address={NODE_ADDRESS}",
        f"--secure-port={API_PORT}",
        f"--service-cluster-ip-range={SERVICE_RANGE}",
        f"--tls-cert-file={PKI / 'apiserver.crt'}",
        f"--tls-private-key-file={PKI / 'apiserver.key'}",
        f"--client-ca-file={PKI / 'ca.crt'}",
        f"--kubelet-client-certificate={PKI / 'apiserver-to-kubelet.crt'}",
        f"--kubelet-client-key={PKI / 'apiserver-to-kubelet.key'}",
        f"--kubelet-certificate-authority={PKI / 'ca.crt'}",
        "--kubelet-preferred-address-types=InternalIP",
        f"--service-account-issuer={ISSUER}",
        f"--service-account-key-file={PKI / 'accounts.pub'}",
        f"--service-account-signing-key-file={PKI / 'accounts.key'}",
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        "--profiling=false",
    ]


def _pod_network() -> dict[str, object]:
    addresses = {
        "type": "host-local",
        "dataDir": str(STATE / "pod-addresses"),
        "ranges": [[{"subnet": POD_RANGE}]],
        "routes": [{"dst": "0.0.0.0/0"}],
    }
    bridge = {
        "type": "bridge",
        "bridge": "pods",
        "isGateway": True,
        "hairpinMode": True,
        "ipMasq": False,
        "ipam": addresses,
    }
    return {"cniVersion": "0.4.0", "name": "pods", "plugins": [bridge]}


def _kubelet() -> dict[str, object]:
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": NODE_ADDRESS,
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": False},
            "x509": {"clientCAFile": str(PKI / "ca.crt")},
        },
        "authorization": {"mode": "AlwaysAllow"},
        "tlsCertFile": str(PKI / "kubelet-server.crt"),
        "tlsPrivateKeyFile": str(PKI / "kubelet-server.key"),
        "containerRuntimeEndpoint": f"unix://{CONTAINERD_SOCKET}",
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": f"/{CGROUP}",
        "failCgroupV1": False,
        "failSwapOn": False,
        "resolvConf": "",
        "clusterDomain": "cluster.local",
        "podLogsDir": str(STATE / "pod-logs"),
        "nodeStatusUpdateFrequency": "1s",
        # The images exist nowhere else, and a full disk of the machine is not ours to clean up.
        "imageGCHighThresholdPercent": 100,
        "imageGCLowThresholdPercent": 99,
        "evictionHard": {
            "memory.available": "100Mi",
            "nodefs.available": "1%",
            "imagefs.available": "1%",
        },
    }


def _kube_proxy() -> dict[str, object]:
    return {
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "mode": "nftables",
        "clusterCIDR": POD_RANGE,
        "hostnameOverride": NODE_NAME,
        "clientConnection": {"kubeconfig": str(PKI / "proxy.kubeconfig")},
        # The connection table's size belongs to the machine: leave it.
        "conntrack": {"maxPerCore": 0, "min": 0},
        "healthzBindAddress": "127.0.0.1:10256",
        "metricsBindAddress": "127.0.0.1:10249",
    }


def _containerd() -> str:
    return f"""
version = 2
root = "{STATE}/containerd"
state = "{STATE}/containerd-state"
disabled_plugins = ["io.containerd.internal.v1.opt"]

[grpc]
  address = "{CONTAINERD_SOCKET}"

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{PAUSE_IMAGE}"
  disable_apparmor = true
  restrict_oom_score_adj = true

[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "/usr/lib/cni"
  conf_dir = "{STATE}/cni"

[plugins."io.containerd.grpc.v1.cri".containerd]
  snapshotter = "overlayfs"
  default_runtime_name = "runc"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
  SystemdCgroup = false
  BinaryName = "{_system("runc")}"
"""
