/*
 * A test file defines one suite: `const struct suite suite_<file>` for tests/unit/test_<file>.c.
 * The Makefile collects the files by their names; nothing else lists them.
 */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <CUnit/CUnit.h>

struct test {
    const char *name; /* <file>_<situation>_<outcome> */
    void (*run)(void);
};

struct suite {
    const char *name;
    const struct test *tests; /* ends with a NULL name */
};

#define TEST(fn) {#fn, fn}
#define TESTS_END {0, 0}

#endif
