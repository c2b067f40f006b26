# The short way to the build. CMake does the work; see CMakeLists.txt and CMakePresets.json for the long way.
#   make            set up what is missing, build the library and the program: build/pfaff
#   make demo       the same, then diagnose a snakeboard, print its equations, draw its motion, make a page and C of it
#   make wasm       the library as a WebAssembly module: build-wasm/pfaff.wasm, used by wasm/pfaff.mjs
#   make page       a page that carries the engine: page/dist/page.html for `pfaff page`, page/dist/playground.html with all examples
#   make wheel      the Python package as a wheel for other Linux machines, in build/wheel/, looked at by auditwheel and tried in a fresh environment
#   make site       the documentation as a static site with search and a live gallery: build/site/site/index.html
#   make deb        Debian packages in dist/: libpfaff0, libpfaff-dev, pfaff with manual pages and completion for shells
#   make release    all of a version into dist/: source, Debian packages, wheel
#   make pictures   the pictures of docs/ that are not in the repository, into docs/images/ and docs/papers/images/
#   make papers     docs/papers/: the five papers beside the program, with pictures; the test papers.numbers compares their numbers
#   make check      unit tests of one build, in less than a minute; CASE=name: single cases; LABEL=cli, TEST=regex: other tests
#   make english    findings of the linter for English, FILE=docs/trust.md in one file (tests/docs/english.py)
#   make test       build with warnings as errors and run all tests: gcc, clang with sanitizers (ASan, UBSan, TSan), valgrind
#   make bench      measure speed (never part of the tests)
#   make trial      N=1000 random models, from SEED=1, against an oracle in Python; failures go to build/trial-failures
#   make fuzz       short runs of the fuzzers, SECONDS_EACH=60 or RUNS_EACH inputs; FUZZER=model: only that
#   make install    into PREFIX=/usr/local (DESTDIR is obeyed)
#   make format     fix indentation and blanks, see scripts/format.py
#   make clean      remove everything that was built
BUILD = build
PREFIX = /usr/local
SECONDS_EACH = 60
N = 1000
SEED = 1
JOBS := $(shell nproc 2>/dev/null || echo 2)
MODEL = examples/skates/snakeboard.pf

.PHONY: all build demo wasm page site wheel deb release papers pictures check english test bench trial fuzz install format clean

all: build

$(BUILD)/build.ninja:
	@echo "== configure $(BUILD)/"
	@cmake --preset default -B $(BUILD) -DPFAFF_TESTS=OFF

build:
	@scripts/setup.sh build
	@$(MAKE) --no-print-directory $(BUILD)/build.ninja
	@echo "== build the library and the program in $(BUILD)/"
	@cmake --build $(BUILD) -j $(JOBS)

demo: build
	@echo
	@echo "== What kind of system is $(MODEL)?"
	@echo "\$$ $(BUILD)/pfaff check $(MODEL)"
	@$(BUILD)/pfaff check $(MODEL)
	@echo
	@echo "== Its equations of motion"
	@echo "\$$ $(BUILD)/pfaff derive $(MODEL)"
	@$(BUILD)/pfaff derive $(MODEL)
	@echo
	@echo "== Its motion, in the terminal and as a picture (.svg; .png and .pdf with librsvg)"
	@echo "\$$ $(BUILD)/pfaff plot $(MODEL)"
	@$(BUILD)/pfaff plot $(MODEL)
	@echo "\$$ $(BUILD)/pfaff plot --out $(BUILD)/demo.svg $(MODEL)"
	@$(BUILD)/pfaff plot --out $(BUILD)/demo.svg $(MODEL)
	@echo
	@echo "== The machine in motion, with the engine inside"
	@BUILD=$(BUILD) MODEL=$(MODEL) scripts/demo_page.sh
	@echo
	@echo "== The same as C for a microcontroller, with a self-test"
	@echo "\$$ $(BUILD)/pfaff export --to c -o $(BUILD)/demo-c $(MODEL) && make -C $(BUILD)/demo-c test"
	@$(BUILD)/pfaff export --to c -o $(BUILD)/demo-c $(MODEL)
	@$(MAKE) --no-print-directory -s -C $(BUILD)/demo-c test
	@echo
	@echo "'$(BUILD)/pfaff --help' tells what else there is"

wasm:
	@scripts/setup.sh page
	@cmake --preset wasm >/dev/null
	@cmake --build build-wasm -j $(JOBS)
	@echo "build-wasm/pfaff.wasm: $$(wc -c <build-wasm/pfaff.wasm) bytes, $$(gzip -9 -c build-wasm/pfaff.wasm | wc -c) compressed"

page: wasm
	@echo "== build the page in page/dist/"
	@scripts/npm.sh && cd page && npm run --silent build

site: build page pictures
	@scripts/setup.sh python
	@build/site-env/bin/python -c 'import material' 2>/dev/null || \
	  { echo "== mkdocs-material, in build/site-env/"; python3 -m venv build/site-env; build/site-env/bin/pip install -q --disable-pip-version-check mkdocs-material; }
	@build/site-env/bin/python scripts/site.py $(BUILD)/pfaff build/site

wheel:
	@scripts/setup.sh python
	@BUILD=$(BUILD) JOBS=$(JOBS) scripts/wheel.sh

deb:
	@scripts/setup.sh deb
	@JOBS=$(JOBS) scripts/deb.sh

release: page
	@scripts/setup.sh python
	@scripts/setup.sh deb
	@BUILD=$(BUILD) JOBS=$(JOBS) scripts/release.sh

pictures: build
	@echo "== pictures of the documents in docs/images/ and docs/papers/images/"
	@python3 tests/docs/run_blocks.py --draw $(BUILD)/pfaff . docs/cookbook.md docs/tutorial.md
	@scripts/papers.py $(BUILD)/pfaff --pictures

papers: build
	@echo "== pages of the papers in docs/papers/"
	@scripts/papers.py $(BUILD)/pfaff

check:
	@BUILD=$(BUILD) JOBS=$(JOBS) CASE='$(CASE)' LABEL='$(LABEL)' TEST='$(TEST)' scripts/check.sh

english:
	@python3 tests/docs/english.py --list . $(FILE)

test:
	@scripts/setup.sh test
	@BUILD=$(BUILD) JOBS=$(JOBS) scripts/test.sh

bench:
	@scripts/setup.sh build
	@BUILD=$(BUILD) JOBS=$(JOBS) scripts/bench.sh

trial: build
	@scripts/setup.sh test
	@python3 tests/trial/trial.py $(BUILD)/pfaff --count $(N) --seed $(SEED) --jobs $(JOBS) --keep $(BUILD)/trial-failures
	@python3 tests/trial/friction.py $(BUILD)/pfaff --count $(N) --seed $(SEED) --jobs $(JOBS) --keep $(BUILD)/trial-failures
	@python3 tests/trial/rewrite.py $(BUILD)/pfaff --count $(N) --seed $(SEED) --keep $(BUILD)/trial-failures
	@python3 tests/trial/equations.py $(BUILD)/pfaff --count $(N) --seed $(SEED) --keep $(BUILD)/trial-failures
	@python3 tests/trial/controllers.py $(BUILD)/pfaff --count $(N) --seed $(SEED) --keep $(BUILD)/trial-failures
	@python3 tests/trial/scales.py $(BUILD)/pfaff --count $(N) --seed $(SEED) --keep $(BUILD)/trial-failures

fuzz:
	@scripts/setup.sh test
	@SECONDS_EACH=$(SECONDS_EACH) RUNS_EACH=$(RUNS_EACH) FUZZER=$(FUZZER) JOBS=$(JOBS) scripts/fuzz.sh

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

format:
	@scripts/format.py

clean:
	rm -rf $(BUILD) build-asan build-tsan build-fuzz build-gcc build-clang build-wasm dist page/dist page/node_modules
