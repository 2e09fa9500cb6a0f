# Everything runs in .venv, made here; PYTHON is only what makes it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TESTS_READY := $(VENV)/.tests-ready
BENCH_READY := $(VENV)/.bench-ready
CONFORMANCE_READY := $(VENV)/.conformance-ready
DEMO := .demo

.PHONY: demo test check format bench eval keycloak conformance load clean

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[office]"
	touch $@

$(TESTS_READY): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[office,server,eval,vectors]" --group dev
	touch $@

$(BENCH_READY): $(TESTS_READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group bench
	touch $@

$(CONFORMANCE_READY): $(TESTS_READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group conformance
	touch $@

demo: $(READY)
	@BIN=$(BIN) sh examples/demo.sh $(DEMO)

test: $(TESTS_READY)
	$(BIN)/python -m pytest -n auto

check: $(TESTS_READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(TESTS_READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The whole flow with a real provider; needs a JDK 17 and Maven.
keycloak: $(TESTS_READY)
	sh tests/keycloak/run.sh $(BIN)/python

# The published suite of the protocol and the inspector, against a server on loopback.
conformance: $(CONFORMANCE_READY)
	$(BIN)/python -m tests.conformance

load: $(TESTS_READY)
	$(BIN)/python -m benchmarks.load

bench: $(BENCH_READY)
	$(BIN)/python -m benchmarks.bench

eval: $(BENCH_READY)
	$(BIN)/python -m benchmarks.quality

clean:
	rm -rf $(VENV) $(DEMO) .bench
