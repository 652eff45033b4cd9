/*
 * What a failed CHECK does: one line that a bug report can quote, then abort.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sim/base/check.h"

_Noreturn void sim_check_failed(const char *what, const char *file, int line)
{
    fflush(stdout);
    fprintf(stderr, "rdmasim: internal error: CHECK(%s) failed at %s:%d; please report it with the "
                    "scenario and seed\n", what, file, line);
    abort();
}
