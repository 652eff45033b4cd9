/* A scenario from a literal, run as `rdmasim run` would: what the tests of whole runs share. */
#ifndef TESTS_RUN_TEXT_H
#define TESTS_RUN_TEXT_H

#include "scenarios/run/world.h"

struct text_run {
    struct metrics m;
    struct run_performance perf;
    struct sc_error err;
    enum run_outcome outcome;
    uint64_t fired[16];
};

/* Runs `text` (an .ini) in `domains` domains; dir: where files on request go, or NULL. */
void run_text(const char *text, uint32_t domains, const char *dir, struct text_run *out);

/* The same with options of one's own; the seed is the scenario's. */
void run_text_as(const char *text, const struct run_options *options, struct text_run *out);

/* The text of DIR/NAME, "" if there is none; the file is removed.  g_free. */
char *run_text_file(const char *dir, const char *name);

/* The metric as results.csv prints it. */
const char *metric_of(const struct text_run *r, enum metric m);

#endif
