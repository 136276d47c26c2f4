# `make demo` and `make test` each set everything up first; the second time they start at once.
PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.ready

.PHONY: demo test lint bench clean

demo: $(READY)
	rm -rf farlink-demo
	$(VENV)/bin/farlink demo

test: lint
	$(VENV)/bin/pytest

lint: $(READY)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

bench: $(READY)
	$(VENV)/bin/python -m benchmarks

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache

# The stamp is written last, so an interrupted set-up starts again.
$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "farlink needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $(READY)
