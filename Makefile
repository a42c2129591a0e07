# Needs Python 3.11 or newer, g++, make and perl; everything else comes into .venv.

PYTHON ?= python3
VENV ?= .venv
JOBS ?= 2
BIN := $(VENV)/bin
BENCH_JSON ?= build/bench.json
RATE_JSON ?= build/rate.json
COUPLED_JSON ?= build/coupled.json
PROGRAMS ?= 500
CONFIGURATIONS ?= 13
SEED ?= 0
RECORDS ?= build/campaign.jsonl
NESTS ?= 5000
NESTS_RTL ?= 300

.PHONY: help demo test bench campaign nests formal gates lint doctor clean

help:
	@echo "make demo    embed README.md on the generated RTL and check every bit"
	@echo "make test    run the tests (JOBS=$(JOBS) at a time)"
	@echo "make bench   measure utilization, into $(BENCH_JSON), $(RATE_JSON), $(COUPLED_JSON)"
	@echo "make campaign  $(PROGRAMS) random programs or more on each fixed and $(CONFIGURATIONS) random"
	@echo "               configurations, seed $(SEED), RTL against the model; goes on from $(RECORDS)"
	@echo "make nests   $(NESTS) random lookup nests, every form of each, $(NESTS_RTL) on RTL too"
	@echo "make formal  prove queues, rings, buffers and stream registers (docs/formal.md)"
	@echo "make gates   run programs on the netlist of the ULX3S, preset tiny (docs/boards.md)"
	@echo "make lint    ruff and basedpyright"
	@echo "make doctor  check tools and versions"
	@echo "make clean   remove $(VENV) and build/; simulators stay in the build cache"

demo: $(VENV)/.ready
	$(BIN)/ember run text README.md

test: $(VENV)/.ready-test
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

bench: $(VENV)/.ready
	@mkdir -p $(dir $(BENCH_JSON))
	$(BIN)/ember bench bag --preset paper --latency 200 --dims 16,32,64,128,256 \
	    --pooling 1,4,16,64 --modes sum --json $(BENCH_JSON)
	@mkdir -p $(dir $(RATE_JSON)) $(dir $(COUPLED_JSON))
	$(BIN)/ember bench rate --preset paper --json $(RATE_JSON)
	$(BIN)/ember bench coupled --preset paper --json $(COUPLED_JSON)

campaign: $(VENV)/.ready
	$(BIN)/python -m ember.sim.campaign_main --programs $(PROGRAMS) \
	    --configurations $(CONFIGURATIONS) --seed $(SEED) --records $(RECORDS)

nests: $(VENV)/.ready
	$(BIN)/python -m ember.sim.nests --nests $(NESTS) --rtl $(NESTS_RTL)

formal: $(VENV)/.ready-test
	$(BIN)/python -m formal.run

gates: $(VENV)/.ready-test
	$(BIN)/python -m pytest -v tests/boards/simulation/test_gates.py \
	    tests/boards/simulation/test_gate_level.py

lint: $(VENV)/.ready-test
	$(BIN)/ruff check .
	$(BIN)/basedpyright

doctor: $(VENV)/.ready
	$(BIN)/ember doctor

# pip is run again only when the list of packages changes.
$(VENV)/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	    "Python 3.11 or newer is needed, this is %s: make PYTHON=python3.11" % sys.version.split()[0])'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.ready-test: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@

clean:
	rm -rf $(VENV) build
