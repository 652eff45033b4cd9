/*
 * Jobs in worker processes: at most `workers` at a time, started in order.
 *
 * A process a job: a run that crashes, or that the kernel kills for its memory, costs that run
 * alone, and no run sees what another left behind.
 */
#ifndef RUN_POOL_H
#define RUN_POOL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum pool_end { POOL_DONE, POOL_FAILED, POOL_STOPPED };

struct pool {
    uint32_t jobs, workers;
    void *self;
    /* In the child.  POOL_FAILED: why in message. */
    enum pool_end (*work)(void *self, uint32_t job, char *message, uint32_t size);
    /* In the parent, as jobs end; a child that was killed has failed. */
    void (*ended)(void *self, uint32_t job, enum pool_end end, const char *message);
    /* In the parent, a few times a second; may be NULL. */
    void (*tick)(void *self);
    const volatile sig_atomic_t
        *stop; /* may be NULL; set: children get SIGTERM, nothing more starts */
};

/*
 * Runs them all; false with a message if no process could be started (jobs that ran are reported).
 * Jobs that were not started because of *stop are not reported.
 */
bool pool_run(const struct pool *p, char *err, uint32_t err_size);

/* SIGINT and SIGTERM set the returned flag (once; a second SIGINT ends the program). */
const volatile sig_atomic_t *pool_catch_signals(void);

#endif
