# Everything a fresh machine needs; each target sets up what it uses.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

# What `make bench` measures, quick ones first; `make bench BENCH=replay` measures one.
BENCH ?= defaults start_up check_many python_lookup cpp_lookup go_lookup java_lookup rust_lookup schedule_costs agent ladder_solvers threshold_solvers green_sla grid_search load_intervals tail_tables power_model frequency_pairs replay \
	ingest published_trends closed_forms coverage coverage_diff planted_errors green_parallel replan_times \
	queue_aware queue_polish optional_rules queue_hints queue_energy queue_lanes queue_frequency queue_joint robust overload_rules joint_ladder joint_cores joint_lanes

.PHONY: setup compilers browser slurm demo demo-servers demo-agent demo-llm checks checks-rust test bench fuzz campaign release docs clean clean-cache

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml runtimes/python/pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable '.[dev,docs]' --editable ./runtimes/python
	touch $@

# The tests of the runtimes need the tools of their languages: what is called beside its package.
TOOLS := g++:g++ cmake:cmake go:golang-go cargo:cargo javac:default-jdk-headless mvn:maven
# Headers are no tool: whether they are there only a compiler can tell.
HAS_OPENSSL := echo '\#include <openssl/evp.h>' | g++ -E -x c++ - > /dev/null 2>&1

compilers:
	@missing=; for tool in $(TOOLS); do \
		command -v $${tool%%:*} > /dev/null || missing="$$missing $${tool##*:}"; \
	done; \
	$(HAS_OPENSSL) || missing="$$missing libssl-dev"; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		apt-get update -qq && apt-get install -y -qq $$missing; \
	else \
		echo "make: the tests of the runtimes need the packages$$missing; install them and try again" >&2; \
		exit 1; \
	fi

# Exported commands are run by a Slurm of this machine; without one its tests are skipped, and say so.
slurm:
	@if ! command -v slurmctld > /dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends \
			slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge \
			|| echo "make: no Slurm, so that exported commands are tested as text alone" >&2; \
	fi

# The tests of reports look at them in a browser; without one they are skipped, and say so.
browser:
	@if ! command -v chromium > /dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core \
			|| echo "make: no chromium, so that reports are not looked at" >&2; \
	fi

demo: setup
	$(BIN)/tailc compile --force examples/search/auto.yaml -o build/search
	$(BIN)/tailc verify build/search.tailc --trace examples/search/heldout.parquet
	$(BIN)/tailc lookup build/search.tailc --in-system 2 --age 20ms

# Both measure, so nothing else should run; what they find goes to build/.
demo-servers: setup
	mkdir -p build/finance
	$(BIN)/python examples/finance/experiment.py --out build/finance/measured.json
	$(BIN)/python examples/lucene-server/run.py

# AutoPro on two cores of this machine, as root.
demo-agent: setup compilers
	cd runtimes/agent && CARGO_TARGET_DIR=$(CURDIR)/build/rust cargo build --quiet --release
	$(BIN)/python examples/autopro/agent.py --agent build/rust/release/tailc-agent

# Format and lints of the Rust programs.
checks-rust: compilers
	for program in agent audit; do \
		(cd runtimes/$$program && cargo fmt --check && CARGO_TARGET_DIR=$(CURDIR)/build/rust \
			cargo clippy --quiet --all-targets -- -D warnings) || exit 1; \
	done

# vLLM has no release for later versions of Python; its packages are 2.9 GB.
PYTHON312 ?= python3.12
VLLM := build/vllm
# The trace that the demonstration replays; that of the example is a model.
TRACE ?= $(if $(TAILC_DATA),$(TAILC_DATA)/azure-llm-2023/conv_compile.parquet,examples/llm-batching/design.csv)

$(VLLM)/.ready: examples/llm-server/requirements.txt examples/llm-server/overrides.txt
	@$(PYTHON312) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 12))' || { \
		echo "make: vLLM needs Python 3.12: install it, or name it as PYTHON312=..." >&2; exit 1; }
	$(PYTHON312) -m venv $(VLLM)
	$(VLLM)/bin/pip install --quiet uv
	VIRTUAL_ENV=$(VLLM) $(VLLM)/bin/uv pip install --quiet --override examples/llm-server/overrides.txt \
		--requirement examples/llm-server/requirements.txt ./runtimes/python
	touch $@

demo-llm: setup $(VLLM)/.ready
	$(VLLM)/bin/python examples/llm-server/demo.py --tailc-python $(BIN)/python --trace $(TRACE)

checks: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/pyright

# Three workers for two cores: tests also wait, for servers, for solvers and for one another's kernels.
WORKERS := $(shell echo $$(( ($$(getconf _NPROCESSORS_ONLN) * 3 + 1) / 2 )))
# Commands of tests start from compiled modules, whatever the environment says.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n $(WORKERS) --dist worksteal

test: setup compilers browser slurm
	$(PYTEST) -m 'not fuzz'

fuzz: setup
	$(PYTEST) -m fuzz

# Long searches for faults; docs/reliability.md has their results.
CAMPAIGN := tests/runtimes tests/tailc/artifact tests/tailc/cli tests/tailc/specs tests/tailc/studies \
	tests/tailc/test_damaged_kernels.py \
	tests/tailc/pipeline/test_lying_solvers.py tests/tailc_solvers
campaign: setup compilers
	$(PYTEST) -m fuzz $(CAMPAIGN)

bench: setup
	for script in machine $(BENCH); do $(BIN)/python -m bench.$$script || exit 1; done

# All packages with their records, signed with KEY=FILE; `python -m release FOLDER PACKAGE...` builds some of them.
release: setup compilers
	$(BIN)/python -m release dist $(if $(KEY),--key $(KEY))

docs: setup
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build

clean:
	rm -rf build dist docs/_build $(VENV)

clean-cache:
	find tailc solvers -name '*.nb[ci]' -delete
