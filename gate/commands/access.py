"""The options by which several commands reach the clusters, and what they come to."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:  # whoever only asks for help does without
    from pydantic import SecretStr

    from gate.app.options import ClusterOptions

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--kubeconfig", metavar="FILE", help="A kubeconfig.  [default: the one kubectl would use]"),
    click.option(
        "--context",
        metavar="NAME",
        help="The context of the kubeconfig, for both clusters, in place of those in the configuration.",
    ),
    click.option("--server", metavar="URL", help="The API server, with the token in the variable GATE_SERVER_TOKEN."),
    click.option(
        "--oidc-audience",
        metavar="NAME",
        help="Log in to that server with the workflow's OIDC token for this audience, in place of the variable.",
    ),
    click.option("--server-ca", metavar="FILE", help="The certificate authority of that server."),
    click.option("--in-cluster", is_flag=True, help="Use the service account of the Pod that this runs in."),
)


def cluster_access(command: Command) -> Command:
    """Give a command the options of ``cluster_options``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_duration(_context: click.Context, _parameter: click.Parameter, value: str | None) -> timedelta | None:
    """The callback of an option that takes a duration."""
    from gate.config.duration import parse_duration

    return _parsed(parse_duration, value)


def read_age(_context: click.Context, _parameter: click.Parameter, value: str | None) -> timedelta | None:
    """The callback of an option that takes an age, which may be days."""
    from gate.config.duration import parse_age

    return _parsed(parse_age, value)


def _parsed(parse: Callable[[object], timedelta], value: str | None) -> timedelta | None:
    try:
        return None if value is None else parse(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def secret(value: str | None) -> "SecretStr | None":
    """A secret, None where it is not there or empty."""
    from pydantic import SecretStr

    return None if value is None or value == "" else SecretStr(value)


def cluster_options(given: Mapping[str, Any], environ: Mapping[str, str]) -> "ClusterOptions":
    """How to reach the clusters, by what was given to ``cluster_access``."""
    from gate.app.options import ClusterOptions

    explicit = given["kubeconfig"] is not None or given["server"] is not None or given["in_cluster"]
    return ClusterOptions(
        kubeconfig=secret(given["kubeconfig"]),
        context=given["context"],
        server=given["server"],
        server_token=secret(environ.get("GATE_SERVER_TOKEN")) if _stored_token(given) else None,
        oidc_audience=given["oidc_audience"],
        server_ca=given["server_ca"],
        in_cluster=bool(given["in_cluster"]),
        laptop=not explicit,
    )


def _stored_token(given: Mapping[str, Any]) -> bool:
    return given["server"] is not None and given["oidc_audience"] is None
