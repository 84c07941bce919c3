# make help lists what there is. Set-up work is done once: stamps in .venv depend on the lock and on pyproject.toml.
.DEFAULT_GOAL := help
.PHONY: help demo test test-unit test-all test-lowest lint types imports format kernels bench bench-cluster bench-master \
        bench-dashboard simulation drills studies docs generated site picture lock clean system up down logs compose-demo pages serve node .env k8s-secret

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
LOWEST := .venv-lowest
GETS   := -m pip --disable-pip-version-check --no-input install --quiet
PIP    := $(BIN)/python $(GETS)
COMPOSE ?= docker compose
# Half of a test's time is waiting for servers.
TESTERS ?= $(shell echo $$((2 * $$(getconf _NPROCESSORS_ONLN))))
# In the order of tests/order.py, and not the files with the most tests first: those are short.
SPREAD := -n $(TESTERS) --dist loadfile --no-loadscope-reorder
WEB     := dashboard/web
MODULES := $(WEB)/node_modules/.package-lock.json
PAGES   := dashboard/disnplbm_dashboard/pages/index.html
REPORT  := shared/disnplbm/report/pages/report.html
RESOLVE := uv pip compile --universal --generate-hashes --no-emit-index-url --no-header --quiet --python-version 3.11

help: ## Show this list
	@awk -F ':.*## ' '/^[.a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.runtime pages ## Set up, co-cluster two tables, and say where the reports are
	@mkdir -p demo
	@test -e demo/paper/x.npy || $(BIN)/disnplbm generate --rows 20000 --columns 90 --output demo/paper
	@echo && $(BIN)/disnplbm fit demo/paper/x.npy --alpha 5 --beta 2 --row-classes demo/paper/rows.csv \
	    --column-classes demo/paper/columns.csv --output demo/paper-run --force
	@$(BIN)/python examples/manual.py demo/manual.csv
	@echo && $(BIN)/disnplbm fit demo/manual.csv --layout long --absent zero --row-classes demo/manual-parts.csv \
	    --output demo/manual-run --force

test: lint types imports system pages kernels ## Set up and run everything a change must pass
	$(BIN)/python -m pytest $(SPREAD)

test-unit: $(VENV)/.dev pages ## The fast tests: no browser, no long chains
	$(BIN)/python -m pytest tests/unit

test-all: lint types imports system pages kernels ## The same, the faults that take minutes each, and new examples of property tests
	$(BIN)/python -m pytest $(SPREAD) -m '' --hypothesis-profile explore

# scikit-learn's own checks ask for the variable. docs/openapi.json is written with the locked version of pydantic, and
# memory is measured with the locked libraries.
test-lowest: $(LOWEST)/.done pages ## The fast tests, on the lowest versions that pyproject.toml allows
	NUMBA_CACHE_DIR=$(LOWEST)/kernels SCIPY_ARRAY_API=1 $(LOWEST)/bin/python -m pytest -n auto tests/unit \
	    --deselect 'tests/unit/test_docs.py::test_what_is_written_from_the_code_is_what_the_code_says[openapi]' \
	    --deselect tests/unit/data/test_sparse_datasets.py::test_ten_thousand_cells_take_the_memory_of_their_counts

lint: $(VENV)/.dev ## Style of the code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev $(MODULES) ## Static types, and the unit tests of the pages
	$(BIN)/mypy
	npm --prefix $(WEB) run --silent check

imports: $(VENV)/.dev ## Which package may import which
	$(BIN)/lint-imports

format: $(VENV)/.dev ## Rewrite the code in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

kernels: $(VENV)/.dev ## Compile the kernels once, and not in each process of the tests at the same time
	$(BIN)/python -m disnplbm.engine.warmup

pages: $(PAGES) $(REPORT) ## Build the pages of the dashboard and of reports into their packages

serve: $(VENV)/.dashboard $(PAGES) ## Start the dashboard, with all it needs, at http://127.0.0.1:8000
	$(BIN)/disnplbm serve

up: .env ## Build the image and start a cluster on this machine, with docker compose
	$(COMPOSE) up --detach --build --wait

down: ## Stop it; its data stay in named volumes
	$(COMPOSE) down

logs: ## Follow what its master and workers say
	$(COMPOSE) logs --follow master worker

compose-demo: up ## Submit the synthetic matrix and a sparse table of counts to it, and watch
	$(COMPOSE) run --rm --no-deps client sh -c 'disnplbm generate --output /tmp/demo && disnplbm submit /tmp/demo/x.npy \
	    --alpha 5 --beta 2 --row-classes /tmp/demo/rows.csv --column-classes /tmp/demo/columns.csv --shards 4 --watch'
	$(COMPOSE) run --rm --no-deps client sh -c 'disnplbm generate --cells counts --columns 1000 --row-clusters 8 --column-clusters 6 \
	    --mean 0.3 --output /tmp/counts && disnplbm submit /tmp/counts/x.npz --restarts 5 \
	    --row-classes /tmp/counts/rows.csv --column-classes /tmp/counts/columns.csv --shards 4 --watch'

.env: ## Random passwords for docker compose; those that are there stay
	@umask 077 && touch $@ && for name in POSTGRES_PASSWORD RABBITMQ_PASSWORD REDIS_PASSWORD S3_PASSWORD MESSAGE_KEY ADMIN_TOKEN READ_TOKEN; do \
	    grep -q "^$$name=" $@ || echo "$$name=$$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')" >> $@; done

k8s-secret: k8s/overlays/local/secret.env ## Random passwords for the overlay k8s/overlays/local

k8s/overlays/local/secret.env: ## The same; one that is there stays
	@umask 077 && $(PYTHON) k8s/overlays/local/secret.py > $@.new && mv -n $@.new $@ && rm -f $@.new

bench: $(VENV)/.dev ## Measure this machine and write docs/benchmarks.md
	$(BIN)/python -m benchmarks

bench-cluster: $(VENV)/.dev system ## Measure a cluster on real servers and write docs/cluster-benchmarks.md
	$(BIN)/python -m benchmarks.cluster

bench-master: $(VENV)/.dev system ## Measure what an iteration costs the master, on real servers
	$(BIN)/python -m benchmarks.master

bench-dashboard: $(VENV)/.dev system pages ## Measure the dashboard on a real server and write docs/dashboard-benchmarks.md
	$(BIN)/python -m benchmarks.dashboard

simulation: $(VENV)/.dev system ## Measure a cluster's steps, simulate it with up to 1,000 workers: docs/scale.md, docs/sizing.md
	$(BIN)/python -m benchmarks.simulation

drills: $(VENV)/.dev system ## Play autoscaling, a rolling upgrade and a restore on real servers and write docs/drills.md (needs aws)
	$(BIN)/python -m benchmarks.drills

studies: $(VENV)/.dev ## Repeat the experiments behind docs/results.md (needs ../shared/data)
	$(BIN)/python -m benchmarks.studies

docs: generated site ## Bring the docs up to date with the code, and build their site into site/

generated: $(VENV)/.dev pages ## Write docs/cli.md, docs/settings.md, docs/openapi.json, docs/http-api.md, the pages' bounds, and what the commands, requests and notebooks in the docs print
	$(BIN)/python docs/build_cli.py
	$(BIN)/python docs/build_settings.py
	$(BIN)/python docs/build_openapi.py
	$(BIN)/python docs/build_options.py
	$(BIN)/python docs/build_http_api.py
	$(BIN)/python docs/run_tutorials.py
	$(BIN)/python docs/run_notebooks.py
	$(BIN)/python docs/run_api_examples.py

site: $(VENV)/.docs ## Build the site of the docs into site/: open site/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

picture: $(VENV)/.dev system pages ## Take the docs' pictures of the demo's report, and of the dashboard
	$(BIN)/python docs/images/take.py demo/manual-run/report.html docs/images/report.png
	$(BIN)/python examples/wine.py demo/wine.csv
	$(BIN)/python docs/images/take_dashboard.py demo

lock: ## Resolve pyproject.toml anew: requirements.lock, and its runtime part (needs uv)
	$(RESOLVE) --extra bio --extra bench --extra cluster --extra dashboard --extra dev pyproject.toml requirements-build.in -o requirements.lock
	$(RESOLVE) --constraint requirements.lock pyproject.toml requirements-build.in -o requirements-run.lock
	$(RESOLVE) --constraint requirements.lock --extra cluster --extra dashboard pyproject.toml requirements-build.in -o requirements-cluster.lock
	$(RESOLVE) --constraint requirements.lock --extra docs pyproject.toml -o requirements-docs.lock
	$(RESOLVE) --resolution lowest-direct --extra arviz --extra bio --extra bench --extra cluster --extra dashboard --extra dev \
	    pyproject.toml requirements-build.in -o requirements-lowest.lock
	$(RESOLVE) requirements-pages.in -o requirements-pages.lock

clean: ## Remove what was set up and what was made
	rm -rf $(VENV) $(LOWEST) demo .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache \
	    site $(WEB)/node_modules $(dir $(PAGES)) $(dir $(REPORT))

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "disnplbm needs Python 3.11 or newer: set PYTHON=...")'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(LOWEST)/.done: requirements-lowest.lock pyproject.toml
	@$(PYTHON) -m venv $(LOWEST)
	@$(LOWEST)/bin/python $(GETS) --no-deps --require-hashes --requirement requirements-lowest.lock
	@$(LOWEST)/bin/python $(GETS) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.runtime: $(VENV)/.python requirements-run.lock pyproject.toml
	@echo "setting up in $(VENV), once: this takes a few minutes"
	@$(PIP) --require-hashes --requirement requirements-run.lock
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements.lock
	@$(PIP) --require-hashes --requirement requirements.lock
	@touch $@

$(VENV)/.dashboard: $(VENV)/.runtime requirements-cluster.lock
	@$(PIP) --require-hashes --requirement requirements-cluster.lock
	@touch $@

$(VENV)/.docs: $(VENV)/.runtime requirements-docs.lock
	@$(PIP) --require-hashes --requirement requirements-docs.lock
	@touch $@

$(MODULES): $(WEB)/package.json $(WEB)/package-lock.json | node
	@npm --prefix $(WEB) ci --silent
	@touch $@

# One command makes both.
$(PAGES) $(REPORT) &: $(MODULES) $(wildcard $(WEB)/*.html $(WEB)/*.ts) $(shell find $(WEB)/src -type f ! -name schema.d.ts)
	@npm --prefix $(WEB) run --silent build -- --logLevel warn
	@touch $(PAGES) $(REPORT)

# Installs what is missing where it may, and says else what to do.
define INSTALL
[ -z "$$missing" ] || { \
    if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
        apt-get update -qq && RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$missing > /dev/null; \
    else echo "this needs $$missing: install them (Debian: sudo apt-get install $$missing)" >&2; exit 1; fi; }
endef

node:
	@missing=""; command -v npm > /dev/null || missing="nodejs npm"; \
	$(INSTALL)

# Browser tests drive Debian's chromium; those of the cluster start real servers; promtool, which comes with prometheus,
# tries the alert rules. RUNLEVEL=1 keeps Debian from starting servers of its own, which the tests do not use.
system: node
	@missing=""; \
	command -v chromium > /dev/null || missing="chromium fonts-dejavu-core"; \
	ls /usr/lib/rabbitmq/lib/*/sbin/rabbitmq-server > /dev/null 2>&1 || command -v rabbitmq-server > /dev/null || missing="$$missing rabbitmq-server"; \
	command -v redis-server > /dev/null || missing="$$missing redis-server"; \
	command -v nginx > /dev/null || missing="$$missing nginx"; \
	command -v curl > /dev/null || missing="$$missing curl"; \
	command -v jq > /dev/null || missing="$$missing jq"; \
	command -v promtool > /dev/null || missing="$$missing prometheus"; \
	ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || command -v initdb > /dev/null || missing="$$missing postgresql"; \
	$(INSTALL)
