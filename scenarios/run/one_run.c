/*
 * The folder is whole when summary.csv stands in it, so that file goes first and comes last.
 */
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "analysis/file_whole.h"
#include "scenarios/run/one_run.h"
#include "scenarios/run/out_dir.h"
#include "scenarios/run/results.h"

static bool begin_folder(const struct one_run *r, struct sc_error *err)
{
    char *summary = g_build_filename(r->dir, "summary.csv", NULL);
    char *manifest = g_build_filename(r->dir, "manifest.ini", NULL);
    bool ok = g_unlink(summary) == 0 || errno == ENOENT;
    if (!ok)
        snprintf(err->text, sizeof err->text, "%s: cannot be replaced: %s", summary,
                 strerror(errno));
    if (ok)
        out_dir_clear_tables(r->dir);
    ok = ok && file_whole_put(manifest, r->manifest, err->text, sizeof err->text);
    g_free(summary);
    g_free(manifest);
    return ok;
}

static bool end_folder(const struct one_run *r, const struct scenario *s, const struct metrics *m,
                       const uint64_t *fired, const struct run_performance *perf,
                       struct sc_error *err)
{
    char *text = err->text;
    return results_inject_write(r->dir, s, fired, text, sizeof err->text) &&
           results_performance_write(r->dir, perf, text, sizeof err->text) &&
           (m->buckets == 0 || results_buckets_write(r->dir, m, text, sizeof err->text)) &&
           results_summary_write(r->dir, m, text, sizeof err->text);
}

static enum run_outcome run_resolved(const struct one_run *r, const struct scenario *s,
                                     struct metrics *m, struct run_performance *perf,
                                     struct sc_error *err)
{
    struct run_options options = r->options;
    uint64_t *fired = g_new0(uint64_t, s->inject.count + s->act_count + 1);
    options.seed = s->seed;
    options.dir = r->dir;
    enum run_outcome outcome = run_scenario(s, &options, m, fired, perf, err);
    if (outcome == RUN_DONE && !end_folder(r, s, m, fired, perf, err))
        outcome = RUN_FAILED;
    g_free(fired);
    return outcome;
}

enum run_outcome one_run(const struct one_run *r, struct metrics *m, struct run_performance *perf,
                         struct sc_error *err)
{
    struct scenario s;
    if (!sc_resolve(r->file, r->ov, r->ovs, &s, err))
        return RUN_FAILED;
    enum run_outcome outcome = RUN_FAILED;
    if (begin_folder(r, err))
        outcome = run_resolved(r, &s, m, perf, err);
    scenario_clear(&s);
    return outcome;
}
