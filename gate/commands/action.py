"""The entry of the action: inputs from the runner, and outputs, summary and annotations back to it."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

from gate.adapters.runner.runner import Runner
from gate.app.check import Check
from gate.app.ending import ended_by
from gate.app.options import CheckOptions, ClusterOptions
from gate.commands.workflow import read_run, run_check
from gate.config.inputs import Inputs, parse_inputs
from gate.errors import GateError
from gate.render.annotations import render_annotations
from gate.render.outputs import render_outputs
from gate.render.summary import render_summary
from gate.verdict import Verdict


def _options(inputs: Inputs) -> CheckOptions:
    return CheckOptions(
        environment=inputs.environment,
        config=inputs.config,
        revision=inputs.revision,
        cluster=ClusterOptions(
            kubeconfig=inputs.kubeconfig,
            context=inputs.context,
            server=inputs.server,
            server_token=inputs.server_token,
            server_ca=inputs.server_ca,
        ),
        timeout=inputs.timeout,
        publish=inputs.publish,
        comment=inputs.comment,
        repo=None if inputs.repo is None else Path(inputs.repo),
        github_token=inputs.github_token,
    )


def _report(runner: Runner, verdict: Verdict, check: Check | None) -> None:
    """Outputs, job summary, annotations: what cannot be written is said, and changes no verdict."""
    evidence = "" if check is None or check.evidence is None else str(check.evidence)
    publication = None if check is None else check.publication
    try:
        runner.write_outputs(render_outputs(verdict, evidence))
        if publication is not None:
            runner.write_summary(render_summary(verdict, publication))
    except GateError as error:
        runner.complain(error.diagnostics())
    for annotation in render_annotations(verdict):
        runner.annotate(annotation)


def main(environ: Mapping[str, str]) -> int:
    """Run the action; its exit code."""
    runner = Runner(environ, sys.stdout, sys.stderr)
    environment = environ.get("INPUT_ENVIRONMENT", "").strip()
    try:
        inputs = parse_inputs(environ)
        for secret in (inputs.github_token, inputs.kubeconfig, inputs.server_token):
            if secret is not None:
                runner.mask(secret)
        for warning in inputs.warnings:
            runner.say(warning)
        run = read_run(environ)
    except GateError as error:
        runner.complain(error.diagnostics())
        _report(runner, ended_by(error, environment or "unknown", "", None), None)
        return int(error.exit_code)
    check, code = asyncio.run(run_check(_options(inputs), environ, run))
    if check.verdict is not None:
        _report(runner, check.verdict, check)
    return code
