/*
 * Packet sequence numbers: 24 bits, compared on a circle (IBA 9.7.1, ib-transport "RC requester").
 *
 * A struct, so that `<` and `+` do not compile by accident.  The upper 8 bits are always 0.
 */
#ifndef SIM_BASE_PSN_H
#define SIM_BASE_PSN_H

#include <stdbool.h>
#include <stdint.h>

#define PSN_MASK 0xffffffu

struct psn24 {
    uint32_t v;
};

static inline struct psn24 psn(uint32_t v) { return (struct psn24){v & PSN_MASK}; }
static inline struct psn24 psn_add(struct psn24 p, uint32_t n) { return psn(p.v + n); }
static inline struct psn24 psn_sub(struct psn24 p, uint32_t n) { return psn(p.v - n); }
static inline bool psn_eq(struct psn24 a, struct psn24 b) { return a.v == b.v; }

/* Steps from b forward to a, in -2^23 .. 2^23 - 1: positive when a is after b. */
static inline int32_t psn_diff(struct psn24 a, struct psn24 b)
{
    return (int32_t)((a.v - b.v) << 8) >> 8;
}

/* Steps from b forward to a, in 0 .. 2^24 - 1, where the caller knows that a is not before b. */
static inline uint32_t psn_span(struct psn24 a, struct psn24 b) { return (a.v - b.v) & PSN_MASK; }

#endif
