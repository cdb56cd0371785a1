"""The first configuration as text, with a comment for each key. Names from the cluster are quoted where needed."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from gate.app.init.identity import VERSION_LABEL
from gate.app.init.look import Answered, Looked
from gate.render.text import clean

_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9./_-]*(?::[A-Za-z0-9][A-Za-z0-9-]*)?|\$(?:\.[A-Za-z_][A-Za-z0-9_]*)+")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


@dataclass(frozen=True)
class Wanted:
    """What was asked for. ``pin_file``: where the pin stands in this repository; None: not found."""

    environment: str
    namespace: str
    context: str | None
    output: str
    pin_file: str | None


def scalar(text: str) -> str:
    """A text as YAML: plain where it can mean nothing else."""
    return text if _PLAIN.fullmatch(text) is not None and text.lower() not in _WORDS else json.dumps(text)


def render_configuration(looked: Looked, wanted: Wanted) -> str:
    """The whole file."""
    lines = [*_head(looked, wanted), *_place(wanted), *_application(looked, wanted), *_workloads(looked)]
    lines += [*_requests(looked), *_limits(looked)]
    return "\n".join(lines) + "\n"


def _head(looked: Looked, wanted: Wanted) -> Iterator[str]:
    at = "" if wanted.output in ("promotion-gate.yaml", "-") else f" --config {wanted.output}"
    yield f"# Written by gate init from the live Application {wanted.namespace}/{looked.application}. Read it, then run"
    yield f"#   gate rehearse{at}   # does it refuse what it must?"
    yield f"#   gate doctor{at}     # is anything missing?"
    yield "# and commit it on the default branch: workflows read it there, never from a pull request."
    yield "version: 1"
    yield "environments:"
    yield f"  {scalar(wanted.environment)}: # the commit status is gate/{wanted.environment}"
    yield "    # promotes-to: production # the environment that a pass here opens; add it to this file, too"


def _place(wanted: Wanted) -> Iterator[str]:
    if wanted.context is None:
        yield "    # cluster: {context: NAME} # a context of the kubeconfig; without it its current one"
    else:
        yield f"    cluster: {{context: {scalar(wanted.context)}}} # a context of the kubeconfig"
    yield f"    argocd: {{namespace: {scalar(wanted.namespace)}}} # and context: NAME, where that is another cluster"


def _application(looked: Looked, wanted: Wanted) -> Iterator[str]:
    yield "    applications:"
    yield f"      - name: {scalar(looked.application)}"
    if looked.source is not None:
        shown = looked.source if isinstance(looked.source, int) else scalar(looked.source)
        yield f"        source: {shown} # TODO: a guess. Of several sources, the one that is promoted, by index or name"
    if wanted.pin_file is not None:
        yield f"        pin: {{file: {scalar(wanted.pin_file)}}} # where targetRevision stands in this repository"
    else:
        guess = f"apps/{wanted.environment}/{looked.application}.yaml"
        yield f"        # pin: {{file: {scalar(guess)}}} # TODO: where targetRevision stands in this repository"


def _workloads(looked: Looked) -> Iterator[str]:
    if not looked.workloads:
        yield "    # workloads: [{kind: Deployment, name: NAME, namespace: NAMESPACE}] # what must exist"
        return
    yield "    workloads: # what must exist, even if a commit takes it out of the Application"
    for one in looked.workloads:
        also = "" if one.replicas is None else f" # replicas: {one.replicas} would be a condition, too"
        yield f"      - {{kind: Deployment, name: {scalar(one.name)}, namespace: {scalar(one.namespace)}}}{also}"


def _requests(looked: Looked) -> Iterator[str]:
    answered = looked.answered
    if answered is None:
        yield "    # TODO: nothing passes without a request. No path of a Service answered; name one that does, and"
        yield "    # something in its answer that tells releases apart."
        yield "    # requests:"
        yield "    #   - name: version"
        address = looked.services[0] if looked.services else "NAMESPACE/SERVICE:PORT"
        yield f"    #     service: {scalar(address)} # or url: https://..., with workload: NAMESPACE/DEPLOYMENT"
        yield "    #     path: /version"
        yield f'    #     expect: {{status: 200, json: {{$.release: "{{{VERSION_LABEL}}}"}}}}'
        return
    yield "    requests: # what the new release must answer, over fresh connections"
    yield "      - name: version"
    yield f"        service: {scalar(answered.address)} # namespace/service:port, asked through the API server"
    yield f"        path: {scalar(answered.path)}"
    yield "        expect:"
    yield f"          status: {answered.status}"
    yield from _expected(looked, answered)
    yield "        samples: 3 # answers, all of which must match"


def _expected(looked: Looked, answered: Answered) -> Iterator[str]:
    """What tells releases apart; where nothing does, what to do about it."""
    told = answered.told
    if told is None:
        template = next(iter(looked.candidates), VERSION_LABEL)
        yield "          # TODO: nothing in this answer tells releases apart, so that this cannot pass yet"
        yield "          # (NoReleaseIdentity). Have the release say which one it is, for example by its"
        yield f"          # {clean(template, 120)}, and expect that:"
        yield f"          # json: {{$.release: {json.dumps(f'{{{template}}}')}}}"
        return
    yield f"          # {{{clean(told.template, 120)}}} stands for what is meant to be deployed;"
    yield f"          # now it is {clean(told.value, 80)}."
    for kind, expected in told.expect.items():
        if isinstance(expected, dict):
            yield f"          {kind}:"
            yield from (f"            {scalar(path)}: {json.dumps(text)}" for path, text in expected.items())
        else:
            yield f"          {kind}: {json.dumps(expected)} # found anywhere in the body, as a word of its own"


def _limits(looked: Looked) -> Iterator[str]:
    yield "    timeout: 15m # how long the gate waits for the verdict"
    yield "    policy:"
    yield "      settle: 5s # how far apart the two agreeing looks at everything are"
    yield "      degraded-grace: 60s # how long what may still mend itself may be seen before it fails"
    if looked.unjudged:
        kinds = ", ".join(scalar(kind) for kind in looked.unjudged)
        yield "      # TODO: there is no readiness rule for these kinds. They block (NoReadinessRule), unless they are"
        yield "      # left unjudged on purpose: their state is then not looked at."
        yield f"      # unjudged-kinds: [{kinds}]"
