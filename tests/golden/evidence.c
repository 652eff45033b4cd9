/* The evidence of quirks; evidence.h tells what is checked. */
#include "tests/golden/evidence.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/reader/keys.h"
#include "tests/golden/runs.h"
#include "tests/golden/setup.h"

struct table_row {
    char **cell; /* "", quirk, specification, evidence, profile, "" */
    const char *path, *folder;
    const struct xp_profile *whole;
    unsigned *pairs;
};

/* The profile without its row of that name ("rc.unsent"); false: it has none. */
static bool without_row(const struct xp_profile *whole, const char *name, struct xp_profile *out)
{
    uint8_t kept = 0;
    *out = *whole;
    for (uint8_t i = 0; i < whole->overrides; i++) {
        char text[XP_OVERRIDE_TEXT_MAX];
        xp_override_print(&whole->override[i], text);
        bool is_it = strncmp(text, name, strlen(name)) == 0 && text[strlen(name)] == ':';
        if (!is_it)
            out->override[kept++] = whole->override[i];
    }
    out->overrides = kept;
    return kept < whole->overrides;
}

/* `what` of the table's last column taken away: a row, or "key = value" set to the default. */
static bool without(const struct table_row *t, const char *what, struct xp_profile *out)
{
    struct trouble why;
    if (!strchr(what, '='))
        return without_row(t->whole, what, out);
    char **part = g_strsplit(what, "=", 2);
    const struct key *k = key_find("hca", g_strstrip(part[0]));
    char *name = k ? g_strdup_printf("hca.%s", k->name) : NULL;
    bool ok = k && golden_profile_with(name, key_standard(k), out, &why);
    g_free(name);
    g_strfreev(part);
    return ok;
}

/* 1: the capture does not show it; 0: it does, or it is not in this folder. */
static int check_capture(const struct table_row *t, const char *what, const char *name,
                         const struct xp_profile *profile)
{
    struct trouble why;
    char *path = g_strdup_printf("%s/%s", t->folder, name);
    struct capture *c = capture_read(path, &why);
    bool shown = c && run_rejects(c, profile);
    ++*t->pairs;
    if (!c)
        printf("%s: %s: no such capture\n", t->path, name);
    else if (!shown)
        printf("%s: %s passes without %s\n", t->path, name, what);
    capture_free(c);
    g_free(path);
    return !shown;
}

/* Every capture named outside of brackets, under the profile that lacks `what`. */
static int check_quirk(const struct table_row *t, const char *what)
{
    struct xp_profile profile;
    int broken = 0, depth = 0;
    if (!without(t, what, &profile)) {
        printf("%s: the profile has no \"%s\"\n", t->path, what);
        return 1;
    }
    char **word = g_strsplit_set(t->cell[3], ", ", -1);
    for (char **w = word; *w; w++) {
        depth += **w == '[';
        bool is_name = strchr(*w, '_') && depth == 0;
        if (is_name)
            broken += check_capture(t, what, *w, &profile);
        depth -= g_str_has_suffix(*w, "]");
    }
    g_strfreev(word);
    return broken;
}

/* The last column holds them in backquotes. */
static int check_row(const struct table_row *t)
{
    char **part = g_strsplit(t->cell[4], "`", -1);
    int broken = 0;
    for (unsigned i = 1; part[0] && i < g_strv_length(part); i += 2)
        broken += check_quirk(t, part[i]);
    g_strfreev(part);
    return broken;
}

int evidence_check(const char *path, const char *folder, const struct xp_profile *profile,
                   unsigned *pairs)
{
    char *text;
    int broken = 0;
    *pairs = 0;
    if (!g_file_get_contents(path, &text, NULL, NULL))
        return -1;
    char **line = g_strsplit(text, "\n", -1);
    for (char **l = line; *l; l++) {
        struct table_row t = {g_strsplit(*l, "|", -1), path, folder, profile, pairs};
        if (g_strv_length(t.cell) == 6 && strchr(t.cell[4], '`'))
            broken += check_row(&t);
        g_strfreev(t.cell);
    }
    g_strfreev(line);
    g_free(text);
    return broken;
}
