# Every target works from a fresh clone: what it needs of `setup` it does first.
# Needs Python 3.11 or newer with pip and venv, git and make; the cluster and container targets say what else.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
# Without kept byte code every process of the tests would compile everything once more.
unexport PYTHONDONTWRITEBYTECODE

# The first Python that is new enough; override with PYTHON=/path/to/python.
OLD_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	if "$$p" -c '$(OLD_ENOUGH)' >/dev/null 2>&1; then command -v "$$p"; break; fi; done)
BIN := .venv/bin
LOCKS := requirements.lock requirements-dev.lock
# Named after the content of the lock files, so that the environment is made anew only when they change.
SUM := $(shell cat $(LOCKS) 2>/dev/null | cksum | tr ' ' '-')
READY := .venv/ready-$(SUM)
# Without the tools of development: enough to run the program, and made in half the time.
BARE := .venv/bare-$(SUM)
BUILD_TOOL := sed -n '/^flit-core==/,/[^\\]$$/p' requirements-dev.lock
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check --no-input
REPORTS ?= build/reports
# Half of what the tests do is waiting: more of them at a time than two processors would take.
WORKERS ?= 3
# T: what pytest gets instead of the whole suite, for example T="tests/unit -k sync".
T ?= $(wildcard tests/unit tests/contract tests/action tests/lab)
WORKFLOWS := $(wildcard .github/workflows/*.yml)
EXAMPLES := $(shell grep -l '^jobs:' docs/examples/*.yaml)

.PHONY: help
help: ## Say what each target does
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)$$/\1: \2/p' Makefile | while IFS=: read -r target text; do \
		printf '  make %-16s%s\n' "$$target" "$$text"; done

.PHONY: setup
setup: $(READY) ## Make .venv from the lock files; .venv/bin/gate is the program

.PHONY: needs
needs:
	@command -v git >/dev/null || { echo "setup: git is missing. Install it (Debian: apt-get install git)." >&2; exit 1; }
	@"$(or $(PYTHON),false)" -c '$(OLD_ENOUGH)' 2>/dev/null || { echo "setup: Python 3.11 or newer is missing." \
		"Install it (Debian: apt-get install python3 python3-venv) or name one with PYTHON=/path/to/python." >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { echo "setup: $(PYTHON) comes without pip or venv." \
		"Install them (Debian: apt-get install python3-venv) or name another with PYTHON=/path/to/python." >&2; exit 1; }

$(READY): | needs
	@echo "setup: making .venv with $(PYTHON) from $(LOCKS)"
	@"$(PYTHON)" -m venv --clear .venv
	@$(PIP) install --require-hashes --only-binary :all: --requirement requirements-dev.lock
	@$(PIP) install --no-index --no-deps --no-build-isolation --editable .
	@touch $@

$(BARE): | needs
	@echo "setup: making .venv with $(PYTHON) from requirements.lock"
	@"$(PYTHON)" -m venv --clear .venv
	@$(PIP) install --require-hashes --only-binary :all: --requirement requirements.lock --requirement <($(BUILD_TOOL))
	@$(PIP) install --no-index --no-deps --no-build-isolation --editable .
	@touch $@

.PHONY: lab
lab: $(or $(wildcard $(READY)),$(BARE)) ## Play the story with no cluster and no GitHub; S="no-endpoints timeout" plays these scenarios
	@$(BIN)/gate lab $(addprefix --scenario ,$(S))

.PHONY: test
test: setup ## Unit, contract, action and laboratory tests, offline; T="tests/unit -k sync" runs some
	@mkdir -p $(REPORTS)
	$(BIN)/python -m tests.offline $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal --junitxml $(REPORTS)/test.xml $(T)

.PHONY: test-exhaustive
test-exhaustive: setup ## The rest of what test tries by a sample; runs of the action begin from nothing
	@mkdir -p $(REPORTS)
	PROMOTION_GATE_EXHAUSTIVE=1 $(BIN)/python -m tests.offline $(BIN)/python -m pytest --numprocesses $(WORKERS) \
		--dist worksteal --junitxml $(REPORTS)/test-exhaustive.xml $(T)

.PHONY: lint
lint: setup ## ruff, mypy, import contracts, workflows, action.yml and Dockerfile
	@failed=0; check() { echo "lint: $$*"; "$(BIN)/$$@" || failed=1; }; \
	check ruff check --quiet .; \
	check ruff format --quiet --check .; \
	check mypy --no-error-summary; \
	check lint-imports --no-logo; \
	check check-jsonschema --quiet --builtin-schema vendor.github-actions action.yml; \
	check check-jsonschema --quiet --builtin-schema vendor.github-workflows $(WORKFLOWS) $(EXAMPLES); \
	check check-jsonschema --quiet --builtin-schema vendor.dependabot .github/dependabot.yml; \
	check zizmor --offline --quiet --config .github/zizmor.yml . $(EXAMPLES); \
	check hadolint Dockerfile tests/container/with_tests.Containerfile; \
	exit $$failed

.PHONY: format
format: setup ## Format the code and mend what ruff can mend; F="gate/layers" only there
	@$(BIN)/ruff format $(or $(F),.)
	@$(BIN)/ruff check --fix $(or $(F),.)

.PHONY: cluster-test
cluster-test: setup ## The story on a real cluster (root, Go; builds it once, about 14 minutes)
	@mkdir -p $(REPORTS)
	$(BIN)/python -m tests.cluster.harness build
	$(BIN)/python -m pytest --with-cluster --override-ini timeout=900 --junitxml $(REPORTS)/cluster.xml $(or $(C),tests/cluster)

.PHONY: container-test
container-test: setup ## The image built and the action run in a workflow (root, podman; its packages are installed)
	@mkdir -p $(REPORTS)
	$(BIN)/python -m pytest --override-ini timeout=1500 --junitxml $(REPORTS)/container.xml $(or $(C),tests/container)

.PHONY: container-down
container-down: setup ## Take away what container tests that were stopped have left (root)
	@$(BIN)/python -m tests.container.cleaning

.PHONY: cluster-up
cluster-up: setup ## Start the cluster and say how to reach it (root, Go)
	@$(BIN)/python -m tests.cluster.harness up

.PHONY: cluster-down
cluster-down: setup ## Stop the cluster and leave nothing behind (root)
	@$(BIN)/python -m tests.cluster.harness down

.PHONY: bench
bench: setup ## Measure on the real cluster and print the table (root, Go)
	$(BIN)/python -m tests.cluster.harness build
	$(BIN)/python -m tests.benchmarks

.PHONY: pictures
pictures: setup ## Make the pictures of docs/pictures anew
	$(BIN)/python -m docs.pictures.make

.PHONY: lock
lock: setup ## Resolve the dependencies anew: newest versions, with hashes, for Python 3.11 to 3.13
	$(BIN)/uv pip compile $(LOCK_OPTIONS) pyproject.toml --output-file requirements.lock
	$(BIN)/uv pip compile $(LOCK_OPTIONS) pyproject.toml --group dev --constraint requirements.lock \
		--output-file requirements-dev.lock
LOCK_OPTIONS := --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
	--no-header --no-emit-index-url --no-emit-find-links

.PHONY: clean
clean: ## Remove what these targets made, but for evidence
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
