/*
 * `make golden`: the transport core against captures of another implementation.
 *
 * usage: golden [--profile NAME] [-v] [FOLDER]
 * Every folder in FOLDER with a case.json is a capture.  A line for each that does not pass, with the
 * first difference; the last line counts.  Exit status 1: one failed, or there was none.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenarios/reader/scenario.h"
#include "tests/golden/runs.h"

#define FOLDER "tests/golden/softroce"
#define SETUP "tests/golden/golden.ini"

struct options {
    const char *folder, *profile;
    bool verbose;
};

static bool read_options(int argc, char **argv, struct options *o)
{
    *o = (struct options){FOLDER, "rxe", false};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-v") == 0)
            o->verbose = true;
        else if (strcmp(argv[i], "--profile") == 0 && i + 1 < argc)
            o->profile = argv[++i];
        else if (argv[i][0] == '-')
            return false;
        else
            o->folder = argv[i];
    }
    return true;
}

static bool read_profile(const char *name, struct xp_profile *out)
{
    struct sc_error err;
    struct scenario s;
    char key[] = "hca.profile", *value = strdup(name);
    struct sc_override which = {key, value, "--profile"};
    struct sc_file *f = sc_file_load(SETUP, &err);
    bool ok = f && sc_resolve(f, &which, 1, &s, &err);
    if (ok) {
        *out = s.hca.xp;
        scenario_clear(&s);
    } else {
        fprintf(stderr, "golden: %s\n", err.text);
    }
    sc_file_free(f);
    free(value);
    return ok;
}

enum outcome run_capture(const struct capture *c, const struct xp_profile *profile,
                         struct trouble *why)
{
    static const char *const way[] = {"together", "a alone", "b alone"};
    enum outcome worst = PASSED;
    char text[sizeof why->text] = "";
    for (unsigned i = 0; i < 3; i++) {
        struct trouble t = {""};
        enum outcome o =
            i == 0 ? run_together(c, profile, &t) : run_alone(c, i - 1, profile, &t);
        if (o == SKIPPED) {
            *why = t;
            return SKIPPED;
        }
        if (o == FAILED) {
            size_t at = strlen(text);
            snprintf(text + at, sizeof text - at, "\n    %s: %.170s", way[i], t.text);
            worst = FAILED;
        }
    }
    memcpy(why->text, text, sizeof text);
    return worst;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static enum outcome run_folder(const char *folder, const char *name, const struct options *o,
                               const struct xp_profile *profile)
{
    char path[2048];
    struct trouble why = {""};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    struct capture *c = capture_read(path, &why);
    enum outcome out = c ? run_capture(c, profile, &why) : FAILED;
    if (out == FAILED)
        printf("FAILED  %s: %s\n", name, why.text);
    else if (out == SKIPPED)
        printf("skipped %s: %s\n", name, why.text);
    else if (o->verbose)
        printf("passed  %s\n", name);
    capture_free(c);
    return out;
}

int main(int argc, char **argv)
{
    struct options o;
    struct xp_profile profile;
    struct dirent **entry;
    unsigned count[SKIPPED + 1] = {0};

    if (!read_options(argc, argv, &o)) {
        fprintf(stderr, "usage: golden [--profile NAME] [-v] [FOLDER]\n");
        return 2;
    }
    if (!read_profile(o.profile, &profile))
        return 2;
    int n = scandir(o.folder, &entry, NULL, by_name);
    if (n < 0) {
        perror(o.folder);
        return 2;
    }
    for (int i = 0; i < n; i++) {
        char path[2048];
        snprintf(path, sizeof path, "%s/%s/case.json", o.folder, entry[i]->d_name);
        if (access(path, R_OK) == 0)
            count[run_folder(o.folder, entry[i]->d_name, &o, &profile)]++;
        free(entry[i]);
    }
    free(entry);
    printf("%u passed, %u failed, %u skipped\n", count[PASSED], count[FAILED], count[SKIPPED]);
    return count[FAILED] == 0 && count[PASSED] > 0 ? 0 : 1;
}
