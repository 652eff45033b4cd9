/*
 * completions.csv: every completion that the load took, of send and receive queues alike.
 *
 * Rows stay in memory until the run is over and are sorted then: by time, host, QP, and within a QP
 * by the order of polling.  So the file does not depend on the number of domains.  wr_id is what was
 * posted: the number of the request in its flow, from 0; receives are posted with 0.
 */
#ifndef RUN_COMPLETIONS_H
#define RUN_COMPLETIONS_H

#include "models/transport/xp.h"
#include "scenarios/reader/scenario.h"

struct completions;

struct completions *completions_new(void);
void completions_free(struct completions *c);
void completions_note(struct completions *c, uint32_t host, uint32_t peer, const struct xp_wc *wc,
                      tm_ps now);
/* Writes DIR/completions.csv, whole; false with err. */
bool completions_write(struct completions *c, const char *dir, struct sc_error *err);

/* The names of its columns. */
const char *const *completions_columns(uint32_t *count);

#endif
