"""Which secrets a run knows, so that the log and the evidence can hide them."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pydantic import SecretStr

from gate.adapters.kubernetes.secrets import kubeconfig_secrets


def known_secrets(*tokens: SecretStr | None, kubeconfig: SecretStr | None) -> Iterator[SecretStr]:
    """The tokens, and the credentials in a kubeconfig (a path or content).

    A path is no secret, and hiding it would hide outputs that hold it.
    """
    yield from (token for token in tokens if token is not None)
    if kubeconfig is None:
        return
    text = kubeconfig.get_secret_value()
    if "\n" in text or len(text) > 255 or text.startswith("{"):
        yield kubeconfig
    else:
        with suppress(OSError, ValueError):  # whoever opens it says what is wrong with it
            text = Path(text).expanduser().read_text(encoding="utf-8")
    yield from map(SecretStr, kubeconfig_secrets(text))
