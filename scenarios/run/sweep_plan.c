/*
 * From the reader's plan (points) to runs.
 */
#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "scenarios/run/out_dir.h"
#include "scenarios/run/sweep_plan.h"

#define SEED_KEY "scenario.seed"

void sweep_plan_overrides(const struct sweep_plan *p, uint32_t job, struct sweep_overrides *out)
{
    static char seed_key[] = SEED_KEY;
    const struct sc_point *point = &p->plan.point[p->job[job].point];
    snprintf(out->seed, sizeof out->seed, "%" PRIu64, p->job[job].seed);
    out->n = point->sets + 1;
    out->ov = g_new0(struct sc_override, out->n);
    for (uint32_t i = 0; i < point->sets; i++)
        out->ov[i] = point->set[i];
    out->ov[point->sets] = (struct sc_override){seed_key, out->seed, "repetition"};
}

char *sweep_plan_manifest(const struct sweep_request *q, const struct sweep_plan *p, uint32_t job)
{
    struct sweep_overrides ov;
    sweep_plan_overrides(p, job, &ov);
    char *text = manifest_text(q->file, ov.ov, ov.n, q->stem, false);
    g_free(ov.ov);
    return text;
}

/* Jobs of one point: its seed and repetitions come from the resolved point. */
static bool add_jobs(const struct sweep_request *q, struct sweep_plan *p, uint32_t point,
                     GArray *jobs, struct sc_error *err)
{
    struct scenario s;
    const struct sc_point *at = &p->plan.point[point];
    if (!sc_resolve(q->file, at->set, at->sets, &s, err))
        return false;
    for (uint32_t r = 0; r < s.repetitions; r++) {
        struct sweep_job job = {.point = point, .rep = r, .seed = s.seed + r};
        job.dir = g_strdup_printf("%s/points/%04u/r%u", q->dir, point, r);
        g_array_append_val(jobs, job);
    }
    scenario_clear(&s);
    return true;
}

static bool add_swept(struct sweep_plan *p, uint32_t point, struct sc_error *err)
{
    const struct sc_point *at = &p->plan.point[point];
    p->swept[point] = g_new0(char *, p->plan.columns + 1);
    for (uint32_t c = 0; c < p->plan.columns; c++) {
        char base[256];
        if (!sc_value_base(at->set[c].name, at->set[c].value, base, sizeof base, err))
            return false;
        p->swept[point][c] = g_strdup(base);
    }
    return true;
}

bool sweep_plan_make(const struct sweep_request *q, struct sweep_plan *out, struct sc_error *err)
{
    struct sweep_plan p = {0};
    if (!sc_plan_make(q->file, q->extra, q->extras, q->check, &p.plan, err))
        return false;
    GArray *jobs = g_array_new(FALSE, FALSE, sizeof(struct sweep_job));
    bool ok = true;
    p.swept = g_new0(char **, p.plan.points + 1);
    for (uint32_t i = 0; ok && i < p.plan.points; i++)
        ok = add_swept(&p, i, err) && add_jobs(q, &p, i, jobs, err);
    p.jobs = jobs->len;
    p.job = (struct sweep_job *)(void *)g_array_free(jobs, FALSE);
    if (ok)
        *out = p;
    else
        sweep_plan_clear(&p);
    return ok;
}

void sweep_plan_clear(struct sweep_plan *p)
{
    for (uint32_t i = 0; i < p->jobs; i++)
        g_free(p->job[i].dir);
    for (uint32_t i = 0; i < p->plan.points; i++)
        g_strfreev(p->swept[i]);
    g_free(p->swept);
    g_free(p->job);
    sc_plan_clear(&p->plan);
    *p = (struct sweep_plan){0};
}

char *sweep_plan_job_text(const struct sweep_plan *p, uint32_t job)
{
    const struct sweep_job *j = &p->job[job];
    const struct sc_point *at = &p->plan.point[j->point];
    GString *s = g_string_new(NULL);
    g_string_printf(s, "point %u", j->point);
    for (uint32_t c = 0; c < p->plan.columns; c++)
        g_string_append_printf(s, "%s%s=%s", c ? " " : " (", at->set[c].name, at->set[c].value);
    g_string_append_printf(s, "%s, seed %" PRIu64, p->plan.columns ? ")" : "", j->seed);
    return g_string_free(s, FALSE);
}
