/*
 * The runs of a sweep as a list: every point times every repetition, each with its overrides, its
 * seed and its folder.  Made before anything runs, so a mistake shows first.
 */
#ifndef RUN_SWEEP_PLAN_H
#define RUN_SWEEP_PLAN_H

#include "scenarios/run/sweep_run.h"

struct sweep_job {
    uint32_t point, rep;
    uint64_t seed;
    char *dir; /* DIR/points/NNNN/rR */
    bool keep; /* whole already (resume) */
    bool done; /* whole now */
};

struct sweep_plan {
    struct sc_plan plan;
    char ***swept; /* [point][column]: values in base units */
    struct sweep_job *job;
    uint32_t jobs;
};

bool sweep_plan_make(const struct sweep_request *q, struct sweep_plan *out, struct sc_error *err);
void sweep_plan_clear(struct sweep_plan *p);

/* Overrides of a run: those of its point ([check] and the command line are among them), then the seed. */
struct sweep_overrides {
    struct sc_override *ov; /* the texts inside stay their owners' */
    uint32_t n;
    char seed[24];
};
/* job of the plan; cleared by g_free(out->ov).  out must not move afterwards (it holds the seed). */
void sweep_plan_overrides(const struct sweep_plan *p, uint32_t job, struct sweep_overrides *out);
/* The job's manifest.ini, NULL if it cannot be made; g_free. */
char *sweep_plan_manifest(const struct sweep_request *q, const struct sweep_plan *p, uint32_t job);
/* "point 3 (fabric.hosts=4), seed 2"; g_free. */
char *sweep_plan_job_text(const struct sweep_plan *p, uint32_t job);

#endif
