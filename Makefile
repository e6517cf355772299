# Two commands do everything on a fresh machine with Python 3.11+ and make:  make demo   make test
PYTHON   ?= python3
VENV     ?= .venv
BACKENDS ?= .venv-backends
SITE     ?= .venv-site
PYTEST_FLAGS ?= -n auto --dist worksteal

export EYECHART_REFDATA ?= ../shared/refdata
export EYECHART_ASSETS  ?= assets

.PHONY: demo test test-slow torture lock audit mutate docs site lint test-assets test-backends benchmarks clean help
.DEFAULT_GOAL := help

help:
	@echo "make demo           install and examine the embedded model on embedded pictures"
	@echo "make test           install what the tests need and run them (no torch)"
	@echo "make test-slow      long simulations of coverage, sweeps over the embedded models, the real image tower, the workbench in a browser"
	@echo "make torture        attack it for MINUTES=3: fuzzed inputs, kills, bit flips, faults of the disk (docs/reliability.md)"
	@echo "make mutate         break changed metrics and probes on purpose, and list what no test notices"
	@echo "make lint           ruff and mypy"
	@echo "make audit          known vulnerabilities of the pinned packages (pip-audit)"
	@echo "make docs           write the generated tables of docs/ again, after a probe, a metric or a dataset was added"
	@echo "make site           the guide as a site in build/site; a dead link or a missing page fails"
	@echo "make test-assets    fetch pinned, hash-checked packages that optional tests use"
	@echo "make test-backends  install torch, open_clip, transformers and timm (about 6 GB) and test them"
	@echo "make benchmarks     the timed comparisons of benchmarks/README.md (in the backend environment)"

$(VENV)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Eyechart needs Python 3.11 or newer; name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/core: $(VENV)/python pyproject.toml
	$(VENV)/bin/python -m pip install -q -e .
	@touch $@

# LOCK=requirements/ci.txt installs the pinned versions, with their hashes checked, as continuous integration does.
$(VENV)/dev: $(VENV)/python pyproject.toml $(LOCK)
ifdef LOCK
	$(VENV)/bin/python -m pip install -q --require-hashes -r $(LOCK)
	$(VENV)/bin/python -m pip install -q --no-deps -e .
	$(VENV)/bin/python -m pip check
else
	$(VENV)/bin/python -m pip install -q -e '.[dev]'
endif
	@touch $@ $(VENV)/core

# Named by what it holds and not by times, so that a kept environment serves a fresh clone too.
READY = $(BACKENDS)/ready-$(shell $(PYTHON) scripts/requirements_hash.py)

$(READY):
	$(PYTHON) -m venv --clear $(BACKENDS)
	$(BACKENDS)/bin/python -m pip install -q -r requirements/backends.txt
	@touch $@

demo: $(VENV)/core
	$(VENV)/bin/eyechart demo --out demo

# Tests run side by side, one a core: threads of their own would only wait for each other.
test: $(VENV)/dev
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(VENV)/bin/python -m pytest -m "not backend and not slow" $(PYTEST_FLAGS)

test-slow: $(VENV)/dev
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(VENV)/bin/python -m pytest -m "slow and not backend" $(PYTEST_FLAGS)

# The seed is fixed: the same inputs, kills and flips every time, as many as the minutes allow. TORTURE="--seed 2" tries others.
MINUTES ?= 3
torture: $(VENV)/dev
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 PYTHONPATH=src:. $(VENV)/bin/python -m torture --minutes $(MINUTES) $(TORTURE)

# After a change of the dependencies in pyproject.toml; needs uv.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --extra dev pyproject.toml -o requirements/ci.txt

# Known vulnerabilities of the pinned packages. Needs PyPI's own index: a mirror without its records fails, and is no all-clear.
AUDIT ?= .venv-audit
audit:
	$(PYTHON) -m venv --clear $(AUDIT)
	$(AUDIT)/bin/python -m pip install -q pip-audit
	$(AUDIT)/bin/pip-audit --strict --require-hashes --disable-pip -r requirements/ci.txt

docs: $(VENV)/core
	$(VENV)/bin/python scripts/write_index.py
	$(VENV)/bin/python scripts/write_metric_tables.py
	$(VENV)/bin/python scripts/write_limits_table.py
	$(VENV)/bin/python scripts/write_data_page.py

# The site has a light environment of its own; Sphinx needs the package only for its version.
$(SITE)/ready: pyproject.toml
	$(PYTHON) -m venv --clear $(SITE)
	$(SITE)/bin/python -m pip install -q 'sphinx>=8' 'myst-parser>=4' 'furo>=2024.8'
	@touch $@

site: $(SITE)/ready
	PYTHONPATH=src $(SITE)/bin/python -m sphinx -E -W --keep-going -q -b html -c site docs build/site

lint: $(VENV)/dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

# MUTATE="--all --sample 300" tries a random sample of all mutants.
mutate: $(VENV)/dev
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(VENV)/bin/python scripts/mutate.py $(MUTATE)

test-assets: $(VENV)/dev
	$(VENV)/bin/python scripts/test_assets.py

test-backends: $(READY)
	PYTHONPATH=src $(BACKENDS)/bin/python -m pytest tests/backends

benchmarks: $(READY)
	PYTHONPATH=src $(BACKENDS)/bin/python -m benchmarks

clean:
	rm -rf demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
