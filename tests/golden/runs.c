/* All the ways in which a capture is run; runs.h tells them. */
#include "tests/golden/runs.h"

#include <stdio.h>
#include <string.h>

static enum outcome run_way(const struct capture *c, unsigned way, const struct xp_profile *profile,
                            struct trouble *why)
{
    return way == 0 ? run_together(c, profile, why) : run_alone(c, way - 1, profile, why);
}

enum outcome run_capture(const struct capture *c, const struct xp_profile *profile,
                         struct trouble *why)
{
    static const char *const way[] = {"together", "a alone", "b alone"};
    enum outcome worst = PASSED;
    size_t at = 0;

    for (unsigned i = 0; i < 3; i++) {
        struct trouble t = {""};
        enum outcome o = run_way(c, i, profile, &t);
        if (o == SKIPPED) {
            *why = t;
            return SKIPPED;
        }
        if (o == PASSED)
            continue;
        at += (size_t)snprintf(why->text + at, sizeof why->text - at, "\n    %s: %.180s", way[i],
                               t.text);
        worst = FAILED;
    }
    return worst;
}

bool run_rejects(const struct capture *c, const struct xp_profile *profile)
{
    struct trouble why;
    for (unsigned i = 0; i < 3; i++)
        if (run_way(c, i, profile, &why) != PASSED)
            return true;
    return false;
}
