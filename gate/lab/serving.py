"""How to point one's own ``gate check`` at a laboratory that stays up."""

import json
import shlex
import shutil
import sys
from pathlib import Path

from gate.lab.applications import ARGOCD_NAMESPACE
from gate.lab.stage import CONFIGURATION, ENVIRONMENT, NAME, REPOSITORY, SERVER_URL, Stage

_HOW_TO = """The laboratory stays up until Ctrl-C. In another shell:

{exports}

Ask the gate, publishing nothing, then with commit status and comment (pull request {number}):
  {gate} check --environment {environment} --no-publish --config "$CLONE/{configuration}" --repo "$CLONE"
  GITHUB_SHA=$(git -C "$CLONE" rev-parse HEAD) {gate} check --environment {environment}

See what was published:
  curl -s {server_url}/_standin/state

Pin a commit, break the readiness path, take it back:
  pin() {{ curl -fsS -o /dev/null -X PATCH -H 'Authorization: Bearer {token}' \\
    -H 'Content-Type: application/merge-patch+json' -d "{patch}" \\
    {place}; }}
  pin $(git -C "$CLONE" rev-parse HEAD)
  sed -i s,/healthz,/not-there, "$CLONE/workloads/web.yaml" && git -C "$CLONE" commit -qam 'Break it' && \\
    git -C "$CLONE" push -q origin HEAD:main && pin $(git -C "$CLONE" rev-parse HEAD)
  git -C "$CLONE" revert --no-edit HEAD && git -C "$CLONE" push -q origin HEAD:main && \\
    pin $(git -C "$CLONE" rev-parse HEAD)
"""


def how_to(stage: Stage) -> str:
    """What to type in another shell: the variables, a check without and with publishing, and the changes.

    Writes an event file, and who commits in the clone: whoever types need not have told Git.
    """
    stage.repository.git("config", "user.name", "Laboratory")
    stage.repository.git("config", "user.email", "laboratory@example.test")
    patch = json.dumps({"spec": {"source": {"targetRevision": "SHA"}}})
    api = f"{stage.lab.server.url}/apis/argoproj.io/v1alpha1"
    return _HOW_TO.format(
        exports="\n".join(f"  export {name}={shlex.quote(str(value))}" for name, value in _variables(stage).items()),
        gate=_program(),
        number=stage.pull_request(),
        environment=ENVIRONMENT,
        configuration=CONFIGURATION,
        server_url=stage.github.server_url,
        token=stage.lab.token,
        patch=patch.replace('"', '\\"').replace("SHA", "$1"),
        place=f"{api}/namespaces/{ARGOCD_NAMESPACE}/applications/{NAME}",
    )


def _program() -> str:
    """How the program is called in another shell: by its path where that shell would not find it."""
    beside = Path(sys.executable).with_name("gate")
    return "gate" if shutil.which("gate") is not None or not beside.exists() else shlex.quote(str(beside))


def _variables(stage: Stage) -> dict[str, object]:
    event = stage.lab.folder / "event.json"
    event.write_text("{}\n")
    return {
        "KUBECONFIG": stage.lab.kubeconfig,
        "GITHUB_API_URL": stage.github.url,
        "GITHUB_SERVER_URL": SERVER_URL,
        "GITHUB_TOKEN": stage.github.token,
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_EVENT_NAME": "workflow_dispatch",
        "GITHUB_EVENT_PATH": event,
        "GITHUB_RUN_ID": 1,
        "GITHUB_RUN_ATTEMPT": 1,
        "CLONE": stage.clone,
    }
