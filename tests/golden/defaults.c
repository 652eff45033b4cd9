/* Rows of expected results of another profile; defaults.h tells the form. */
#include "tests/golden/defaults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/golden/runs.h"

#define LINE_BYTES 400

struct row {
    char capture[80], what[40], text[200];
};

/* false: a comment or an empty line. */
static bool read_row(const char *line, struct row *r)
{
    return line[0] != '#' &&
           sscanf(line, "%79s : %39[^:] : %199[^\n]", r->capture, r->what, r->text) == 3;
}

static void strip_end(char *s)
{
    size_t n = strlen(s);
    while (n && s[n - 1] == ' ')
        s[--n] = 0;
}

static bool holds(const char *folder, const struct row *r, const struct xp_profile *profile)
{
    char path[1024], got[300];
    struct trouble why = {""};
    snprintf(path, sizeof path, "%s/%s", folder, r->capture);
    struct capture *c = capture_read(path, &why);
    bool told = c && together_tell(c, profile, r->what, got, sizeof got);
    bool same = told && strcmp(got, r->text) == 0;

    if (!c)
        printf("%s: %s\n", r->capture, why.text);
    else if (!told)
        printf("%s: \"%s\" is no packet, completion or state\n", r->capture, r->what);
    else if (!same)
        printf("%s: %s: expected %s; is %s\n", r->capture, r->what, r->text, got);
    capture_free(c);
    return same;
}

int defaults_check(const char *path, const char *folder, const struct xp_profile *profile,
                   unsigned *rows)
{
    FILE *f = fopen(path, "r");
    char line[LINE_BYTES];
    int broken = 0;

    *rows = 0;
    if (!f)
        return -1;
    while (fgets(line, sizeof line, f)) {
        struct row r;
        if (!read_row(line, &r))
            continue;
        strip_end(r.what);
        strip_end(r.text);
        ++*rows;
        broken += !holds(folder, &r, profile);
    }
    fclose(f);
    return broken;
}
