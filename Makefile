# pathcc: `make demo` shows what it does, `make test` checks all of it, `make help` lists the rest.

# Where cargo puts what it builds, and the tree that is installed.
OUT := $(abspath $(or $(CARGO_TARGET_DIR),target))
TREE ?= $(CURDIR)/target/pathcc
PREFIX ?= /usr/local
DESTDIR ?=
PYTHON ?= python3
SCRATCH := $(CURDIR)/target

export PATHCC_TREE := $(TREE)

# No path of this machine gets into what is built, so that a build elsewhere gives the same bytes.
CARGO_HOME ?= $(HOME)/.cargo
C_PATHS := -ffile-prefix-map=$(CURDIR)=/pathcc -ffile-prefix-map=$(CARGO_HOME)=/cargo
BUILD := RUSTFLAGS="$(RUSTFLAGS) --remap-path-prefix=$(CURDIR)=/pathcc --remap-path-prefix=$(CARGO_HOME)=/cargo" \
	CFLAGS="$(CFLAGS) $(C_PATHS)" CXXFLAGS="$(CXXFLAGS) $(C_PATHS)" cargo build

# cargo-nextest if it is there, else cargo's own runner. Doc tests are cargo's alone.
TEST_RUNNER := $(if $(shell command -v cargo-nextest),cargo nextest run --no-fail-fast,cargo test --no-fail-fast)

.PHONY: build deb tarball demo test test-unit test-real bench bench-diff ablation bound points projects fuzz fuzz-input torture soak mutants lint install clean help setup setup-test

build: setup ## build everything into target/pathcc (relocatable)
	@$(BUILD) --release -p pathcc -p pathld -p pathprof -p pathpass
	@$(BUILD) --profile runtime -p pathrt
	@$(BUILD) --profile runtime -p pathrt --features log --target-dir $(OUT)/log
	@$(BUILD) --profile runtime -p pathrt --features preload --target-dir $(OUT)/preload
	@scripts/stage $(OUT) $(TREE)

demo: build ## compile an example with pathcc, run it, show its hot paths
	@rm -rf $(SCRATCH)/demo && mkdir -p $(SCRATCH)/demo
	@cp examples/demo/demo.c $(SCRATCH)/demo/
	@scripts/demo $(TREE)/bin $(SCRATCH)/demo

test: test-unit test-real ## every test: crates, pipeline, real programs

test-unit: setup-test build
	$(TEST_RUNNER)

test-real: setup-test build
	$(PYTHON) -m tests.real.check $(CHECK_FLAGS)
	$(PYTHON) -m tests.projects.projects --small

bench: setup-test build ## measure overheads (QUICK=1: a quarter of an hour, and only clang's profiler beside it)
	$(PYTHON) -m tests.bench.bench $(if $(QUICK),--quick) --write docs/benchmarks.md --json docs/benchmarks.json \
		--svg docs/benchmarks.svg $(BENCH_FLAGS)

bench-diff: ## compare two measurements: OLD=file.json NEW=file.json (default: docs/benchmarks.json)
	@$(PYTHON) -m tests.bench.bench --diff $(OLD) $(or $(NEW),docs/benchmarks.json)

ablation: setup-test build ## measure pathcc without each of its techniques
	$(PYTHON) -m tests.bench.bench --ablation --quick --set real --set kernels --write docs/ablation.md $(BENCH_FLAGS)

bound: setup-test build ## measure how far each program is from one instruction for each path (needs perf)
	$(PYTHON) -m tests.bench.bound --write docs/bound.md $(BENCH_FLAGS)

points: setup-test build ## count the counters that each placement of blocks needs
	$(PYTHON) -m tests.bench.points --write docs/points.md $(BENCH_FLAGS)

projects: setup-test build ## build and test whole projects twice, with plain clang and with pathcc (PROJECT="git busybox": those)
	$(PYTHON) -m tests.projects.projects $(PROJECT) $(if $(PROJECT),,--write docs/projects.md)

# How long and from where: SECONDS=n or COUNT=n, SEED=n, for each kind of program.
DICE = $(if $(SECONDS),--seconds $(SECONDS)) $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED))

fuzz: setup-test build ## random programs against oracles (SECONDS=n or COUNT=n; SEED=n)
	$(PYTHON) -m tests.real.csmith $(DICE)
	$(PYTHON) -m tests.real.lives $(DICE)

fuzz-input: setup-test build ## libFuzzer on what pathprof reads (SECONDS=n for each kind of input)
	fuzz/run $(or $(SECONDS),60)

torture: setup-test build ## every C and C++ program of a folder against plain clang and oracles (DIR=folder, else our own; QUICK=1)
	$(PYTHON) -m tests.real.torture $(DIR) $(if $(QUICK),--quick) $(TORTURE_FLAGS)

soak: setup-test build ## the tests of long lives, again and again (SECONDS=n, an hour unless given)
	tests/soak $(or $(SECONDS),3600)

mutants: setup-test ## change the code in small ways and see what no test notices (SETS="paths format": those; hours)
	$(PYTHON) -m tests.mutants.run $(SETS)

lint: setup ## formatting and lints, warnings are errors
	cargo fmt --check
	cargo clippy --workspace --exclude pathrt --all-targets -- -D warnings
	cargo clippy -p pathrt --profile runtime -- -D warnings
	cargo clippy -p pathrt --profile runtime --features log -- -D warnings
	cargo clippy -p pathrt --profile runtime --features preload -- -D warnings

install: | $(TREE)/bin/pathcc ## copy the tree to PREFIX (default /usr/local), with man pages and completions
	@scripts/install "$(TREE)" "$(DESTDIR)$(PREFIX)"

deb: build ## pack a Debian package into target (several versions stand side by side)
	@scripts/package deb "$(TREE)" target

tarball: build ## pack a tree that can be unpacked anywhere into target
	@scripts/package tarball "$(TREE)" target

$(TREE)/bin/pathcc:
	@$(MAKE) build

clean: ## remove everything that was built
	cargo clean
	rm -rf target

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

setup:
	@scripts/setup build

setup-test:
	@scripts/setup test
