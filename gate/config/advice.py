"""What a valid configuration says that will probably disappoint. Pure; nothing here refuses."""

from gate.config.model import Allow, Configuration, Environment


def advise(configuration: Configuration) -> tuple[str, ...]:
    """One sentence for each thing worth a warning, in the order of the file."""
    return tuple(
        f"environment {name}: {sentence}"
        for name, environment in configuration.environments.items()
        for sentence in _environment(configuration, environment)
    )


def _environment(configuration: Configuration, environment: Environment) -> list[str]:
    said = []
    target = environment.promotes_to
    if target is not None and target not in configuration.environments:
        said.append(f"promotes-to names {target}, which is not in this file.")
    if environment.requests == ():
        said.append("no requests are configured, so nothing can pass (NoRequest).")
    if environment.policy.allows(Allow.ANSWERS_WITHOUT_IDENTITY):
        return said
    said += [
        f"request {request.name} expects nothing that tells releases apart, so it cannot pass (NoReleaseIdentity)."
        for request in environment.requests
        if not request.expect.identity
    ]
    return said
