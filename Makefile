# Every target works from a fresh clone: the first thing each of them does is `setup`.
# Needs Python 3.11 or newer with pip and venv, git and make; the cluster targets also need Go and root.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

# The oldest supported Python found, so that nothing newer slips in unseen; override with PYTHON=...
PYTHON ?= $(firstword $(foreach p,python3.11 python3.12 python3.13 python3,$(shell command -v $(p) 2>/dev/null)))
BIN := .venv/bin
LOCKS := requirements.lock requirements-dev.lock
# Named after the content of the lock files: the environment is made anew only when they change.
READY := .venv/ready-$(firstword $(shell cat $(LOCKS) 2>/dev/null | sha256sum))
REPORTS ?= build/reports
WORKERS ?= 2

.PHONY: help setup test lint format bench pictures lock clean cluster-build cluster-up cluster-down cluster-status cluster-test

help: ## Say what each target does
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)$$/  \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'

setup: $(READY) ## Make .venv from the lock files; .venv/bin/gate is the program

$(READY): | check-needs
	@echo "setup: making .venv with $(PYTHON) from $(LOCKS)"
	"$(PYTHON)" -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: \
		--requirement requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation --editable .
	@touch $@

.PHONY: check-needs
check-needs:
	@command -v git >/dev/null || { echo "setup: git is missing; install it (Debian: apt-get install git)" >&2; exit 1; }
	@[ -n "$(PYTHON)" ] || { echo "setup: Python 3.11 or newer is missing; install it (Debian: apt-get install python3 python3-venv python3-pip) or name one with PYTHON=/path/to/python" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "setup: $(PYTHON) is older than Python 3.11; install a newer one or name it with PYTHON=/path/to/python" >&2; exit 1; }
	@"$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null || { echo "setup: $(PYTHON) has no venv or pip; install them (Debian: apt-get install python3-venv python3-pip)" >&2; exit 1; }
