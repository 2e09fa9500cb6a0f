# Everything runs in .venv, made here; PYTHON is only what makes it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TESTS_READY := $(VENV)/.tests-ready
BENCH_READY := $(VENV)/.bench-ready
DEMO := .demo

.PHONY: demo test check format bench eval clean

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[office]"
	touch $@

$(TESTS_READY): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[office,server,eval]" --group dev
	touch $@

$(BENCH_READY): $(TESTS_READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group bench
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

bench: $(BENCH_READY)
	$(BIN)/python -m benchmarks.bench

eval: $(BENCH_READY)
	$(BIN)/python -m benchmarks.quality

clean:
	rm -rf $(VENV) $(DEMO) .bench
