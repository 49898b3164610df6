# weft: `make run` on a bare machine measures it; `make test` is the whole gate.
.DEFAULT_GOAL := help
SHELL := /bin/bash
BIN := .venv/bin
STAMPS := .stamps
ENGINE := $(shell find engine -type f -not -path 'engine/tests/*') CMakeLists.txt pyproject.toml

.PHONY: help run build test lint format bench lock clean

help: ## List the targets
	@grep -E '^[a-z]+:.*## ' Makefile | sed 's/:.*## /\t/' | column -t -s "$$(printf '\t')"

run: build ## Install what is missing, then measure this machine
	$(BIN)/weft run

build: $(STAMPS)/installed ## Install system packages, environment and engine

$(STAMPS)/packages-%: scripts/install-system-packages
	@mkdir -p $(STAMPS)
	scripts/install-system-packages $*
	@touch $@

$(STAMPS)/environment: requirements.lock scripts/make-environment | $(STAMPS)/packages-run
	scripts/make-environment
	@touch $@

$(STAMPS)/installed: $(ENGINE) $(STAMPS)/environment
	$(BIN)/pip install --quiet --no-build-isolation --no-deps --editable .
	@touch $@

test: build $(STAMPS)/packages-test ## Install what tests need, build, pass all of them
	scripts/run-tests

lint: build $(STAMPS)/packages-test ## Style, types and formats only
	scripts/run-lint

format: build $(STAMPS)/packages-test ## Rewrite all sources in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	find engine -name '*.[ch]pp' -print0 | xargs -0 clang-format -i

bench: build $(STAMPS)/packages-bench ## Measure weft beside its peers on this machine
	$(BIN)/python -m bench

lock: ## Renew requirements.lock from pyproject.toml
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --upgrade --quiet \
	  --custom-compile-command "make lock" -o requirements.lock

clean: ## Remove everything that was built
	rm -rf build $(STAMPS) .venv
