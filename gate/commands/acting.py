"""The action: inputs from the runner, and outputs, summary and annotations back to it."""

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from gate.adapters.runner.runner import Runner
from gate.app.check import Check
from gate.app.ending import ended_by
from gate.app.fault import fault_of
from gate.app.hiding import known_secrets
from gate.app.options import ApproveOptions, BumpOptions, CheckOptions, ClusterOptions
from gate.commands.workflow import read_run, run_check
from gate.config.event import Run, parse_bare_run
from gate.config.inputs import Inputs, Mode, make_inputs, parse_inputs
from gate.errors import ExitCode, GateError, UsageError
from gate.reasons import Reason
from gate.render.annotations import Annotation, render_annotations
from gate.render.outputs import render_outputs
from gate.render.summary import render_summary
from gate.verdict import Verdict


def act(environ: Mapping[str, str]) -> int:
    """Run the action; its exit code."""
    runner = Runner(environ, sys.stdout, sys.stderr)
    try:
        return _act(runner, environ)
    except Exception as error:  # noqa: BLE001  # a fault beside the check, which catches its own
        return _end(runner, environ, fault_of(error, environ))


def _end(runner: Runner, environ: Mapping[str, str], error: GateError) -> int:
    """End a run that never came to a check: there is nothing to put a status on, or to put it there with."""
    runner.complain(error.diagnostics())
    environment = environ.get("INPUT_ENVIRONMENT", "").strip()
    _report(runner, ended_by(error, environment or "unknown", "", None), None)
    return int(error.exit_code)


def _act(runner: Runner, environ: Mapping[str, str]) -> int:
    refused: GateError | None = None
    try:
        try:
            inputs = parse_inputs(environ)
        except GateError as error:
            refused, inputs = error, _what_is_left(environ, error)
        tokens = (inputs.github_token, inputs.app_private_key, inputs.server_token)
        for secret in known_secrets(*tokens, kubeconfig=inputs.kubeconfig):
            runner.mask(secret)
        for warning in inputs.warnings:
            runner.say(warning)
        _check_token(inputs)
    except GateError as error:
        return _end(runner, environ, error if refused is None else refused)
    run, unread = _read_run(environ)
    refused = unread if refused is None else refused
    if run is None and refused is not None:
        return _end(runner, environ, refused)
    check, code = run_check(
        _options(inputs),
        environ,
        run,
        refused=refused,
        hide=runner.mask,
        bump=_bump(inputs),
        recheck=inputs.mode is Mode.RECHECK,
        approval=_approval(inputs),
    )
    if code == ExitCode.COULD_NOT_PUBLISH:
        message = "All layers passed, but GitHub did not take the verdict; the log says why."
        runner.annotate(Annotation("error", f"could not publish: {Reason.NOT_PUBLISHED.value}", message))
    if check.verdict is not None:
        _report(runner, check.verdict, check)
    _report_more(runner, inputs.mode, check)
    return code


def _report_more(runner: Runner, mode: Mode, check: Check) -> None:
    """What some modes say beside the verdict."""
    if mode is Mode.BUMP:
        from gate.commands.bumping import report_bump

        _try(runner, lambda: report_bump(runner, check))
    if mode is Mode.RECHECK:
        from gate.commands.rechecking import report_recheck

        _try(runner, lambda: report_recheck(runner, check))


def _read_run(environ: Mapping[str, str]) -> tuple[Run | None, GateError | None]:
    """The run; for an event that cannot be read the error, and the run where the variables name its commit."""
    try:
        return read_run(environ), None
    except GateError as error:
        return parse_bare_run(environ), error


def _bump(inputs: Inputs) -> BumpOptions | None:
    """What to do beside the check; None where nothing is to be written."""
    if inputs.mode is not Mode.BUMP:
        return None
    return BumpOptions(inputs.application, inputs.dry_run, inputs.check, inputs.allow_older)


def _approval(inputs: Inputs) -> ApproveOptions | None:
    """What the approval rests on; None where none is given."""
    if inputs.mode is not Mode.APPROVE:
        return None
    return ApproveOptions(None if inputs.evidence is None else Path(inputs.evidence))


def _check_token(inputs: Inputs) -> None:
    """Raise UsageError where the verdict is to be published and nothing allows it."""
    if inputs.publish and not inputs.dry_run and inputs.github_token is None and inputs.app_private_key is None:
        raise UsageError(
            "There is no token to publish with: the input github-token is empty.",
            means="the secret behind it has another name, is empty, or is kept from this event.",
            change="leave github-token out, for the job's own token, or set publish to false.",
        )


def _what_is_left(environ: Mapping[str, str], error: GateError) -> Inputs:
    """Of inputs that cannot be used, those that it takes to say so on the commit; else raises the error.

    How to publish, and then the App, is left out where that is what cannot be used: an error is better said than kept.
    """
    needed = ("environment", "github-token", "app-id", "app-private-key", "github-ca")
    wished = ("mode", "publish", "comment", "comment-author")
    given = {name: environ.get(f"INPUT_{name.upper()}", "").strip() for name in (*needed, *wished)}
    for names in ((*needed, *wished), needed, needed[:2]):
        with suppress(GateError):
            return make_inputs({name: given[name] for name in names if given[name] != ""})
    raise error


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
            oidc_audience=inputs.oidc_audience,
            server_ca=inputs.server_ca,
        ),
        timeout=inputs.timeout,
        publish=inputs.publish and not inputs.dry_run,
        comment=inputs.comment,
        comment_author=inputs.comment_author,
        evidence_branch=inputs.evidence_branch,
        repo=None if inputs.repo is None else Path(inputs.repo),
        github_token=inputs.github_token,
        app_id=inputs.app_id,
        app_private_key=inputs.app_private_key,
        github_ca=inputs.github_ca,
    )


def _report(runner: Runner, verdict: Verdict, check: Check | None) -> None:
    """Outputs, job summary, annotations: what cannot be written is said, and changes no verdict."""
    evidence = "" if check is None or check.evidence is None else str(check.evidence)
    publication = None if check is None else check.publication
    _try(runner, lambda: runner.write_outputs(render_outputs(verdict, evidence)))
    if publication is not None:
        _try(runner, lambda: runner.write_summary(render_summary(verdict, publication)))
    for annotation in render_annotations(verdict):
        runner.annotate(annotation)
    kept = None if check is None else check.recording.kept
    if kept is not None and kept.lost:
        runner.annotate_beside(Annotation("warning", "evidence not kept", kept.said))


def _try(runner: Runner, write: Callable[[], bool]) -> None:
    try:
        write()
    except GateError as error:
        runner.complain(error.diagnostics())
