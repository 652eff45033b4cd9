/*
 * `make golden`: the transport core against captures of another implementation.
 *
 * usage: golden [--profile NAME] [--spoil N] [--seed N] [--at-least N] [--defaults FILE]
 *               [--quirks FILE] [-v] [FOLDER]
 * Every folder in FOLDER with a case.json is a capture.  A line for each that does not pass, with the
 * first difference of each way in which it is run; the last line counts.  --spoil then spoils N
 * single fields of captures that pass, one at a time: 99 in 100 must be noticed.  --defaults FILE
 * holds the default profile to the rows of FILE (defaults.h), --quirks FILE a table of quirks to its
 * evidence (evidence.h).
 * Exit status 1: a capture failed, or fewer than N (else: none) passed, or too many spoilt ones were
 * not noticed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/golden/defaults.h"
#include "tests/golden/evidence.h"
#include "tests/golden/runs.h"
#include "tests/golden/setup.h"
#include "tests/golden/spoil.h"

#define NOTICED_PERCENT 99

struct options {
    const char *folder, *profile, *defaults, *quirks;
    uint32_t spoil, at_least;
    uint64_t seed;
    bool verbose;
};

struct results {
    unsigned count[SKIPPED + 1];
    struct capture **passed; /* kept for spoiling */
};

static bool read_options(int argc, char **argv, struct options *o)
{
    *o = (struct options){.folder = GOLDEN_FOLDER, .seed = 1, .at_least = 1};
    for (int i = 1; i < argc; i++) {
        bool valued = i + 1 < argc;
        if (strcmp(argv[i], "-v") == 0)
            o->verbose = true;
        else if (strcmp(argv[i], "--profile") == 0 && valued)
            o->profile = argv[++i];
        else if (strcmp(argv[i], "--at-least") == 0 && valued)
            o->at_least = (uint32_t)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--defaults") == 0 && valued)
            o->defaults = argv[++i];
        else if (strcmp(argv[i], "--quirks") == 0 && valued)
            o->quirks = argv[++i];
        else if (strcmp(argv[i], "--spoil") == 0 && valued)
            o->spoil = (uint32_t)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0 && valued)
            o->seed = strtoull(argv[++i], NULL, 10);
        else if (argv[i][0] == '-')
            return false;
        else
            o->folder = argv[i];
    }
    return true;
}

/* ---- captures --------------------------------------------------------------------------------- */

static void run_folder(const char *name, const struct options *o, const struct xp_profile *profile,
                       struct results *r)
{
    char path[2048];
    struct trouble why = {""};
    snprintf(path, sizeof path, "%s/%s", o->folder, name);
    struct capture *c = capture_read(path, &why);
    enum outcome out = c ? run_capture(c, profile, &why) : FAILED;
    if (out == FAILED)
        printf("FAILED  %s: %s\n", name, why.text);
    else if (out == SKIPPED)
        printf("skipped %s: %s\n", name, why.text);
    else if (o->verbose)
        printf("passed  %s\n", name);
    if (out == PASSED)
        r->passed[r->count[PASSED]] = c;
    else
        capture_free(c);
    r->count[out]++;
}

static bool run_all(const struct options *o, const struct xp_profile *profile, struct results *r)
{
    char **names = golden_names(o->folder);
    size_t n = 0;
    if (!names) {
        perror(o->folder);
        return false;
    }
    while (names[n])
        n++;
    r->passed = calloc(n + 1, sizeof(struct capture *));
    for (size_t i = 0; i < n; i++)
        run_folder(names[i], o, profile, r);
    golden_names_free(names);
    return true;
}

/* ---- spoiling --------------------------------------------------------------------------------- */

/* false: not enough of the spoilt captures were noticed. */
static bool spoil_some(const struct options *o, const struct xp_profile *profile,
                       const struct results *r)
{
    struct rng_stream draw = rng_stream(o->seed, RNG_RUN, 0, 0);
    uint32_t noticed = 0;

    for (uint32_t i = 0; i < o->spoil && r->count[PASSED] > 0; i++) {
        struct capture *c = r->passed[rng_below(&draw, r->count[PASSED])];
        struct spoilt s = spoil(c, (uint32_t)rng_below(&draw, spoil_fields(c)), &draw);
        if (run_rejects(c, profile))
            noticed++;
        else
            printf("not noticed: %s: %s\n", c->name, s.text);
        spoil_undo(&s);
    }
    if (o->spoil)
        printf("%u of %u spoilt captures rejected\n", noticed, o->spoil);
    return (uint64_t)noticed * 100 >= (uint64_t)o->spoil * NOTICED_PERCENT;
}

/* false: a row does not hold, or there is none. */
static bool defaults_hold(const struct options *o)
{
    struct xp_profile profile = xp_profile_spec();
    unsigned rows;
    int broken = defaults_check(o->defaults, o->folder, &profile, &rows);
    if (broken < 0)
        perror(o->defaults);
    else
        printf("%u of %u results of the default profile hold\n", rows - (unsigned)broken, rows);
    return broken == 0 && rows > 0;
}

/* false: evidence that is none, or no evidence at all. */
static bool quirks_hold(const struct options *o, const struct xp_profile *profile)
{
    unsigned pairs;
    int broken = evidence_check(o->quirks, o->folder, profile, &pairs);
    if (broken < 0)
        perror(o->quirks);
    else
        printf("%u pairs of quirk and capture looked at, %d broken\n", pairs, broken);
    return broken == 0 && pairs > 0;
}

/* ---- result ----------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    struct options o;
    struct xp_profile profile;
    struct results r = {{0}, NULL};
    struct trouble why;

    if (!read_options(argc, argv, &o)) {
        fprintf(stderr, "usage: golden [--profile NAME] [--spoil N] [--seed N] [--at-least N] "
                        "[--defaults FILE] [--quirks FILE] [-v] [FOLDER]\n");
        return 2;
    }
    if (!golden_profile(o.profile, &profile, &why)) {
        fprintf(stderr, "golden: %s\n", why.text);
        return 2;
    }
    if (!run_all(&o, &profile, &r))
        return 2;
    bool ok = spoil_some(&o, &profile, &r);
    ok = r.count[PASSED] >= o.at_least && r.count[FAILED] == 0 && ok;
    if (o.defaults)
        ok = defaults_hold(&o) && ok;
    if (o.quirks)
        ok = quirks_hold(&o, &profile) && ok;
    for (unsigned i = 0; i < r.count[PASSED]; i++)
        capture_free(r.passed[i]);
    free(r.passed);
    printf("%u passed, %u failed, %u skipped\n", r.count[PASSED], r.count[FAILED],
           r.count[SKIPPED]);
    return ok ? 0 : 1;
}
