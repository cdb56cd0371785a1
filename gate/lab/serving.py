"""How to point one's own ``gate check`` at a laboratory that stays up."""

import json

from gate.lab.applications import ARGOCD_NAMESPACE
from gate.lab.stage import CONFIGURATION, ENVIRONMENT, NAME, REPOSITORY, SERVER_URL, Stage


def how_to(stage: Stage) -> str:
    """What to type in another shell: the variables, a check without and with publishing, and the changes."""
    lab, github, clone = stage.lab, stage.github, stage.clone
    event = lab.folder / "event.json"
    event.write_text("{}\n")
    # Whoever commits there need not have told Git who they are.
    stage.repository.git("config", "user.name", "Laboratory")
    stage.repository.git("config", "user.email", "laboratory@example.test")
    variables = {
        "KUBECONFIG": lab.kubeconfig,
        "GITHUB_API_URL": github.url,
        "GITHUB_SERVER_URL": SERVER_URL,
        "GITHUB_TOKEN": github.token,
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_EVENT_NAME": "workflow_dispatch",
        "GITHUB_EVENT_PATH": event,
        "GITHUB_RUN_ID": 1,
        "GITHUB_RUN_ATTEMPT": 1,
        "CLONE": clone,
    }
    exports = "\n".join(f"  export {name}={value}" for name, value in variables.items())
    patch = json.dumps({"spec": {"source": {"targetRevision": "SHA"}}}).replace('"', '\\"').replace("SHA", "$1")
    place = f"{lab.server.url}/apis/argoproj.io/v1alpha1/namespaces/{ARGOCD_NAMESPACE}/applications/{NAME}"
    token = f"-H 'Authorization: Bearer {lab.token}'"
    return f"""The laboratory stays up until Ctrl-C. In another shell:

{exports}

Ask the gate, publishing nothing, then with commit status and comment (pull request {stage.pull_request()}):
  gate check --environment {ENVIRONMENT} --no-publish --config $CLONE/{CONFIGURATION} --repo $CLONE
  GITHUB_SHA=$(git -C $CLONE rev-parse HEAD) gate check --environment {ENVIRONMENT}
  curl -s {github.server_url}/_standin/state   # what was published

Pin a commit, break the readiness path, take it back:
  pin() {{ curl -fsS -o /dev/null -X PATCH {token} \\
    -H 'Content-Type: application/merge-patch+json' -d "{patch}" \\
    {place}; }}
  pin $(git -C $CLONE rev-parse HEAD)
  sed -i s,/healthz,/not-there, $CLONE/workloads/web.yaml && git -C $CLONE commit -qam 'Break it' && \\
    git -C $CLONE push -q origin HEAD:main && pin $(git -C $CLONE rev-parse HEAD)
  git -C $CLONE revert --no-edit HEAD && git -C $CLONE push -q origin HEAD:main && \\
    pin $(git -C $CLONE rev-parse HEAD)
"""
