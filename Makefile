# rdmasim.  `make demo` and `make test` are all a newcomer needs; `make help` lists the rest.
# Object lists come from wildcards: a new file needs no edit here.

BUILD   ?= build
CC      ?= gcc
OPT     ?= -O2
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wswitch-enum -Wvla \
           -Wpointer-arith -Wundef -Wwrite-strings -Wno-unused-parameter -Werror
CFLAGS  ?= $(OPT) -g
ALLFLAGS = -std=gnu11 $(WARN) $(CFLAGS) -ffp-contract=off -fno-strict-overflow -I. -I$(BUILD) $(SAN)
GLIB_C  := $(shell pkg-config --cflags glib-2.0 2>/dev/null)
GLIB_L  := $(shell pkg-config --libs glib-2.0 2>/dev/null)
LDLIBS   = $(GLIB_L) -lcsv -lz -lpcap -lpthread -lm
VERSION := 0.1.0

PURE    := sim/base models/wire models/transport
FOLDERS := sim/base sim/engine models/wire models/transport models/port models/verbs models/hca \
           models/fabric models/load analysis scenarios/reader scenarios/run
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
all: rdmasim

rdmasim: $(BUILD)/sim/main.o $(LIB)
	$(CC) $(ALLFLAGS) -o $@ $^ $(LDLIBS)

# Archives are built per folder from what compiles: a test of one folder needs no other.
$(LIB): $(LIBOBJS)
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALLFLAGS) $(GLIB_C) -DRDMASIM_VERSION='"$(VERSION)"' -MMD -MP -c -o $@ $<

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# ---- tests --------------------------------------------------------------------------------------
$(BUILD)/suites.inc: FORCE
	@mkdir -p $(@D)
	@for t in $(TESTS); do echo "SUITE($$t)"; done > $@.new; cmp -s $@.new $@ || mv $@.new $@; rm -f $@.new
$(BUILD)/tests/main.o: $(BUILD)/suites.inc
$(HELPLIB): $(patsubst %.c,$(BUILD)/%.o,$(TESTHELP))
	@rm -f $@
	ar rcs $@ $^
$(BUILD)/unit: $(TESTOBJS) $(HELPLIB) $(LIB)
	$(CC) $(ALLFLAGS) -o $@ $(TESTOBJS) $(HELPLIB) $(LIB) -lcunit $(LDLIBS)

# One part alone, without the rest of the tree having to compile:
#   make unit FOLDERS="sim/base sim/engine" TESTS="heap ev" BUILD=/tmp/mine
.PHONY: unit FORCE
unit: $(BUILD)/unit
	$(BUILD)/unit
