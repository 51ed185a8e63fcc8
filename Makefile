# SPDX-License-Identifier: Apache-2.0
# A thin face over CMake: see CMakePresets.json for the builds and CONTRIBUTING.md for what each target proves.

PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
BENCH ?=
INTEROP ?=
BUILD := build/release
ROWLINE := $(BUILD)/rowline
CTEST := ctest --output-on-failure -j$(shell nproc)
SOURCES = $(shell git ls-files -- 'src/*.[ch]' 'cli/*.[ch]' 'include/*.h' 'tests/*.[ch]' 'bench/*.[ch]')

.PHONY: all packages configure test demo interop bench install fuzz asan tsan format lint size clean

all: configure
	@cmake --build $(BUILD) --target product

# Debian packages: installed when we are root, else named in one line.
packages:
	@scripts/setup

configure: packages
	@mkdir -p build
	@cmake --preset release -DCMAKE_INSTALL_PREFIX=$(PREFIX) >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }

test: configure
	@cmake --build $(BUILD)
	@$(CTEST) --test-dir $(BUILD)

demo: all
	@scripts/demo $(ROWLINE)

interop: all
	@tests/interop/run $(ROWLINE) $(INTEROP)

bench: all
	@cmake --build $(BUILD) --target bench_programs
	@bench/run $(ROWLINE) parquet $(BENCH)
	@bench/run $(ROWLINE) binpack
	@bench/run $(ROWLINE) lance

install: all
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX)

fuzz:
	@scripts/setup --all
	@cmake --preset fuzz >/dev/null
	@cmake --build build/fuzz
	@scripts/fuzz $(FUZZ_SECONDS)

asan tsan:
	@scripts/setup
	@cmake --preset $@ >/dev/null
	@cmake --build build/$@
	@$(CTEST) --test-dir build/$@

format:
	@scripts/format

lint: all
	@clang-tidy-14 --quiet -p $(BUILD) $(filter src/%.c cli/%.c,$(SOURCES))

size:
	@scripts/size

clean:
	rm -rf build
