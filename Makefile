# make help lists what there is. Set-up work is done once: stamps in .venv depend on the lock and on pyproject.toml.
.DEFAULT_GOAL := help
.PHONY: help demo test test-unit lint types imports format bench studies docs picture lock clean system

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --no-input install --quiet
RESOLVE := uv pip compile --universal --generate-hashes --no-emit-index-url --no-header --quiet --python-version 3.11

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.runtime ## Set up, co-cluster two data sets, and say where the reports are
	@mkdir -p demo
	@$(BIN)/python examples/wine.py demo/wine.csv
	@echo && $(BIN)/disnplbm fit demo/wine.csv --row-classes class --transform standardize --output demo/wine-run --force
	@test -e demo/paper/x.npy || $(BIN)/disnplbm generate --rows 20000 --columns 90 --output demo/paper
	@echo && $(BIN)/disnplbm fit demo/paper/x.npy --alpha 5 --beta 2 --row-classes demo/paper/rows.csv \
	    --column-classes demo/paper/columns.csv --output demo/paper-run --force

test: lint types imports system ## Set up and run everything a change must pass
	$(BIN)/python -m pytest

test-unit: $(VENV)/.dev ## The fast tests: no browser, no long chains
	$(BIN)/python -m pytest tests/unit

lint: $(VENV)/.dev ## Style of the code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev ## Static types
	$(BIN)/mypy

imports: $(VENV)/.dev ## Which package may import which
	$(BIN)/lint-imports

format: $(VENV)/.dev ## Rewrite the code in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev ## Measure this machine and write docs/benchmarks.md
	$(BIN)/python -m benchmarks

studies: $(VENV)/.dev ## Repeat the experiments behind docs/results.md (needs ../shared/data)
	$(BIN)/python -m benchmarks.studies

docs: $(VENV)/.dev ## Write docs/cli.md from the commands' help, and what the tutorials' commands print
	$(BIN)/python docs/build_cli.py
	$(BIN)/python docs/run_tutorials.py

picture: $(VENV)/.dev system ## Take the README's picture from the demo's report
	$(BIN)/python docs/images/take.py demo/paper-run/report.html docs/images/report.png

lock: ## Resolve pyproject.toml anew: requirements.lock, and its runtime part (needs uv)
	$(RESOLVE) --extra bio --extra bench --extra dev pyproject.toml requirements-build.in -o requirements.lock
	$(RESOLVE) --constraint requirements.lock pyproject.toml requirements-build.in -o requirements-run.lock

clean: ## Remove what was set up and what was made
	rm -rf $(VENV) demo .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "disnplbm needs Python 3.11 or newer: set PYTHON=...")'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.runtime: $(VENV)/.python requirements-run.lock pyproject.toml
	@echo "setting up in $(VENV), once"
	@$(PIP) --require-hashes --requirement requirements-run.lock
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements.lock
	@$(PIP) --require-hashes --requirement requirements.lock
	@touch $@

# Browser tests drive Debian's chromium.
system:
	@command -v chromium > /dev/null || { \
	    if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
	        apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-dejavu-core > /dev/null; \
	    else echo "the tests need chromium: install it (Debian: sudo apt-get install chromium)" >&2; exit 1; fi; }
