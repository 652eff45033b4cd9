/*
 * What must be the same in a capture and in a run, and what is free.
 *
 * Strict: completions of each queue in their order, final states, memory; and, where the capture was
 * the same whenever it was recorded, the packets of each direction.  Free: how the directions
 * interleave; how often a round of identical packets repeats where a step at its planned time, or the
 * end of the recording, ends the repetition.  Nothing here knows a capture by its name.
 */
#ifndef GOLDEN_COMPARE_H
#define GOLDEN_COMPARE_H

#include "tests/golden/end.h"

/* Packets in order. */
struct trace {
    struct packet *packet;
    uint32_t count, room;
};
void trace_add(struct trace *t, const struct packet *p);
void trace_clear(struct trace *t);

/* The recorded packets that side `from` sent, or that the relay made of them. */
struct trace trace_recorded(const struct capture *c, unsigned from, bool made);

/* All columns but the action; the first that differs, COLUMNS: none. */
enum column packet_difference(const struct packet *want, const struct packet *got, bool action);

/* Packets of a direction; repetitions that are free in `c` count as often as it pleases. */
bool compare_packets(const struct capture *c, const struct trace *want, const struct trace *got,
                     struct trouble *why);
/* The n-th completion of a queue, from 0; NULL: there are fewer. */
const struct completion *nth_completion(const struct completion *q, uint32_t count, unsigned side,
                                        int cq, uint32_t n);
/* "SUCCESS wr_id=100 byte_len=8"; NULL: "nothing". */
void completion_text(const struct completion *q, char *out, size_t size);

/* Is it compared?  A service that expects no PSN has no rq_psn. */
bool final_counts(const struct capture *c, enum final_field field);

/* Completions, final state and memory of one end. */
bool compare_completions(const struct end *e, struct trouble *why);
bool compare_final(const struct end *e, struct trouble *why);
bool compare_memory(const struct end *e, struct trouble *why);

/* "A>B packet 3: msn is 2, recorded 1: …" */
bool packets_differ(struct trouble *why, uint32_t nth, const struct packet *want,
                    const struct packet *got);

#endif
