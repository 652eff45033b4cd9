/*
 * Files on request: messages.csv, completions.csv, qps.csv, packets.csv, a capture.  Off, it costs nothing: no tap is set.
 */
#ifndef RUN_OBSERVE_H
#define RUN_OBSERVE_H

#include "scenarios/run/collect.h"

struct observe;

/* Opens what o asks for, in o->dir; NULL with err. */
struct observe *observe_new(const struct run_options *o, enum wire_encap encap,
                            struct sc_error *err);
void observe_free(struct observe *ob);

/* The names of the columns of packets.csv. */
const char *const *observe_packet_columns(uint32_t *count);

/* Taps for the parts of a run; NULL when nothing of theirs is wanted. */
const struct fab_tap *observe_fab_tap(struct observe *ob);
const struct hca_tap *observe_hca_tap(struct observe *ob);
void observe_load(struct observe *ob, struct load_env *env);

/* The run is over: writes the rest and puts the files in their place, whole; false with err. */
bool observe_finish(struct observe *ob, const struct world *w, struct sc_error *err);

#endif
