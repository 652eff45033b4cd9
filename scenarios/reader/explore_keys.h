/*
 * The texts of [explore] become the exchange and the faults of an exploration.
 */
#ifndef READER_EXPLORE_KEYS_H
#define READER_EXPLORE_KEYS_H

#include "models/explore/explore.h"
#include "scenarios/reader/resolve.h"

/* "send 100B, write_imm 600B silent, fetch_add": appended to `to` for this flow.  false: no place. */
bool explore_operations(const char *text, uint8_t flow, struct task_spec *to, struct sc_error *err);

/* "a2b 3 drop, b2a 1 delay"; "any": none, and the search is on. */
bool explore_faults(const char *text, struct sc_explore *to, struct sc_error *err);

/* Reads r->s.explore's texts into its numbers; the message with its place. */
bool take_explore(struct resolving *r);

/* What `rdmasim explore` runs: [explore] with what the other groups say of QPs, adapter and delay. */
void explore_config(const struct scenario *s, struct explore_cfg *out);

#endif
