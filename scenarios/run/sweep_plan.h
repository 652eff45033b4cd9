/*
 * The runs of a sweep as a list: every point times every repetition, each with its overrides, its
 * seed, its folder and its manifest.  Made before anything runs, so a mistake shows first.
 */
#ifndef RUN_SWEEP_PLAN_H
#define RUN_SWEEP_PLAN_H

#include "scenarios/run/sweep.h"

struct sweep_job {
    uint32_t point, rep;
    uint64_t seed;
    char *dir;          /* DIR/points/NNNN/rR */
    char *manifest;
    bool keep;          /* whole already (resume) */
    bool done;          /* whole now */
};

struct sweep_plan {
    struct sc_plan plan;
    char ***swept;      /* [point][column]: values in base units */
    struct sweep_job *job;
    uint32_t jobs;
};

bool sweep_plan_make(const struct sweep_request *q, struct sweep_plan *out, struct sc_error *err);
void sweep_plan_clear(struct sweep_plan *p);

/*
 * Overrides of a job, later wins: [check], the command line, the point, the seed.  The array is the
 * caller's to g_free with seed_text; the texts inside stay their owners'.
 */
struct sc_override *sweep_plan_overrides(const struct sweep_request *q, const struct sweep_plan *p,
                                         uint32_t point, uint32_t *n);
/* "point 3 (fabric.hosts=4), seed 2"; g_free. */
char *sweep_plan_job_text(const struct sweep_plan *p, uint32_t job);

#endif
