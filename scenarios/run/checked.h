/*
 * What `check` found out about one scenario, and the JUnit report made of that.
 */
#ifndef RUN_CHECKED_H
#define RUN_CHECKED_H

#include "scenarios/run/expect.h"

struct checked {
    char *stem, *path;
    struct expect_verdicts verdicts;
    char *error; /* it could not be run or evaluated; NULL: it could */
};

/* JUnit XML: a suite a scenario, a case an expectation and point.  No times: same results, same bytes. */
bool junit_write(const char *path, const struct checked *c, uint32_t n, struct sc_error *err);

#endif
