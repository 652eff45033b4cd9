/*
 * Runs every suite, or those named on the command line (a suite, or suite/test).  CUnit's summary closes
 * the output; the exit code is 0 only if no test failed and at least one ran.
 */
#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdbool.h>
#include <string.h>

#include "tests/suite.h"

#define SUITE(name) extern const struct suite suite_##name;
#include "suites.inc"
#undef SUITE
#define SUITE(name) &suite_##name,
static const struct suite *const suites[] = {
#include "suites.inc"
};
#undef SUITE
#define SUITES (sizeof suites / sizeof suites[0])

/* "hist", "hist/hist_empty_quantile_is_0": does one of the words name this test? */
static bool wanted(const char *suite, const char *test, int argc, char **argv)
{
    size_t len = strlen(suite);
    if (argc < 2)
        return true;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], suite, len) != 0)
            continue;
        if (argv[i][len] == 0 || (argv[i][len] == '/' && strcmp(argv[i] + len + 1, test) == 0))
            return true;
    }
    return false;
}

static void add_suite(const struct suite *s, int argc, char **argv)
{
    CU_pSuite cu = NULL;
    for (const struct test *t = s->tests; t->name; t++) {
        if (!wanted(s->name, t->name, argc, argv))
            continue;
        if (!cu)
            cu = CU_add_suite(s->name, NULL, NULL);
        CU_add_test(cu, t->name, t->run);
    }
}

int main(int argc, char **argv)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 3;
    for (size_t i = 0; i < SUITES; i++)
        add_suite(suites[i], argc, argv);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned failed = CU_get_number_of_failures() + CU_get_number_of_suites_failed();
    unsigned ran = CU_get_number_of_tests_run();
    CU_cleanup_registry();
    return failed == 0 && ran > 0 ? 0 : 1;
}
