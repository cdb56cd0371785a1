"""Images that are not there: what the kubelet and containerd say of them."""

from gate.lab.manifests import WEB_IMAGE

KNOWN = frozenset({WEB_IMAGE})
"""Images that can be pulled, unless others are named."""


def pull_error(image: str) -> str:
    """Why an image could not be pulled: its registry cannot be reached."""
    host, _, rest = image.partition("/")
    repository, _, tag = rest.partition(":")
    asked = f'failed to do request: Head "https://{host}/v2/{repository}/manifests/{tag or "latest"}"'
    network = f"dial tcp: lookup {host} on [::1]:53: read udp [::1]:39740->[::1]:53: read: connection refused"
    resolved = f'failed to resolve reference "{image}": {asked}: {network}'
    return f'failed to pull and unpack image "{image}": {resolved}'


def back_off_message(image: str) -> str:
    """Why an image is not pulled again yet."""
    return f'Back-off pulling image "{image}": ErrImagePull: {pull_error(image)}'


def never_pulled(image: str) -> str:
    """Why an image that must not be pulled cannot be used."""
    return f'Container image "{image}" is not present with pull policy of Never'


def duration(seconds: int) -> str:
    """A duration as Go writes it: 10s, 1m20s, 5m0s."""
    minutes, rest = divmod(seconds, 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"
