/*
 * Random loss: by chance alone, in bursts, or by bit errors.
 *
 * Integers only, so that a seed means the same losses on every machine: chances are thresholds on 64
 * uniform bits (rng_hits), and the chance of a packet by its length is a table made by multiplication.
 *
 * The chain of Gilbert and Elliott has two states.  A packet is lost with the chance of the state it
 * meets; then good turns to bad with chance `p`, bad to good with chance `r`.  The state that the first packet
 * meets is drawn by the shares that the states have in the long run: p / (p + r) for bad.  So the mean stay in
 * bad is 1 / r packets, and the loss in the long run (r * good + p * bad) / (p + r).
 */
#ifndef FABRIC_LOSS_H
#define FABRIC_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/rng.h"

enum loss_model { LOSS_BERNOULLI, LOSS_GILBERT_ELLIOTT, LOSS_BER };

/* Beside a rate; what belongs to another model is not looked at. */
struct loss_cfg {
    enum loss_model model;
    uint64_t
        burst_milli; /* mean stay in bad in packets, thousandths: r and, from the rate, p; 0: p and r say */
    uint64_t p, r;            /* chances of good to bad, of bad to good */
    uint64_t in_good, in_bad; /* chances of a loss there */
    uint64_t ber;             /* chance that a bit is wrong, of all bits on the wire */
};

/* Why this cannot be done with `rate` (of what is lost in the long run); NULL: it can. */
const char *loss_refuse(const struct loss_cfg *cfg, uint64_t rate);

/* Worked out once. */
struct loss_plan {
    enum loss_model model;
    uint64_t rate;        /* Bernoulli */
    uint64_t p, r, in[2]; /* by state: good, bad */
    uint64_t share_bad;   /* of packets in the long run */
    uint64_t *by_bytes;   /* bit errors: by bytes on the wire, up to LOSS_BYTES_MAX */
};
#define LOSS_BYTES_MAX 65535u

void loss_plan_init(struct loss_plan *plan, const struct loss_cfg *cfg, uint64_t rate);
void loss_plan_fini(struct loss_plan *plan);

/* Can it take a packet at all? */
bool loss_may_hit(const struct loss_plan *plan);

/* What one sequence of packets has behind it. */
struct loss_state {
    struct rng_stream draw, step;
    bool begun, bad;
};
struct loss_state loss_state(uint64_t seed, enum rng_kind kind, uint64_t id);

/* Is the next packet lost?  It has so many bytes on the wire. */
bool loss_hits(const struct loss_plan *plan, struct loss_state *s, uint32_t wire_bytes);

#endif
