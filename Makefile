# The two commands that matter:
#   make play     opens the home screen (with no camera: d is the demo table);   make play CAMERA=0   make play READER=simulated   make play GAME=ascend
#   make test     installs what the tests need and runs them; the slow ones too: make test-all
# Each does all of its own set-up in .venv/.

PYTHON  ?= python3
BIN     := .venv/bin
WORKERS ?= 3
GAME    ?=
CAMERA  ?=
READER  ?=
TEXTS    = $(BIN)/python tools/build_catalogues.py companion
# Three workers on two cores: tests of screens, sockets and simulated boards wait for a third of their time.
# A file is one worker's, in the order of tests/conftest.py: what a file installs, films or enrols once is done once. The
# small matrices of `vision` gain nothing by BLAS's threads, which cost a fifth of the processor's time when two workers run,
# nor by OpenCV's, which cost a tenth. A test that calls `make` must not get this one's ARGS.
# Collecting takes three times as long where Python keeps no bytecode. In a fresh clone it is done once before the tests, or
# each worker would compile every file.
PYTEST   = env $(addprefix -u ,MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES ARGS WORKERS PYTHONDONTWRITEBYTECODE) OPENBLAS_NUM_THREADS=1 OPENCV_FOR_THREADS_NUM=1 \
	$(BIN)/python -m pytest
COLLECT  = ls tests/__pycache__/conftest* > /dev/null 2>&1 || $(PYTEST) --collect-only -q > /dev/null || true
RUN      = $(PYTEST) -n $(WORKERS) --dist loadfile --no-loadscope-reorder --max-worker-restart 0

# `make pages` after a change of a request, an option or a refusal's words: tests compare.
.PHONY: pages pictures portraits play dev quick test test-slow test-all test-bare mutants check bench lint format types contracts texts firmware hardware docs release lock clean help

help:           ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*##/\1/p' $(MAKEFILE_LIST) | column -t -l 2

play:           ## play: the home screen, or at once the table: CAMERA=0, READER=simulated, GAME=partners
	@$(PYTHON) tools/set_up.py play
	@$(TEXTS) > /dev/null
	@$(BIN)/companion $(if $(GAME)$(CAMERA)$(READER)$(ARGS),play,welcome) $(if $(GAME),--game "$(GAME)") $(if $(CAMERA),--camera "$(CAMERA)") $(if $(READER),--reader "$(READER)") $(ARGS)

dev:            ## what editing needs: the locked packages and tools, nothing of the system
	@$(PYTHON) tools/set_up.py dev

quick: dev      ## rules, table, live, journal, in half a minute; ruff too
	$(BIN)/ruff check -q .
	$(RUN) -m "not slow" tests/rules tests/table tests/live tests/journal $(ARGS)

test:           ## install what the tests need, then run those that are not slow: five minutes on two cores
	@$(PYTHON) tools/set_up.py test
	@$(COLLECT)
	$(RUN) -m "not slow" $(ARGS)

test-slow:      ## the other tests: browsers, terminals, simulated boards, whole evenings, shipping, kills, hostile files
	@$(PYTHON) tools/set_up.py test
	@$(COLLECT)
	$(RUN) -m slow $(ARGS)

test-all: test test-slow  ## both

test-bare:      ## play and test on bare Debian machines, as root with debootstrap: ROOTS=bookworm AS="player root"
	tools/test_bare.sh $(ROOTS)

mutants:        ## ten minutes of mutants of rules, table, live, journal, wire, share, enrolment, views: do their own tests notice? ARGS="--count 60 --only companion/table"
	@$(PYTHON) tools/set_up.py test
	$(BIN)/python tools/mutants.py $(ARGS)

check: lint types contracts texts  ## everything but the tests: lint, types, import contracts, messages not translated yet

lint:           ## ruff: format and rules
	@$(PYTHON) tools/set_up.py dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

format:         ## rewrite the sources as ruff wants them
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

types:          ## mypy, strictly; and once more for Windows, which lacks some of what Python has here
	@$(PYTHON) tools/set_up.py dev
	$(BIN)/mypy
	$(BIN)/mypy -p companion -p vision --platform win32 --no-warn-unreachable --cache-dir .mypy_cache/windows

contracts:      ## import-linter: data flows one way
	@$(PYTHON) tools/set_up.py dev
	$(BIN)/lint-imports

bench:          ## figures: ARGS names the benches (vision, board, reliability, long, ...); without any they are listed
	@$(PYTHON) tools/set_up.py test
	@$(TEXTS) > /dev/null
	$(BIN)/python -m bench $(ARGS)

docs:           ## the pages as a site, in out/site; a broken link fails
	@$(PYTHON) tools/set_up.py dev
	NO_MKDOCS_2_WARNING=1 DISABLE_MKDOCS_2_WARNING=true $(BIN)/mkdocs build --quiet

release:        ## dist/: source archive, wheel, manual, list of parts, the reader's firmware and plans, checksums; HOME_PAGE=the repository's address
	@$(PYTHON) tools/set_up.py test
	$(BIN)/python tools/release.py

texts:          ## compile the message catalogues, and list the messages that are not translated yet
	$(TEXTS)

pages:          ## rewrite the pages that are made from the rules: the referee's reference, the tables of options
	$(TEXTS)
	PYTHONPATH=. $(BIN)/python tools/write_protocol.py
	PYTHONPATH=. $(BIN)/python tools/write_rule_options.py

portraits:      ## the small pictures of cards that screens show, after a change of a donkey's art
	@$(PYTHON) tools/set_up.py test
	PYTHONPATH=. $(BIN)/python tools/card_portraits.py

pictures:       ## every screen as a picture, at three sizes: docs/screens.md
	@$(PYTHON) tools/set_up.py test
	$(TEXTS)
	PYTHONPATH=. $(BIN)/python tools/take_pictures.py

firmware:       ## build the firmware of trays and Nanos: out/firmware/*.uf2 and *.hex, with their checksums
	$(MAKE) -C firmware pico all
	@mkdir -p out/firmware
	@cp firmware/build/pico/reader.uf2 out/firmware/reader-pico.uf2
	@cp firmware/build/nano/reader.hex out/firmware/reader-nano.hex
	@cd out/firmware && sha256sum reader-*.* > SHA256SUMS && cat SHA256SUMS

hardware:       ## wiring, mounts, sheets and the guide
	$(MAKE) -C hardware

lock:           ## pin the newest versions that fit pyproject.toml
	@$(PYTHON) tools/set_up.py lock

clean:          ## remove what was built
	rm -rf .venv build out .mypy_cache .ruff_cache .pytest_cache
	-$(MAKE) -C firmware clean
