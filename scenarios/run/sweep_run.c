/*
 * Runs the plan in the pool and joins what came of it.
 */
#include <errno.h>
#include <glib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/file_whole.h"
#include "scenarios/run/one_run.h"
#include "scenarios/run/out_dir.h"
#include "scenarios/run/pool.h"
#include "scenarios/run/progress.h"
#include "scenarios/run/results.h"
#include "scenarios/run/sweep_plan.h"

struct sweep {
    const struct sweep_request *q;
    struct sweep_plan plan;
    int lock;       /* of the folder; -1: none */
    uint32_t *todo; /* jobs of the plan that are to run, in order */
    struct sweep_report *report;
    struct progress progress;
};

/* ---- one job ------------------------------------------------------------------------------------ */

static enum run_outcome run_job(const struct sweep *s, uint32_t job, struct sc_error *err)
{
    const struct sweep_job *j = &s->plan.job[job];
    struct sweep_overrides ov;
    struct metrics *m = g_new0(struct metrics, 1);
    struct run_performance perf = {0};
    char *manifest = sweep_plan_manifest(s->q, &s->plan, job);
    sweep_plan_overrides(&s->plan, job, &ov);
    struct one_run run = {.file = s->q->file,
                          .ov = ov.ov,
                          .ovs = ov.n,
                          .manifest = manifest,
                          .dir = j->dir,
                          .options = {.domains = s->q->trace ? 1 : s->q->domains,
                                      .completions = s->q->completions,
                                      .trace = s->q->trace,
                                      .stop = s->q->stop}};
    enum run_outcome outcome = RUN_FAILED;
    if (!manifest)
        snprintf(err->text, sizeof err->text, "%s: the manifest cannot be made", j->dir);
    else if (folder_make(j->dir, err->text, sizeof err->text))
        outcome = one_run(&run, m, &perf, err);
    g_free(ov.ov);
    g_free(manifest);
    g_free(m);
    return outcome;
}

static enum pool_end work(void *self, uint32_t index, char *message, uint32_t size)
{
    static const enum pool_end end_of[] = {
        [RUN_DONE] = POOL_DONE, [RUN_STOPPED] = POOL_STOPPED, [RUN_FAILED] = POOL_FAILED};
    const struct sweep *s = self;
    struct sc_error err = {""};
    enum run_outcome outcome = run_job(s, s->todo[index], &err);
    if (outcome == RUN_FAILED)
        snprintf(message, size, "%s", err.text);
    return end_of[outcome];
}

static void ended(void *self, uint32_t index, enum pool_end end, const char *message)
{
    struct sweep *s = self;
    uint32_t job = s->todo[index];
    s->plan.job[job].done = end == POOL_DONE;
    s->report->done += end == POOL_DONE;
    progress_step(&s->progress, end == POOL_FAILED);
    if (end != POOL_FAILED)
        return;
    char *text = sweep_plan_job_text(&s->plan, job);
    progress_clear(&s->progress);
    fprintf(stderr, "rdmasim: %s failed: %s\n", text, message);
    g_free(text);
    s->report->failed++;
}

static void tick(void *self)
{
    struct sweep *s = self;
    progress_show(&s->progress);
}

/* ---- resume ------------------------------------------------------------------------------------- */

static bool is_kept(const struct sweep *s, uint32_t job)
{
    const char *dir = s->plan.job[job].dir;
    char *path = g_build_filename(dir, "manifest.ini", NULL), *there = NULL;
    char *wanted = sweep_plan_manifest(s->q, &s->plan, job);
    bool same = wanted && g_file_get_contents(path, &there, NULL, NULL) &&
                strcmp(wanted, there) == 0 && results_summary_whole(dir);
    g_free(wanted);
    g_free(there);
    g_free(path);
    return same;
}

/* Fills todo; returns how many. */
static uint32_t choose_jobs(struct sweep *s)
{
    uint32_t n = 0;
    s->todo = g_new0(uint32_t, s->plan.jobs + 1);
    for (uint32_t i = 0; i < s->plan.jobs; i++) {
        struct sweep_job *j = &s->plan.job[i];
        j->keep = s->q->resume && is_kept(s, i);
        j->done = j->keep;
        s->report->kept += j->keep;
        if (!j->keep)
            s->todo[n++] = i;
    }
    return n;
}

/* ---- joining ------------------------------------------------------------------------------------ */

static uint32_t finished_parts(const struct sweep *s, const char *name, struct results_part *part)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->plan.jobs; i++) {
        const struct sweep_job *j = &s->plan.job[i];
        char *path = g_build_filename(j->dir, name, NULL);
        if (j->done && g_file_test(path, G_FILE_TEST_EXISTS))
            part[n++] = (struct results_part){.swept = (const char *const *)s->plan.swept[j->point],
                                              .seed = j->seed,
                                              .dir = j->dir};
        g_free(path);
    }
    return n;
}

static bool join(const struct sweep *s, const char *name, const char *out_name,
                 struct sc_error *err)
{
    char *out = g_build_filename(s->q->dir, out_name, NULL);
    struct results_part *part = g_new0(struct results_part, s->plan.jobs + 1);
    struct results_join j = {.out = out,
                             .name = name,
                             .column = s->plan.plan.column,
                             .columns = s->plan.plan.columns,
                             .part = part,
                             .parts = finished_parts(s, name, part)};
    bool ok = results_join(&j, err->text, sizeof err->text);
    g_free(part);
    g_free(out);
    return ok;
}

static bool join_all(const struct sweep *s, struct sc_error *err)
{
    return join(s, "summary.csv", "results.csv", err) &&
           join(s, "buckets.csv", "buckets.csv", err) && join(s, "inject.csv", "inject.csv", err);
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static int begin_folder(const struct sweep_request *q, int *lock, struct sc_error *err)
{
    int code = out_dir_open(q->dir, q->stem, err->text, sizeof err->text);
    if (code)
        return code;
    if (!out_dir_lock(q->dir, lock, err->text, sizeof err->text))
        return 3;
    out_dir_clear_tables(q->dir);
    char *path = g_build_filename(q->dir, "manifest.ini", NULL);
    char *text = manifest_text(q->file, q->extra, q->extras, q->stem, true);
    code = text && file_whole_put(path, text, err->text, sizeof err->text) ? 0 : 3;
    if (!text)
        snprintf(err->text, sizeof err->text, "%s: the manifest cannot be made", path);
    g_free(text);
    g_free(path);
    return code;
}

static int run_all(struct sweep *s, struct sc_error *err)
{
    uint32_t todo = choose_jobs(s);
    struct pool pool = {.jobs = todo,
                        .workers = s->q->workers,
                        .self = s,
                        .work = work,
                        .ended = ended,
                        .tick = tick,
                        .stop = s->q->stop};
    progress_init(&s->progress, todo, s->q->silent);
    bool ok = pool_run(&pool, err->text, sizeof err->text);
    progress_clear(&s->progress);
    s->report->stopped = s->q->stop && *s->q->stop;
    ok = join_all(s, err) && ok;
    bool complete = s->report->done + s->report->kept == s->plan.jobs;
    return ok && complete ? 0 : 3;
}

int sweep_run(const struct sweep_request *q, struct sweep_report *report, struct sc_error *err)
{
    struct sweep s = {.q = q, .report = report, .lock = -1};
    *report = (struct sweep_report){0};
    if (!sweep_plan_make(q, &s.plan, err))
        return 2;
    err->text[0] = 0; /* whatever was said on the way to success is no message */
    report->runs = s.plan.jobs;
    report->points = s.plan.plan.points;
    int code = begin_folder(q, &s.lock, err);
    if (code == 0)
        code = run_all(&s, err);
    if (s.lock >= 0)
        close(s.lock);
    g_free(s.todo);
    sweep_plan_clear(&s.plan);
    return code;
}
