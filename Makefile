# `make` lists the targets. Everything else is set up by the targets that need it.
PYTHON ?= python3
RUN := PATH="$(CURDIR)/.venv/bin:$$PATH"
CRASH_ROUNDS ?= 500
DEEP_MINUTES ?= 80
SECONDS ?= 60

.DEFAULT_GOAL := help
.PHONY: help setup migrations demo demo-check first-use screenshots test test-deep fuzz test-finds-faults check lint format \
	docs crash conformance load capture-identity wheels release sbom licenses clean

help: ## Show the targets
	@awk -F ':.*## ' '/^[a-z%-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

setup: ## Install what is missing (uv, packages, Node, Chromium) and build the example
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo 'Python 3.11 or newer is needed; choose it with: make PYTHON=python3.11' >&2; exit 1; }
	@$(PYTHON) -m scripts.setup

demo: setup ## Start a server with the example published twice, and keep it running
	@$(RUN) python -m scripts.demo

demo-check: setup ## Run the demo unattended: check the differences, approve, publish again
	@$(RUN) python -m scripts.demo --check

first-use: setup ## Set up, connect, publish and review as the pages print it; KEEP=1 keeps it all
	@$(RUN) python -m scripts.first_use $(if $(KEEP),--keep)

screenshots: setup ## Images of every page in build/screenshots; DOCS=1 renews those of documents
	@$(RUN) python -m scripts.screenshots $(if $(DOCS),--documents)

test: setup ## All tests and all checks
	@$(RUN) python -m scripts.run_tests

check: setup ## Lint, and the tests of what changed since the last commit
	@$(RUN) python -m scripts.run_tests --changed

test-deep: setup ## Random search in full, browser matrices, rebuilds, generated clients
	@VISUAL_REVIEW_TEST_DEPTH=deep $(RUN) timeout --kill-after=60 $(DEEP_MINUTES)m \
		pytest -n 2 -m 'search or deep'

fuzz: setup ## Damaged images through both comparison engines for SECONDS (60); SEED= repeats
	@$(RUN) python -m tests.support.imagediff.fuzz --seconds=$(SECONDS) $(if $(SEED),--seed=$(SEED))

test-finds-faults: setup ## Plant faults one at a time; a test must fail for each
	@$(RUN) python -m scripts.planted_faults

lint: setup ## Format, lint, types and import rules
	@$(RUN) python -m scripts.lint

format: setup ## Format, and fix what ruff can fix
	$(RUN) ruff format .
	$(RUN) ruff check --fix .

migrations: setup ## Write the migrations of changed models; needs no database
	@$(RUN) DJANGO_SETTINGS_MODULE=visual_review.config.settings \
		python -W ignore -m django makemigrations

docs: setup ## Generate the reference pages, and build the site that the service has at /docs
	$(RUN) python -m scripts.generate_docs
	$(RUN) python -m scripts.documentation_site

crash: setup ## kill -9 at random moments, CRASH_ROUNDS times (500)
	$(RUN) VISUAL_REVIEW_TEST_DEPTH=deep pytest tests/journeys/crash -q --crash-rounds=$(CRASH_ROUNDS)

conformance: setup ## The official MCP conformance suite, for all protocol versions
	@$(RUN) python -m scripts.conformance

load: setup ## Attack a running service next to honest clients; CHECK=1 fails if one was hurt
	@$(RUN) python -m benchmarks.availability

bench-%: setup ## A benchmark of benchmarks/, for example bench-diff; CHECK=1 fails on a missed bar
	@test -f benchmarks/bench_$*.py || { echo 'There is no benchmarks/bench_$*.py' >&2; exit 2; }
	$(RUN) python -m benchmarks.bench_$*

capture-identity: setup ## Every Storybook captured five times; CHECK=1 fails if an image differs
	@$(RUN) python -m benchmarks.capture_identity

wheels: setup ## Wheels for all platforms and the source distribution, into dist (needs rustup)
	@$(RUN) python -m scripts.build_wheels

release: setup ## A whole release in dist, each file tried; PLATFORMS= builds some of the wheels
	@$(RUN) python -m scripts.release $(PLATFORMS)

sbom: setup ## The components of server and client in the CycloneDX format, in build
	@$(RUN) python -m scripts.licenses --sbom

licenses: setup ## The licenses of all packages that users install
	@$(RUN) python -m scripts.licenses

clean: ## Remove build results and caches; keep .venv and the example's packages
	rm -rf dist build native/target .demo .bench
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	rm -rf examples/storybook/.states examples/storybook/storybook-static*
	find . -name __pycache__ -type d -not -path './.venv/*' -not -path '*/node_modules/*' \
		-prune -exec rm -rf {} +
