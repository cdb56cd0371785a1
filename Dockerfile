# The base is pinned by its exact tag here; a release pins it by digest as well, once that digest was read from the
# registry that it is pulled from. The image also builds on any base whose python3 is 3.11 or newer with venv.
ARG PYTHON_IMAGE=docker.io/library/python:3.13.15-slim-trixie

FROM ${PYTHON_IMAGE} AS builder
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /source
COPY requirements.lock requirements-dev.lock ./
# Only hashes from the lock files get in: first what runs, then (outside the copied environment) the build tool alone.
RUN python3 -m venv /opt/gate \
    && /opt/gate/bin/python -m pip install --require-hashes --only-binary :all: --requirement requirements.lock \
    && sed -n '/^flit-core==/,/[^\\]$/p' requirements-dev.lock > build.lock \
    && python3 -m venv /opt/build \
    && /opt/build/bin/python -m pip install --require-hashes --only-binary :all: --requirement build.lock
COPY pyproject.toml README.md LICENSE ./
COPY gate gate
RUN /opt/build/bin/python -m pip wheel --no-deps --no-index --no-build-isolation --wheel-dir dist . \
    && /opt/gate/bin/python -m pip install --no-deps --no-index dist/*.whl \
    && /opt/gate/bin/python -m pip uninstall --yes pip setuptools
# Objects are read as raw JSON, so that the client's generated models and calls, 116 MB of them, are never imported;
# the tests are run on the image as it is then.
RUN for part in client/api client/models aio/client/api aio/client/models; do \
        find /opt/gate/lib/python3*/site-packages/kubernetes/"$part" -type f ! -name __init__.py -delete || exit 1; \
    done
# The runner starts a post step by the name of one program and without arguments.
RUN printf '%s\n' '#!/opt/gate/bin/python -I' 'from gate.commands.post import main' 'raise SystemExit(main())' \
        > /opt/gate/bin/gate-post \
    && chmod 0755 /opt/gate/bin/gate-post

FROM ${PYTHON_IMAGE}
LABEL org.opencontainers.image.title="promotion-gate" \
      org.opencontainers.image.description="One verdict on whether an Argo CD Application has really been released at a given commit" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=builder /opt/gate /opt/gate
# A broken image must not be published, and an action that cannot start says so here and not in the night.
RUN /opt/gate/bin/python -I -m gate --version && /opt/gate/bin/gate-post
# No USER: the runner mounts the files for outputs and the summary as its own user's, and GitHub asks container actions
# to run as root for that reason. No WORKDIR: the runner sets it to the workspace. -I keeps a `gate` folder in that
# workspace from being imported in place of the program. Exec form, because a shell drops inputs with a hyphen in their name.
ENTRYPOINT ["/opt/gate/bin/python", "-I", "-m", "gate"]
