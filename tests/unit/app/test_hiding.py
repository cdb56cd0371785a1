"""Every credential of a run is known before anything is said, however the kubeconfig was given."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from gate.app.hiding import known_secrets

TOKEN = "a-token-that-nobody-may-see"
TEXT = f"apiVersion: v1\nkind: Config\nusers:\n- name: reader\n  user: {{token: {TOKEN}}}\n"


def _known(kubeconfig: str | None) -> set[str]:
    given = None if kubeconfig is None else SecretStr(kubeconfig)
    return {one.get_secret_value() for one in known_secrets(None, kubeconfig=given)}


@pytest.mark.parametrize("name", ["kubeconfig", "with a space.yaml"])
def test_a_path_is_read_and_is_no_secret_itself(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(TEXT, encoding="utf-8")
    known = _known(str(file))
    assert TOKEN in known
    assert str(file) not in known


def test_a_path_in_the_home_folder_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "config").write_text(TEXT, encoding="utf-8")
    assert TOKEN in _known("~/config")


def test_content_is_a_secret_as_a_whole_and_in_its_parts() -> None:
    assert {TEXT, TOKEN} <= _known(TEXT)


def test_what_is_not_there_tells_nothing(tmp_path: Path) -> None:
    assert _known(None) == set()
    assert TOKEN not in _known(str(tmp_path / "gone"))


def test_tokens_are_secrets() -> None:
    known = known_secrets(SecretStr("one"), None, SecretStr("two"), kubeconfig=None)
    assert [one.get_secret_value() for one in known] == ["one", "two"]
