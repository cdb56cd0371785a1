"""The entry of the action's post step: it closes what a run that was killed left pending.

It judges nothing, so that it ends with 0 whatever it finds: a status that stays pending blocks as well.
"""

import os
import sys
from collections.abc import Mapping

from gate.adapters.runner.hidden import KNOWN, environment_secrets
from gate.adapters.runner.runner import Runner
from gate.adapters.runner.streams import steady_streams
from gate.app.fault import fault_of
from gate.errors import GateError


def main() -> int:
    """Run the post step; always 0."""
    KNOWN.learn(environment_secrets(os.environ))
    steady_streams(output=True)
    runner = Runner(os.environ, sys.stdout, sys.stderr)
    try:
        _close(runner, os.environ)
    except GateError as error:
        runner.complain(error.diagnostics())
    except KeyboardInterrupt:
        runner.complain("The run was ended before everything that is left pending was closed.")
    except Exception as error:  # noqa: BLE001  # nothing that happens here changes what the run was
        runner.complain(fault_of(error, os.environ).diagnostics())
    return 0


def _close(runner: Runner, environ: Mapping[str, str]) -> None:
    from gate.app.leaving import close_left, read_left

    left = read_left(environ)
    if left is None:
        return
    import asyncio

    from gate.app.connecting import connect_github
    from gate.app.hiding import known_secrets
    from gate.app.options import CheckOptions
    from gate.config.inputs import parse_inputs

    inputs = parse_inputs(environ)
    for secret in known_secrets(inputs.github_token, inputs.app_private_key, kubeconfig=None):
        runner.mask(secret)
    options = CheckOptions(
        environment=left.environment,
        github_token=inputs.github_token,
        app_id=inputs.app_id,
        app_private_key=inputs.app_private_key,
        github_ca=inputs.github_ca,
    )
    client = connect_github(options, None, environ)
    try:
        asyncio.run(close_left(left, client, runner.complain))
    finally:
        client.close()


if __name__ == "__main__":
    raise SystemExit(main())
