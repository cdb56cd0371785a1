"""Configurations to rehearse, and a judge that is weak in one thing."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest.mock import patch

import gate.decide.asking
import gate.layers.intent
import gate.layers.readiness.judge
import gate.layers.request.judge
import gate.layers.sync
import gate.rehearsal.rehearse
from gate.config.load import parse_configuration, read_configuration
from gate.config.model import Environment
from gate.layers.finding import Answer, Clock, Finding
from gate.layers.finding import choose as whole_choice
from gate.outcomes import LAYERS, Layer
from gate.reasons import Reason
from gate.rehearsal.passing import generate
from gate.rehearsal.rehearse import Case, cases, rehearse
from gate.rehearsal.results import Rehearsal
from gate.rehearsal.subjects import Subjects
from gate.verdict import Evidence
from tests.conftest import ROOT
from tests.support import bundles, environments
from tests.unit.config import building

Json = dict[str, Any]

VERSION = "{label:app.kubernetes.io/version}"


def environment(*requests: Json, **keys: Any) -> Environment:
    """The settings of one environment with these requests; one that tells releases apart without any."""
    default = {"name": "version", "service": "orders/web:http", "expect": {"json": {"$.release": VERSION}}}
    made = {"applications": [{"name": "orders"}], "requests": list(requests or (default,)), **keys}
    raw = {"version": 1, "environments": {"staging": {key.replace("_", "-"): value for key, value in made.items()}}}
    return parse_configuration(raw, "a configuration").environments["staging"]


def _request(name: str, expect: Json, **keys: Any) -> Json:
    if "url" not in keys:
        keys.setdefault("service", "orders/web:http")
    return {"name": name, "expect": expect, **keys}


def _written() -> Iterator[tuple[str, Environment]]:
    """What stands in the documentation and in other tests."""
    for name, found in read_configuration(ROOT / "docs" / "examples" / "promotion-gate.yaml").environments.items():
        yield f"example-{name}", found
    for name, found in building.load().environments.items():
        yield f"building-{name}", found
    for name, raw in (("data", building.DATA), ("bundles", bundles.config()), ("action", environments.configuration())):
        yield name, next(iter(parse_configuration(raw, name).environments.values()))


def _expectations() -> Iterator[tuple[str, Environment]]:
    """Every kind of expectation."""
    template_of = {"$.label": "{label:a/b}", "$.note": "{annotation:c/d}", "$.tag": "{image.tag:web}"}
    every = {**template_of, "$.digest": "{image.digest:side}", "$.commit": "{revision}", "$.tree": "{tree}"}
    yield "every-template", environment(_request("one", {"json": {**every, "$.short": "{short-revision}"}}))
    yield (
        "paths",
        environment(
            _request(
                "one", {"json": {"$.parts[?@.name=='web'].v[0]": VERSION, "$..ok": "yes", "$.x['a b'][-1]": "{tree}"}}
            )
        ),
    )
    both = {"json": {"$.ok": "true"}, "regex": '"release": *"{image.tag:web}"'}
    yield "json-and-regex", environment(_request("one", both), _request("two", {"regex": r"^v{label:v}\b.*\d$"}))
    yield "body", environment(_request("one", {"status": 404, "body": "gone since {revision}\n"}, samples=1))


def _shapes() -> Iterator[tuple[str, Environment]]:
    """Every kind of target, and what else can be asked for."""
    yield (
        "urls",
        environment(
            _request("one", {"regex": "{revision}"}, url="https://shop.example", workload="shop/web.v1", samples=2),
            _request(
                "two", {"body": "{tree}"}, url="http://shop.example:81/a?b=c", workload="shop/api", route="cluster"
            ),
            argocd={"namespace": "hub"},
        ),
    )
    yield (
        "ports",
        environment(
            *(
                _request(f"p{port}", {"body": "{revision}"}, service=f"orders/web:{port}")
                for port in ("http", "80", "9")
            ),
            _request("other", {"body": "{revision}"}, service="orders/internal:grpc", method="POST"),
        ),
    )
    yield "sources", environment(applications=[{"name": "a", "source": 2}, {"name": "b", "source": "values"}])
    chosen = [{"name": "shop", "namespace": "team"}, {"selector": {"match-labels": {"a": "b"}}, "minimum": 1}]
    narrower = {"selector": {"match-labels": {"a": "b", "c": "d"}}, "minimum": 1, "source": 0}
    yield "selectors", environment(applications=[*chosen, narrower])
    expected = [{"kind": "Deployment", "name": "web", "replicas": 3}, {"kind": "Deployment", "name": "side"}]
    placed = {"kind": "Deployment", "name": "other", "namespace": "elsewhere", "replicas": 1}
    yield "workloads", environment(workloads=[*expected, placed])
    allow = ["answers-without-identity", "publishes-not-ready", "refresh", "same-host-redirects"]
    policy = {"allow": [*allow, "insecure-skip-tls-verify"], "settle": "1h", "unjudged-kinds": ["Rehearsal"]}
    yield "opt-ins", environment(_request("one", {"status": 204}, method="HEAD"), policy=policy, timeout="2h")


@cache
def configurations() -> dict[str, Environment]:
    """Valid configurations of every kind, each of which can tell releases apart or is allowed not to."""
    return dict([*_written(), *_expectations(), *_shapes()])


def rehearsed(name: str) -> Rehearsal:
    """The rehearsal of one of them, from nothing."""
    settings = configurations()[name]
    return rehearse(generate(settings, name), "generated", settings)


def rehearse_settings(settings: Environment) -> Rehearsal:
    """The rehearsal of these settings, from nothing."""
    return rehearse(generate(settings, "staging"), "generated", settings)


@contextmanager
def altering_only(*names: str) -> Iterator[None]:
    """Rehearsals that try out nothing but these alterations, which takes a fraction of the time."""

    def chosen(subjects: Subjects) -> Iterator[Case]:
        return (case for case in cases(subjects) if case.alteration.name in names)

    with patch.object(gate.rehearsal.rehearse, "cases", chosen):
        yield


_LAYERS = (gate.layers.intent, gate.layers.sync, gate.layers.readiness.judge, gate.layers.request.judge)
_BUNDLE = ("check_bundle", "_again")


@contextmanager
def blind_to(reasons: Iterable[Reason]) -> Iterator[None]:
    """A judge that overlooks whatever has one of these reasons."""
    overlooked = frozenset(reasons)

    def choose(found: list[Finding], passed: Finding, clock: Clock, evidence: Iterable[Evidence] = ()) -> Answer:
        return whole_choice([one for one in found if one.reason not in overlooked], passed, clock, evidence)

    def seeing(look: Any) -> Any:
        def looked(*given: Any) -> Finding | None:
            finding: Finding | None = look(*given)
            return None if finding is not None and finding.reason in overlooked else finding

        return looked

    asking = gate.decide.asking
    patches = [patch.object(layer, "choose", choose) for layer in _LAYERS]
    patches += [patch.object(asking, name, seeing(getattr(asking, name))) for name in _BUNDLE]
    for one in patches:
        one.start()
    try:
        yield
    finally:
        for one in patches:
            one.stop()


@contextmanager
def ignoring(layer: Layer) -> Iterator[None]:
    """A judge that lets one layer pass, whatever it finds."""

    def choose(_: list[Finding], passed: Finding, clock: Clock, evidence: Iterable[Evidence] = ()) -> Answer:
        return whole_choice([], passed, clock, evidence)

    with patch.object(_LAYERS[LAYERS.index(layer)], "choose", choose):
        yield
