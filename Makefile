# These do all the set-up on a machine with Python 3.11+ and make: `make demo`, `make test`, `make docs`.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip -qq --disable-pip-version-check --no-input

.PHONY: demo test kernels wheel coverage lint format docs blocks gallery film bench soak clean

# The examples share a few general kernels. They are compiled while the other packages are installed.
AHEAD = [ -e $(VENV)/installed-$(1) ] || $(BIN)/python -m sharnir.cli.compile_ahead $(2)

demo: $(VENV)/installed
	@$(call AHEAD,view,--examples) & $(MAKE) --no-print-directory $(VENV)/installed-view && wait
	SHARNIR_KERNELS=general $(BIN)/sharnir demo --out out

# A file of tests stays with one process; in the order of their names the long files of few tests do not come last, where
# one process would wait for the other.
test: $(VENV)/installed
	@$(call AHEAD,dev,--tests) & $(MAKE) --no-print-directory $(VENV)/installed-dev node_modules/axe-core && wait
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder --ignore tests/browser
	$(BIN)/python -m pytest tests/browser

# Every example in the kernels that users get, beside the general ones that the tests share: a kernel per example.
kernels: $(VENV)/installed-dev
	SHARNIR_COMPARE=1 $(BIN)/python -m pytest tests/determinism/test_example_kernels.py

# The share of the host code that the tests run; device code is left out, Warp compiles it. Fails below 90 %.
coverage: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n 2 --cov --cov-report= --ignore tests/browser
	$(BIN)/python -m pytest --cov --cov-append --cov-report=term tests/browser

# The accessibility audit; without npm its tests say that they are skipped.
node_modules/axe-core: package.json
	@npm install --silent --no-audit --no-fund --no-package-lock || echo "npm is missing: the accessibility audit is skipped"

# The general kernels travel in the wheel, so that an installation moves any scene without a compiler. They are named
# after their source: what is there from before is compiled again only if it changed.
wheel: $(VENV)/installed
	$(BIN)/python -m sharnir.cli.compile_ahead
	@$(PIP) wheel --no-deps --wheel-dir dist .
	@ls -l dist/*.whl

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/installed-docs
	$(BIN)/python -m sphinx --builder html --doctree-dir out/doctrees --fail-on-warning --keep-going --quiet docs out/docs
	@echo "The documentation is in out/docs/index.html"

# What is said of function blocks and quantities, from their declarations: docs/api/blocks.md with the stub that editors
# read, and docs/api/quantities.md.
blocks: $(VENV)/installed-dev
	$(BIN)/python docs/_site/blocks.py
	$(BIN)/python docs/_site/quantities.py
	$(BIN)/ruff format src/sharnir/control/block_methods.pyi

gallery: $(VENV)/installed-dev
	$(BIN)/python docs/_site/take_pictures.py
	$(BIN)/python docs/_site/take_console.py

# KRT-100's front axle, built in the constructor by mouse and keyboard: a picture after every gesture of its test.
film: $(VENV)/installed-dev
	SHARNIR_FILM=docs/pictures/constructor.webp $(BIN)/python -m pytest tests/browser/test_front_axle.py

bench: $(VENV)/installed-bench
	$(BIN)/python -m benchmarks --out out/bench.json
	$(BIN)/python -m benchmarks.console

soak: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks.console --minutes 60

clean:
	rm -rf $(VENV) out docs/gallery build dist src/sharnir/kernels .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*

# A stamp says that an installation is done and newer than pyproject.toml, so the next call starts at once.
$(VENV)/installed: pyproject.toml
	@echo "Setting up $(VENV) (once, about a minute) ..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Sharnir needs Python 3.11 or newer; set PYTHON=...")'
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --editable .
	@touch $@

$(VENV)/installed-%: pyproject.toml $(VENV)/installed
	@echo "Adding the packages for '$*' ..."
	@$(PIP) install --editable '.[$*]'
	@touch $@
