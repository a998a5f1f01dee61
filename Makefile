# Makefile - pkwrap: the tool, the library with its Python package, and everything that tests them.
#
#     make            the tool $(BUILD)/pkwrap, the package $(BUILD)/python/pkwrap, and $(BUILD)/env, which puts both on a shell's paths
#     make demo       two real libraries inspected, wrapped and called
#     make check      every test, sanitizers and lints included
#     make bench      the figures that pkwrap promises, measured in one run
#     make install    tool, manual pages, completions and the package, below PREFIX (uninstall: the opposite)
#     make wheels     wheels for pip, for every interpreter that is found; make check-packaging: pip and other build systems
#     make setup      what is missing of Debian's and Python's packages for make, make demo and make check; each also does its part
#     make fuzz       fuzz targets, FUZZ_SECONDS each; make soak: random calls for SOAK_MINUTES
#     make analyze    clang's analyzer over everything
#     make accept     takes what the tool writes now as golden files; review with git diff
#     make check-gpu  the runtime suite on real device arrays; make bench-gpu: the engine's figures there
#     make check-numpy  the library built with, and modules run on, each NumPy that is supported; make check-fresh: what README.md
#                     promises, in a bare Debian (as root, with debootstrap)
#     make clean      removes BUILD
#     make help       this list
#
# Variables: BUILD (folder), PYTHON (interpreter), CC, CFLAGS, LDFLAGS, LLVM_DIR (libclang's headers), CUDA_HOME,
# SANITIZE=address,undefined (then BUILD is build/sanitize), PREFIX and DESTDIR (install), V=1 (show commands), OFFLINE=1
# (nothing is installed: VENV names an environment that has what is needed). As many jobs as there are processors, unless -j says.

SANITIZE  ?=
BUILD     ?= build$(if $(SANITIZE),/sanitize)
PYTHON    ?= python3
VENV      ?= .venv
# libclang 17 or newer is needed; Debian keeps its headers by version.
LLVM_DIR  ?= $(patsubst %/include/clang-c,%,$(lastword $(sort \
               $(wildcard /usr/lib/llvm-1[7-9]/include/clang-c /usr/lib/llvm-[2-9][0-9]/include/clang-c))))
CUDA_HOME ?= $(firstword $(wildcard /usr/local/cuda))
CFLAGS    ?= -O2 -g
PREFIX    ?= /usr/local
Q         := $(if $(V),,@)

export PYTHON VENV OFFLINE

ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc)
endif

.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDEXPANSION:
.PHONY: all
all: tool package $(BUILD)/env

# --- flags -----------------------------------------------------------------------------------------------------------

WARNINGS := -Werror=implicit-function-declaration -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion -Wno-sign-conversion
SANITIZER_FLAGS := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
COMPILE  := $(CC) -std=c17 -D_GNU_SOURCE $(WARNINGS) $(CFLAGS) $(SANITIZER_FLAGS) -MMD -MP
LINK     := $(CC) $(CFLAGS) $(SANITIZER_FLAGS) $(LDFLAGS)

# Each part is included by folder and name from one root; which room may include which is checked by tests/house/lints.py.
cli_FLAGS          := -Icli -I$(BUILD)/obj/cli -Ilib/include -isystem $(LLVM_DIR)/include
lib/core_FLAGS     := -fPIC -fvisibility=hidden -Ilib/include -Ilib
lib/emulator_FLAGS := $(lib/core_FLAGS)
lib/python_FLAGS   := $(lib/core_FLAGS) -Ilib/python

# What is installed depends on what is asked for: see tests/setup.sh.
GOALS := $(or $(MAKECMDGOALS),all)
NEED_TESTS := check check-packaging check-gpu bench-gpu check-numpy unit-tests sanitized accept analyze fuzz fuzzers soak $(BUILD)/tests/%
GROUP := $(or $(if $(filter bench,$(GOALS)),bench),$(if $(filter $(NEED_TESTS),$(GOALS)),check),$(filter demo,$(GOALS)),build)
NEED_DEVICE := $(filter check-gpu bench-gpu,$(GOALS))

# RUN_PYTHON, the interpreter whose NumPy's headers are used, its PYTHON_INCLUDES and EXT_SUFFIX. NumPy's folder first: Debian has
# an older NumPy's headers among Python's own. Made each time, and new only if something has changed: this is where everything
# that is missing is installed, at once and before anything is compiled, but not where a device is needed and there is none.
ifneq ($(filter-out clean setup help uninstall check-fresh,$(GOALS)),)
include $(BUILD)/python.mk
endif
lib/python_FLAGS += $(PYTHON_INCLUDES)

$(BUILD)/python.mk: FORCE
	$(Q)$(foreach program,$(NEED_DEVICE),$(PYTHON) tests/gpu/gpu.py $(program) &&) \
	  CC='$(CC)' LLVM_DIR='$(LLVM_DIR)' tests/setup.sh $(GROUP)
	@mkdir -p $(@D)
	$(Q)python=$(VENV)/bin/python; test -x $$python || python=$(PYTHON); $$python -c 'import sys, sysconfig, numpy; \
	  print("RUN_PYTHON :=", sys.executable); \
	  print("PYTHON_INCLUDES := -isystem", numpy.get_include(), "-isystem", sysconfig.get_path("include")); \
	  print("EXT_SUFFIX :=", sysconfig.get_config_var("EXT_SUFFIX"))' >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# `. build/env` in a shell.
$(BUILD)/env: $(BUILD)/python.mk tests/paths.py tests/numpy_first.py
	$(Q)$(RUN_PYTHON) tests/paths.py $(abspath $(BUILD)) >$@

# Changes when the commands of a build do, so that objects of other flags are not reused.
FLAGS_KEY = $(COMPILE) $(LINK) $(LLVM_DIR)
$(BUILD)/flags: FORCE | $(BUILD)
	$(Q)echo '$(FLAGS_KEY)' | cmp -s - $@ || echo '$(FLAGS_KEY)' >$@

.PHONY: FORCE
FORCE:

# --- objects ---------------------------------------------------------------------------------------------------------

PARTS := cli lib/core lib/emulator lib/python
# All C files of a part, however deep; those of lib/python/extension are a program of their own.
sources = $(filter-out lib/python/extension/%,$(wildcard $(1)/*.c $(1)/*/*.c $(1)/*/*/*.c))
objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(call sources,$(1)))

define compile_part
$(BUILD)/obj/$(1)/%.o: $(1)/%.c $(BUILD)/flags
	@mkdir -p $$(@D)
	@echo "  CC    $$<"
	$(Q)$(COMPILE) $($(1)_FLAGS) -c -o $$@ $$<
endef
$(foreach part,$(PARTS),$(eval $(call compile_part,$(part))))
$(call objects,lib/python): $(BUILD)/python.mk

-include $(foreach part,$(PARTS),$(patsubst %.o,%.d,$(call objects,$(part))))

# Python programs that the tool carries: their bytes, as C sees them.
$(BUILD)/obj/cli/%.py.inc: cli/%.py
	@mkdir -p $(@D)
	$(Q)od -An -v -tu1 $< | sed 's/  */,/g; 1s/^,//' >$@
$(BUILD)/obj/cli/front/python/pytree.o: $(BUILD)/obj/cli/front/python/pytree.py.inc $(BUILD)/obj/cli/front/python/pytree_helpers.py.inc

# --- the tool --------------------------------------------------------------------------------------------------------

.PHONY: tool
tool: $(BUILD)/pkwrap

# Everything of the tool but main, for the tool and for its unit tests.
$(BUILD)/cli.a: $(filter-out %/main.o,$(call objects,cli))
	$(Q)rm -f $@ && ar qcs $@ $^

$(BUILD)/pkwrap: $(BUILD)/obj/cli/main.o $(BUILD)/cli.a $(if $(SANITIZE),tests/plain_children.c)
	@echo "  LD    $@"
	$(Q)$(LINK) -o $@ $^ -lcjson -ldl -lpthread -lm

# --- the library and its package -------------------------------------------------------------------------------------

PACKAGE := $(BUILD)/python/pkwrap
# The C extension is one small file; all else is in the library.
EXTENSION_SOURCE := lib/python/extension/_pkwrap.c

.PHONY: package
package: $(PACKAGE)/libpkwrap.so.1 $(if $(wildcard $(EXTENSION_SOURCE)),$(PACKAGE)/_pkwrap$(EXT_SUFFIX)) \
         $(patsubst lib/python/pkwrap/%,$(PACKAGE)/%,$(wildcard $(addprefix lib/python/pkwrap/,*.py *.pyi py.typed \
           */*.py */*/*.py */*/*/*.py))) \
         $(patsubst lib/include/%,$(PACKAGE)/include/%,$(wildcard lib/include/*.h)) \
         $(PACKAGE)/libpkwrap.so $(PACKAGE)/pkgconfig/pkwrap.pc $(PACKAGE)/cmake/pkwrapConfig.cmake

$(PACKAGE)/libpkwrap.so.1: $(foreach part,lib/core lib/emulator lib/python,$(call objects,$(part)))
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(LINK) -shared -Wl,-soname,libpkwrap.so.1 -o $@ $^ -ldl -lpthread -lm

$(PACKAGE)/_pkwrap$(EXT_SUFFIX): $(EXTENSION_SOURCE) $(PACKAGE)/libpkwrap.so.1 $(BUILD)/flags $(BUILD)/python.mk
	@echo "  CC    $<"
	$(Q)$(COMPILE) $(lib/python_FLAGS) -shared -MF $(BUILD)/obj/_pkwrap.d -MT $@ -o $@ $< $(PACKAGE)/libpkwrap.so.1 \
	  $(LDFLAGS) -Wl,-rpath,'$$ORIGIN'
-include $(BUILD)/obj/_pkwrap.d

$(PACKAGE)/include/%: lib/include/%
	@mkdir -p $(@D)
	$(Q)cp $< $@

# What other build systems find the library by; CMakeLists.txt installs the same.
$(PACKAGE)/libpkwrap.so $(PACKAGE)/cmake/pkwrapConfig.cmake: lib/packaging/$$(@F)
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(PACKAGE)/pkgconfig/pkwrap.pc: lib/packaging/pkwrap.pc.in lib/include/pkwrap_version.h
	@mkdir -p $(@D)
	$(Q)sed "s/@PKWRAP_VERSION@/$$(sed -n 's/.*PKWRAP_VERSION "\(.*\)"/\1/p' lib/include/pkwrap_version.h)/" $< >$@

$(PACKAGE)/%: lib/python/pkwrap/%
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(BUILD):
	$(Q)mkdir -p $@

# --- unit tests: one program a file ----------------------------------------------------------------------------------

UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))
LIBRARY_TESTS := $(filter $(BUILD)/tests/test_core_% $(BUILD)/tests/test_emulator_%,$(UNIT_TESTS))
TOOL_TESTS := $(filter-out $(LIBRARY_TESTS),$(UNIT_TESTS))

.PHONY: unit-tests
unit-tests: $(UNIT_TESTS)

$(BUILD)/lib.a: $(call objects,lib/core) $(call objects,lib/emulator)
	$(Q)rm -f $@ && ar qcs $@ $^

CHECK_LIBRARIES := -lcheck -lsubunit -lrt -lpthread -ldl -lm

$(TOOL_TESTS): $(BUILD)/tests/%: tests/unit/%.c $(BUILD)/cli.a
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(COMPILE) $(cli_FLAGS) -Itests/unit -MF $@.d -MT $@ -o $@ $< $(BUILD)/cli.a -lcjson $(CHECK_LIBRARIES)

$(LIBRARY_TESTS): $(BUILD)/tests/%: tests/unit/%.c $(BUILD)/lib.a
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(COMPILE) $(lib/emulator_FLAGS) -Ilib/core -Ilib/emulator -Itests/unit $(if $(CUDA_HOME),-DCUDA_HOME='"$(CUDA_HOME)"' -isystem $(CUDA_HOME)/include) \
	  -MF $@.d -MT $@ -o $@ $< -Wl,--whole-archive $(BUILD)/lib.a -Wl,--no-whole-archive $(CHECK_LIBRARIES)

-include $(UNIT_TESTS:=.d)

# --- tests -----------------------------------------------------------------------------------------------------------

ENVIRONMENT = PKWRAP_BUILD=$(BUILD) PKWRAP_TOOL=$(abspath $(BUILD)/pkwrap) PYTHONPATH=$(abspath $(BUILD)/python) LLVM_DIR=$(LLVM_DIR)

# `make check SUITES="unit python"` runs some of the suites only; tests/run.py lists them.
SUITES ?=

.PHONY: check sanitized
check: all unit-tests sanitized
	$(Q)$(ENVIRONMENT) PKWRAP_SANITIZED=$(BUILD)/sanitize PKWRAP_THREADS=$(BUILD)/threads $(VENV)/bin/python tests/run.py $(SUITES)

# Everything once more, under AddressSanitizer and UndefinedBehaviorSanitizer, with warnings as errors; what has threads,
# under ThreadSanitizer too.
sanitized:
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)/sanitize SANITIZE=address,undefined CFLAGS='-O1 -g -Werror' all unit-tests
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)/threads SANITIZE=thread CFLAGS='-O1 -g' $(BUILD)/threads/tests/test_core_threads

# Takes what the tool writes now as what the golden tests expect; `git diff` is the review.
.PHONY: accept
accept: tool
	$(Q)$(ENVIRONMENT) $(VENV)/bin/python tests/golden/golden.py

.PHONY: demo
demo: all
	$(Q)$(ENVIRONMENT) $(RUN_PYTHON) tests/examples/demo.py $(BUILD)/demo

# --- benchmarks ------------------------------------------------------------------------------------------------------

# `make bench BENCH="call tool"` measures some only; STRICT=1 fails when a target is missed.
BENCH  ?=
STRICT ?=

.PHONY: bench
bench: all
	$(Q)$(ENVIRONMENT) $(VENV)/bin/python tests/bench/run.py $(if $(STRICT),--strict) $(BENCH)

# --- long and rare runs ----------------------------------------------------------------------------------------------

# Fuzz targets (libFuzzer, so clang): tests/fuzz/fuzz_core_*.c of the engine, the others of the tool.
FUZZ_SECONDS ?= 60
FUZZERS := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))

.PHONY: analyze
analyze: all
	$(Q)$(ENVIRONMENT) $(VENV)/bin/python tests/house/lints.py

.PHONY: fuzz fuzzers soak check-gpu bench-gpu
fuzz:
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)/fuzz CC=clang SANITIZE=address,undefined \
	  CFLAGS='-O1 -g -fsanitize=fuzzer-no-link' fuzzers
	$(Q)for fuzzer in $(FUZZERS); do echo "  FUZZ  $$fuzzer, $(FUZZ_SECONDS) s"; mkdir -p $$fuzzer.corpus; \
	  $$fuzzer -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 -artifact_prefix=$$fuzzer. \
	    $$fuzzer.corpus $$(test -d tests/fuzz/$${fuzzer##*/} && echo tests/fuzz/$${fuzzer##*/}) >$$fuzzer.log 2>&1 || \
	    { tail -n 40 $$fuzzer.log; exit 1; }; grep -E 'number_of_executed|new_units' $$fuzzer.log; done

fuzzers: $(patsubst tests/fuzz/%.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))

$(BUILD)/fuzz_core_%: tests/fuzz/fuzz_core_%.c $(BUILD)/lib.a
	@echo "  CC    $<"
	$(Q)$(COMPILE) $(lib/emulator_FLAGS) -Ilib/core -Ilib/emulator -fsanitize=fuzzer -MF $@.d -MT $@ -o $@ $< $(BUILD)/lib.a -ldl -lpthread -lm

$(BUILD)/fuzz_%: tests/fuzz/fuzz_%.c $(BUILD)/cli.a
	@echo "  CC    $<"
	$(Q)$(COMPILE) $(cli_FLAGS) -fsanitize=fuzzer -MF $@.d -MT $@ -o $@ $< $(BUILD)/cli.a -lcjson -ldl -lpthread -lm

# Random calls for SOAK_MINUTES, results compared with NumPy's, memory and descriptors watched.
SOAK_MINUTES ?= 10
soak: all
	$(Q)$(ENVIRONMENT) $(VENV)/bin/python tests/runtime/soak.py --minutes $(SOAK_MINUTES)
	$(Q)$(ENVIRONMENT) RANDOM_KERNELS=10000 $(VENV)/bin/python -m pytest -q -s -n 0 tests/runtime/test_stub_random_sneaky.py

# On a machine with a GPU: the whole runtime suite (or TESTS, pytest's paths) on real device arrays, and the engine's figures.
# Without one they end before anything is installed or built. OFFLINE, the tool is not built but brought along in BUILD: such machines may
# have no libclang.
TESTS ?=
check-gpu: package $(if $(OFFLINE),,tool)
	$(Q)$(ENVIRONMENT) $(VENV)/bin/python tests/gpu/check.py $(TESTS)

bench-gpu: package
	$(Q)$(ENVIRONMENT) $(VENV)/bin/python tests/gpu/bench.py --output $(BUILD)/bench-gpu

# The oldest and the newest NumPy of each kind of headers; fetches them.
.PHONY: check-numpy check-fresh
check-numpy: all
	$(Q)$(ENVIRONMENT) $(RUN_PYTHON) tests/numpy_versions.py $(BUILD)/numpy

# Clones this tree's HEAD into a bare Debian and follows README.md there, as root and as a user with sudo.
FRESH ?= plain make demo check
check-fresh:
	$(Q)$(PYTHON) tests/fresh.py $(FRESH)

# --- install ---------------------------------------------------------------------------------------------------------

# Everything goes below PREFIX: where none is given, /usr/local, and the package into PYTHON's own site-packages. DESTDIR stands
# before both, for packagers.
SITE    = $(shell $(PYTHON) lib/packaging/site_packages.py $(if $(filter-out file,$(origin PREFIX)),$(PREFIX)))
SHARE  := $(DESTDIR)$(PREFIX)/share
INSTALLED = $(DESTDIR)$(PREFIX)/bin/pkwrap $(SHARE)/pkwrap $(SHARE)/bash-completion/completions/pkwrap \
  $(SHARE)/zsh/site-functions/_pkwrap $(SHARE)/fish/vendor_completions.d/pkwrap.fish \
  $(foreach page,$(wildcard man/*.[1-9]),$(SHARE)/man/man$(patsubst .%,%,$(suffix $(page)))/$(notdir $(page))) \
  $(DESTDIR)$(SITE)/pkwrap

.PHONY: wheels check-packaging
# A wheel for each interpreter that is found, for glibc 2.28 and newer, each tried in an environment of its own.
wheels:
	$(Q)tests/setup.sh build
	$(Q)$(PYTHON) tests/packaging/wheels.py $(BUILD)/wheels

# The example projects of other build systems, editable installs, pkg-config: with an installed wheel.
check-packaging: setup
	$(Q)cd tests/packaging && $(abspath $(VENV))/bin/python -m pytest -q -p no:cacheprovider

.PHONY: install uninstall
install: all
	$(Q)test "$$($(PYTHON) -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')" = "$(EXT_SUFFIX)" || { \
	  echo "install: error: $(BUILD) was built for *$(EXT_SUFFIX), not for $(PYTHON);" \
	    "give both, here and to make: VENV=.venv-other BUILD=build-other PYTHON=$(PYTHON)" >&2; exit 1; }
	$(Q)install -d $(dir $(INSTALLED)) $(SHARE)/pkwrap/schemas
	$(Q)install -m 755 $(BUILD)/pkwrap $(DESTDIR)$(PREFIX)/bin/pkwrap
	$(Q)install -m 644 $(wildcard schemas/*.json) $(SHARE)/pkwrap/schemas
	$(Q)for page in man/*.[1-9]; do install -m 644 $$page $(SHARE)/man/man$${page##*.}/; done
	$(Q)$(BUILD)/pkwrap completion bash >$(SHARE)/bash-completion/completions/pkwrap
	$(Q)$(BUILD)/pkwrap completion zsh >$(SHARE)/zsh/site-functions/_pkwrap
	$(Q)$(BUILD)/pkwrap completion fish >$(SHARE)/fish/vendor_completions.d/pkwrap.fish
	$(Q)rm -rf $(DESTDIR)$(SITE)/pkwrap && cp -R $(PACKAGE) $(DESTDIR)$(SITE)/pkwrap
	$(Q)find $(DESTDIR)$(SITE)/pkwrap -name __pycache__ -prune -exec rm -rf {} +
	@echo "  installed $(DESTDIR)$(PREFIX)/bin/pkwrap and $(DESTDIR)$(SITE)/pkwrap"
	$(Q)$(if $(DESTDIR),:,$(PYTHON) -c 'import sys; sys.exit(sys.argv[1] not in sys.path)' $(SITE)) || \
	  echo "  $(PYTHON) does not look there: PYTHONPATH=$(SITE)"

uninstall:
	rm -rf $(INSTALLED)

# --- house -----------------------------------------------------------------------------------------------------------

.PHONY: setup clean help
setup:
	$(Q)CC='$(CC)' LLVM_DIR='$(LLVM_DIR)' tests/setup.sh check

clean:
	rm -rf $(BUILD)

help:
	@sed -n 's/^#     //p' Makefile
