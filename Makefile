# weft: `make run` on a bare machine measures it; `make test` is the whole gate.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/bash
SPACE := $(subst ,, )
BIN := .venv/bin
STAMPS := .stamps
# These two live in the environment that they tell of: who removes .venv has it made again.
ENVIRONMENT := .venv/.environment
INSTALLED := .venv/.installed
# Python packages are fetched and unpacked while the engine is compiled.
MAKEFLAGS += -j2
# Where the engine is compiled, once: the gate adds the tests there, and pip installs from there.
ENGINE_BUILD := build/release
PROGRAMS := $(ENGINE_BUILD)/.programs
# How far a build is: steps done of all, and seconds.
export NINJA_STATUS := [%f of %t, %e s]$(SPACE)
# What `make try` builds and runs.
TEST := ping_pong
TRANSPORT := tcp
# How many hosts `make lab` has, and the command that it runs there; none: a shell.
HOSTS := 4
CMD :=
# As it was typed: a $ in it is the shell's.
export LAB_CMD = $(value CMD)
# With the folders, whose times tell when a file came or went.
ENGINE := $(shell find engine -path engine/tests -prune -o -print) CMakeLists.txt pyproject.toml
# An editable installation keeps a list of modules: one that became a package is not found.
PACKAGES := $(shell find src/weft -name __init__.py)
# What the engine was configured with: programs follow a library that came or went since.
LIBRARIES := $(ENGINE_BUILD)/libraries

.PHONY: help run build install try test lint format bench truth docs docs-figures docs-images mutants lab vm lock clean FORCE

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

# Not editable, with its own Python environment and nothing of this checkout's in it.
install: $(INSTALLED) ## Install weft for all users of a cluster, with a module file (PREFIX=/shared/weft)
	scripts/install-prefix "$(PREFIX)"

run: build ## Install what is missing, then measure this machine (ARGS="...": for weft run)
	$(BIN)/weft run $(ARGS)

build: $(INSTALLED) ## Install system packages, environment and engine

$(STAMPS)/packages-%: scripts/install-system-packages
	@mkdir -p $(STAMPS)
	scripts/install-system-packages $*
	@touch $@

# Two at once would wait for each other's lock.
$(STAMPS)/packages-test $(STAMPS)/packages-bench: | $(STAMPS)/packages-run

$(ENVIRONMENT): requirements.lock scripts/make-environment | $(STAMPS)/packages-run
	@echo "installing Python packages into .venv, once"
	@scripts/make-environment
	@touch $@

# Asked each time, which takes milliseconds.
$(LIBRARIES): FORCE | $(STAMPS)/packages-run
	@test ! -e $@ || scripts/list-libraries --same $@ || touch $@

$(PROGRAMS): $(ENGINE) $(LIBRARIES)
	@echo "building the engine, once; a line says how far it is"
	@cmake --preset release --log-level=WARNING $(CMAKE_ARGS) >/dev/null
	@build=(cmake --build --preset release --target programs); set -o pipefail; \
	  if [ -t 1 ]; then "$${build[@]}"; else "$${build[@]}" | scripts/every-tenth; fi
	@ninja -C $(ENGINE_BUILD) -t cleandead >/dev/null
	@touch $@

# Editable: a change in src/ needs no new install, a package and a program do.
$(INSTALLED): $(PROGRAMS) $(PACKAGES) $(ENVIRONMENT)
	@$(BIN)/pip install --quiet --no-build-isolation --no-deps \
	  --config-settings=build-dir=$(ENGINE_BUILD) --editable .
	@touch $@

# A build of its own with one benchmark on the engine's libraries, and only as much of a run as
# shows its figures.
try: $(ENVIRONMENT) ## Build one benchmark over one transport and run it (TEST=stream TRANSPORT=tcp)
	@test -e $(ENGINE_BUILD)/build.ninja || cmake --preset release --log-level=WARNING >/dev/null
	@cmake --build --preset release --target engine
	@cmake --preset try -DWEFT_ONLY=$(TEST) --log-level=WARNING >/dev/null
	@cmake --build --preset try --target rank-$(firstword $(subst :, ,$(TRANSPORT)))
	@test -x $(BIN)/weft || $(MAKE) --no-print-directory build
	@rm -f build/try/try.jsonl*
	WEFT_ENGINE_DIR=build/try/libexec/weft $(BIN)/weft run $(TEST) \
	  --transport $(TRANSPORT) --sizes 8,4KiB,1MiB --budget 6s --launches 2 --precision 100% \
	  --no-report -o build/try/try.jsonl $(ARGS)

# The build is one of the steps, after the checks that need none and fail sooner.
test: $(ENVIRONMENT) $(STAMPS)/packages-test ## Install what tests need, build, run them (PART=quick, all, nightly)
	$(BIN)/python scripts/gate $(PART)

lint: $(ENVIRONMENT) $(STAMPS)/packages-test ## Style, types and formats only
	scripts/run-lint

format: $(ENVIRONMENT) $(STAMPS)/packages-test ## Rewrite all sources in the project's format
	$(BIN)/ruff check --fix --exit-zero .
	$(BIN)/ruff format .
	@clang-format --version | grep -q 'version 14\.' || \
	  { echo "make format: C++ is formatted by clang-format 14 only; use Debian 12's"; exit 1; }
	find engine -name '*.[ch]pp' -print0 | xargs -0 clang-format -i

bench: build $(STAMPS)/packages-bench ## Measure weft beside its peers on this machine
	$(BIN)/python -m bench $(ARGS)

truth: build $(STAMPS)/packages-test ## Known simulated platforms through run, fit and comparison: errors and coverage
	$(BIN)/python -m bench.truth $(ARGS)

# Fails on a dead link; its gallery is made by weft itself.
docs: build ## Write the documentation as a site, build/site/readme.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "build/site/readme.html"

# What a page shows a command print is what it prints today. A run that was ended goes on.
docs-figures: build ## Run the commands of pages with output again, and write the pages (ARGS="--only WORD")
	$(BIN)/python -m bench.docs_figures $(ARGS)
	$(BIN)/python scripts/record_session.py
	$(BIN)/python scripts/run_notebook.py docs/notebooks/first-look.ipynb

docs-images: build $(STAMPS)/packages-test ## Take the pictures of the documentation anew, of pages of the stored records
	$(BIN)/python -m bench.docs_images

# What changes Python is in no other environment.
mutants: build $(STAMPS)/packages-test ## Draw small changes and count those that tests notice (ARGS="--minutes 10")
	$(BIN)/pip install --quiet --require-hashes -r requirements-mutants.lock
	nice -n 15 $(BIN)/python scripts/mutants.py $(ARGS)

lab: build $(STAMPS)/packages-test ## A cluster of 4 hosts with Slurm: a shell, or CMD='weft run ...'
	@PYTHONPATH=tests $(BIN)/python -m lab.cluster --hosts $(HOSTS) "$$LAB_CMD"

vm: build $(STAMPS)/packages-test ## A shell in the lab's machine, which has two RDMA devices
	tests/lab/vm --shell

# The second contains what weft runs with, the third what makes mutants, in the versions of the
# first.
LOCK := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --no-emit-find-links --no-annotate --quiet --custom-compile-command "make lock"
lock: $(ENVIRONMENT) ## Renew requirements.lock and requirements-run.lock from pyproject.toml
	$(BIN)/pip install --quiet uv
	$(BIN)/$(LOCK) --group dev --upgrade -o requirements.lock
	$(BIN)/$(LOCK) --constraints requirements.lock -o requirements-run.lock
	$(BIN)/$(subst pyproject.toml,--group mutants,$(LOCK)) --constraints requirements.lock \
	  -o requirements-mutants.lock

clean: ## Remove everything that was built
	rm -rf build $(STAMPS) .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
