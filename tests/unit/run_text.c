/*
 * Runs a scenario given as a literal.
 */
#include "tests/unit/run_text.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static struct sc_file *load_text(const char *text, struct sc_error *err)
{
    char *path = NULL;
    int fd = g_file_open_tmp("rdmasim-XXXXXX.ini", &path, NULL);
    struct sc_file *f = NULL;

    if (fd >= 0) {
        close(fd);
        g_file_set_contents(path, text, -1, NULL);
        f = sc_file_load(path, err);
        g_unlink(path);
    }
    g_free(path);
    return f;
}

void run_text(const char *text, uint32_t domains, const char *dir, struct text_run *out)
{
    struct run_options o = {.domains = domains,
                            .dir = dir,
                            .messages = dir != NULL,
                            .qps = dir != NULL,
                            .trace = dir != NULL && domains == 1};
    run_text_as(text, &o, out);
}

void run_text_as(const char *text, const struct run_options *options, struct text_run *out)
{
    struct scenario s = {0};
    struct run_options o = *options;
    struct sc_file *f;

    memset(out, 0, sizeof *out);
    out->outcome = RUN_FAILED;
    f = load_text(text, &out->err);
    if (!f)
        return;
    if (sc_resolve(f, NULL, 0, &s, &out->err)) {
        o.seed = s.seed;
        out->outcome = run_scenario(&s, &o, &out->m, out->fired, &out->perf, &out->err);
        scenario_clear(&s);
    }
    sc_file_free(f);
}

char *run_text_file(const char *dir, const char *name)
{
    char *path = g_build_filename(dir, name, NULL), *text = NULL;

    g_file_get_contents(path, &text, NULL, NULL);
    g_unlink(path);
    g_free(path);
    return text ? text : g_strdup("");
}

const char *metric_of(const struct text_run *r, enum metric m)
{
    static char text[4][32];
    static int next;

    next = (next + 1) % 4;
    metric_text(&metric_table[m], r->m.v[m], text[next], sizeof text[next]);
    return text[next];
}
