# rdmasim.  `make demo` and `make test` are all a newcomer needs; `make help` lists the rest.
# V=1 shows the commands.
# Object lists come from wildcards: a new file needs no edit here.

BUILD   ?= build
PROGRAM ?= rdmasim
ifeq ($(origin CC),default)
CC      := gcc
endif
OPT     ?= -O2
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wswitch-enum -Wvla \
           -Wpointer-arith -Wundef -Wwrite-strings -Wno-unused-parameter -Werror
CFLAGS  ?= $(OPT) -g
ALLFLAGS = -std=gnu11 $(WARN) $(CFLAGS) -ffp-contract=off -fno-strict-overflow -fno-pie \
           -I. -I$(BUILD) $(SAN)
GLIB_C  := $(shell pkg-config --cflags glib-2.0 2>/dev/null)
GLIB_L  := $(shell pkg-config --libs glib-2.0 2>/dev/null)
# Constant tables of pointers stay read-only without PIE: the purity rule can then look for writable data.
LDLIBS   = -no-pie $(GLIB_L) -lcsv -lz -lpcap -lpthread -lm
VERSION := 0.1.0
PREFIX  ?= /usr/local

PURE    := sim/base models/wire models/cm models/transport models/udack
FOLDERS := sim/base sim/engine models/wire models/transport models/cm models/port models/explore models/verbs models/hca \
           models/fabric models/udack models/load analysis scenarios/reader scenarios/run
srcs     = $(wildcard $(1)/*.c)
objs     = $(patsubst %.c,$(BUILD)/%.o,$(call srcs,$(1)))
LIB     := $(BUILD)/librdmasim.a
LIBOBJS := $(foreach d,$(FOLDERS),$(call objs,$(d)))

# TESTS="hist heap" builds a runner of those files alone (with the sources they reach).
TESTDIRS := tests/unit tests/golden tests/property
ALLTESTS := $(patsubst test_%,%,$(notdir $(basename $(wildcard $(addsuffix /test_*.c,$(TESTDIRS))))))
TESTS   ?= $(ALLTESTS)
TESTSRC  = $(foreach t,$(TESTS),$(wildcard $(addsuffix /test_$(t).c,$(TESTDIRS))))
TESTHELP = $(filter-out $(wildcard $(addsuffix /test_*.c,$(TESTDIRS))),$(wildcard $(addsuffix /*.c,$(TESTDIRS))))
TESTOBJS = $(patsubst %.c,$(BUILD)/%.o,tests/main.c $(TESTSRC))
HELPLIB  = $(BUILD)/libtests.a

.PHONY: all
all: $(PROGRAM)

# ---- what a newcomer runs -----------------------------------------------------------------------
.PHONY: demo test quick check explore long help
demo:
	@.ci/packages.sh build plot
	@$(MAKE) --no-print-directory rdmasim
	./rdmasim sweep scenarios/quickstart.ini --out out/quickstart --jobs 2
	@echo
	@echo "Results: out/quickstart/results.csv"
	@ls out/quickstart/*.svg out/quickstart/*.png | sed 's/^/Plot:    /'

# Everything that guards the main branch; CUnit's summary closes it.
test:
	@.ci/packages.sh build plot test clang fuzz tshark
	@$(MAKE) --no-print-directory rdmasim $(BUILD)/unit $(BUILD)/golden
	@$(MAKE) --no-print-directory tidy check explore tshark determinism asan golden-ours fuzz-corpus
	@$(MAKE) --no-print-directory fuzz FUZZ_S=10
	@$(MAKE) --no-print-directory unit

# What a change of one file wants, in seconds.
quick: $(BUILD)/unit golden-ours fuzz-corpus
	$(BUILD)/unit

check: rdmasim
	./rdmasim check scenarios --jobs 2

# Every placement of a few faults, one scenario for each service.
explore: rdmasim
	@for f in scenarios/explore-*.ini; do ./rdmasim explore $$f || exit 1; done
	@./rdmasim explore scenarios/atomic-loss-rxe.ini --out $(BUILD)/replay.ini > $(BUILD)/replay.txt; test $$? = 1
	@grep -A2 '^broken: an atomic' $(BUILD)/replay.txt
	@./rdmasim explore $(BUILD)/replay.ini > $(BUILD)/replay.txt; test $$? = 1

# Longer than CI allows; run before an issue is closed.
long: rdmasim
	tests/validation/long.sh
	@$(MAKE) --no-print-directory tshark
	tests/mutants/run.sh

help:
	@echo "make demo         install what is missing, build, run the quick start, draw its plot"
	@echo "make test         all tests: rules, scenarios, determinism, sanitizers, unit tests"
	@echo "make              build ./rdmasim"
	@echo "make quick        unit, golden and property tests alone"
	@echo "make golden       the core against captures of Soft-RoCE, or GOLDEN=DIR"
	@echo "make check        every scenario's [expect], in its short form"
	@echo "make explore      every placement of a few faults over small exchanges, for each service"
	@echo "make mutants      breaks the core in one line after the other; the tests must notice"
	@echo "make long         every scenario's [expect], in full"
	@echo "make tshark       captures of every service, dissected by tshark and compared"
	@echo "make bench        packet-hops/s, ns per packet, bytes per idle QP"
	@echo "make fuzz         any bytes into decoder, core and reader, FUZZ_S=20 seconds each"
	@echo "make asan         the unit tests under address and undefined-behaviour sanitizers"
	@echo "make determinism  the same bytes from 1 and 4 jobs, 1, 2, 5 domains, gcc -O0, -O2, clang"
	@echo "make tidy         the rules of the code: layers, purity, sizes, names"
	@echo "make install      PREFIX=/usr/local: program, man page, scenarios"
	@echo "make clean"

$(PROGRAM): $(BUILD)/sim/main.o $(LIB)
	$(if $(V),,@echo "  LD  $@";) $(CC) $(ALLFLAGS) -o $@ $^ $(LDLIBS)

# Archives are built per folder from what compiles: a test of one folder needs no other.
$(LIB): $(LIBOBJS)
	@rm -f $@
	@ar rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  CC  $<";) $(CC) $(ALLFLAGS) $(GLIB_C) -DRDMASIM_VERSION='"$(VERSION)"' -DRDMASIM_SHARE='"$(PREFIX)/share/rdmasim"' -MMD -MP -c -o $@ $<

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# ---- tests --------------------------------------------------------------------------------------
$(BUILD)/suites.inc: FORCE
	@mkdir -p $(@D)
	@for t in $(TESTS); do echo "SUITE($$t)"; done > $@.new; cmp -s $@.new $@ || mv $@.new $@; rm -f $@.new
$(BUILD)/tests/main.o: $(BUILD)/suites.inc
$(HELPLIB): $(patsubst %.c,$(BUILD)/%.o,$(TESTHELP))
	@rm -f $@
	@ar rcs $@ $^
$(BUILD)/unit: $(TESTOBJS) $(HELPLIB) $(LIB)
	$(if $(V),,@echo "  LD  $@";) $(CC) $(ALLFLAGS) -o $@ $(TESTOBJS) $(HELPLIB) $(LIB) -lcunit -ljansson $(LDLIBS)

# One part alone, without the rest of the tree having to compile:
#   make unit FOLDERS="sim/base sim/engine" TESTS="heap ev" BUILD=/tmp/mine
.PHONY: unit golden golden-ours mutants tidy asan determinism bench FORCE
unit: $(BUILD)/unit
	$(BUILD)/unit

# The core against captures of another implementation: GOLDEN=DIR for others than ours.
GOLDEN ?= tests/golden/softroce
golden: $(BUILD)/golden
	$(BUILD)/golden --spoil 1000 $(GOLDEN)
# In the tests: all of ours pass, and the default profile keeps to the specification.
golden-ours: $(BUILD)/golden
	$(BUILD)/golden --spoil 1000 --at-least 144 \
	    --defaults tests/golden/defaults.txt --quirks tests/golden/quirks.md
$(BUILD)/golden: $(BUILD)/tests/golden.o $(HELPLIB) $(LIB)
	$(if $(V),,@echo "  LD  $@";) $(CC) $(ALLFLAGS) -o $@ $(BUILD)/tests/golden.o $(HELPLIB) $(LIB) -ljansson $(LDLIBS)

tidy: $(LIB)
	BUILD=$(BUILD) CC=$(CC) tests/tidy/tidy.sh
	tests/mutants/run.sh --check

# One-line breaks of the transport core, each of which the tests must notice.
mutants:
	tests/mutants/run.sh

asan:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)-asan OPT=-O1 \
	    SAN="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer" $(BUILD)-asan/unit
	ASAN_OPTIONS=detect_leaks=1 $(BUILD)-asan/unit > $(BUILD)-asan/log 2>&1 || { tail -60 $(BUILD)-asan/log; exit 1; }
	@grep -A4 'Run Summary' $(BUILD)-asan/log

determinism: rdmasim
	tests/validation/determinism.sh

# The fabric alone beside it: what a hop costs when nobody looks into the packets.
bench: rdmasim $(BUILD)/fabric_bare
	./rdmasim bench
	$(BUILD)/fabric_bare
$(BUILD)/fabric_bare: $(BUILD)/tests/bench/fabric_bare.o $(LIB)
	$(if $(V),,@echo "  LD  $@";) $(CC) $(ALLFLAGS) -o $@ $^ $(LDLIBS)

# Captures as another program reads them.
.PHONY: tshark
tshark:
	@.ci/packages.sh build tshark
	@$(MAKE) --no-print-directory rdmasim $(BUILD)/every_frame
	BUILD=$(BUILD) tests/validation/tshark.sh
$(BUILD)/every_frame: $(BUILD)/tests/validation/every_frame.o $(LIB)
	$(if $(V),,@echo "  LD  $@";) $(CC) $(ALLFLAGS) -o $@ $^ $(LDLIBS)

# Any bytes into decoder, core and reader: FUZZ_S seconds each, from the corpus on.
.PHONY: fuzz fuzz-corpus
FUZZERS := wire core scenario
FUZZ_S  ?= 20
FUZZLIB := tests/fuzz/replay.o tests/fuzz/core_scene.o tests/unit/sctest.o
FUZZSAN := address,undefined
fuzz:
	@.ci/packages.sh build fuzz
	@$(MAKE) --no-print-directory rdmasim
	@$(MAKE) --no-print-directory BUILD=$(BUILD)-fuzz CC=clang OPT=-O1 \
	    SAN="-fsanitize=fuzzer-no-link,$(FUZZSAN) -fno-sanitize-recover=undefined -fno-omit-frame-pointer" \
	    FUZZLINK="-fsanitize=fuzzer,$(FUZZSAN)" $(FUZZERS:%=$(BUILD)-fuzz/fuzz_%)
	BUILD=$(BUILD)-fuzz FUZZ_S=$(FUZZ_S) tests/fuzz/run.sh $(FUZZERS)
# The corpus alone, with any compiler: what once was found stays mended.
fuzz-corpus: $(FUZZERS:%=$(BUILD)/replay/fuzz_%)
	@for f in $(FUZZERS); do $(BUILD)/replay/fuzz_$$f tests/fuzz/corpus/$$f > $(BUILD)/replay/log 2>&1 || \
	    { cat $(BUILD)/replay/log; exit 1; }; echo "fuzz_$$f: $$(tail -1 $(BUILD)/replay/log)"; done
.SECONDARY: $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/fuzz/*.c))
$(BUILD)/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(addprefix $(BUILD)/,$(FUZZLIB)) $(LIB)
	$(if $(V),,@echo "  LD  $@";) $(CC) $(ALLFLAGS) $(FUZZLINK) -o $@ $^ $(LDLIBS)
$(BUILD)/replay/fuzz_%: tests/fuzz/fuzz_%.c $(addprefix $(BUILD)/,$(FUZZLIB)) $(LIB)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  LD  $@";) $(CC) $(ALLFLAGS) $(GLIB_C) -DFUZZ_REPLAY -o $@ $^ $(LDLIBS)

# ---- install ------------------------------------------------------------------------------------
.PHONY: install clean
install: rdmasim
	install -D -m 755 rdmasim $(DESTDIR)$(PREFIX)/bin/rdmasim
	./rdmasim keys --man > $(BUILD)/rdmasim.1
	install -D -m 644 $(BUILD)/rdmasim.1 $(DESTDIR)$(PREFIX)/share/man/man1/rdmasim.1
	for f in $$(cd scenarios && find . -type f ! -name '*.[ch]' ! -name README.md); do \
	    install -D -m 644 scenarios/$$f $(DESTDIR)$(PREFIX)/share/rdmasim/$$f; done

clean:
	rm -rf $(BUILD) $(BUILD)-* rdmasim
