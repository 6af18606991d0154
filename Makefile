# Everything a newcomer needs; `make help` lists it.

PYTHON ?= python3
BIN := .venv/bin
SET_UP := .venv/set-up
PACKAGES := $(BIN)/python -m pip --disable-pip-version-check --quiet
BUILD_TOOLS := hatchling editables grpcio-tools mypy-protobuf
PUBLISHED := proto/arena.v1.binpb
PROTOCOL := proto/arena/v1/arena.proto
TYPESCRIPT := sample_bots/typescript
TYPESCRIPT_SET_UP := $(TYPESCRIPT)/node_modules/set-up

# Compiled imports are kept: without them every command starts several times slower.
export PYTHONDONTWRITEBYTECODE=

.DEFAULT_GOAL := help
.PHONY: help setup setup-typescript proto image demo check test format bench records kills launches soak clean switches

help: ## show this list
	@sed -n 's/^\([a-z]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | while IFS='	' read -r name text; do \
		printf '  make %-8s %s\n' "$$name" "$$text"; done

setup: $(SET_UP) setup-typescript ## create .venv with everything in it; does nothing when all is there

$(SET_UP): pyproject.toml constraints.txt hatch_build.py $(PROTOCOL)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; try: make setup PYTHON=python3.13" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PACKAGES) install -c constraints.txt $(BUILD_TOOLS)
	$(PACKAGES) install -c constraints.txt --no-build-isolation -e '.[dev]'
	@touch $@

ifneq ($(wildcard $(TYPESCRIPT)/package.json),)
ifneq ($(shell command -v npm),)
setup-typescript: $(TYPESCRIPT_SET_UP)
else
setup-typescript:
	@echo "skipped: the TypeScript bot needs npm, which isn't installed here"
endif
endif

$(TYPESCRIPT_SET_UP): $(wildcard $(TYPESCRIPT)/*.json $(TYPESCRIPT)/*.ts)
	cd $(TYPESCRIPT) && npm install --no-audit --no-fund --loglevel=error && npm run --silent build
	@touch $@

proto: setup ## generate the protocol's Python code again
	$(BIN)/python hatch_build.py

image: setup ## accept the protocol as published; from then on `check` defends it
	$(BIN)/buf build --exclude-source-info -o $(PUBLISHED)

demo: setup ## play a small league of the sample bots and print its ratings
	rm -rf demo
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/arena run sample_bots/demo.toml --folder demo
	$(BIN)/arena ratings demo

check: setup ## the one gate: format, lint, types, stairs, protocol, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/buf lint
	$(BIN)/buf breaking --against $(PUBLISHED)
	$(BIN)/pytest -n logical

test: setup ## run the tests alone
	$(BIN)/pytest -n logical

format: setup ## format the code and repair what ruff can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup ## measure speed
	$(BIN)/python -m tests.bench

records: setup ## replay real games and compare
	$(BIN)/python -m tests.records

switches: setup ## flip every rule switch and see that a test row notices
	$(BIN)/python -m tests.switches

KILLS ?= 100
kills: setup ## kill a hundred processes of leagues (KILLS=n) and see that nothing is lost
	$(BIN)/python -m tests.kills --kills $(KILLS)

LAUNCHES ?= 10000
launches: setup ## launch ten thousand bots (LAUNCHES=n) beside busy streams
	$(BIN)/python -m tests.launches --launches $(LAUNCHES)

MINUTES ?= 30
soak: setup ## play for half an hour (MINUTES=n) and watch memory, descriptors and speed
	$(BIN)/python -m tests.soak --minutes $(MINUTES)

clean: ## remove everything that can be made again
	rm -rf .venv arena/v1 demo build dist $(TYPESCRIPT)/node_modules $(TYPESCRIPT)/dist
	rm -rf .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
