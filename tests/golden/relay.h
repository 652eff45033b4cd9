/*
 * The relay between two ends: which of a capture's rules hits a packet, and what a rewriting rule
 * does to it.
 */
#ifndef GOLDEN_RELAY_H
#define GOLDEN_RELAY_H

#include "tests/golden/end.h"

struct rule_state {
    int64_t left;
    uint32_t skip, seen, matched;
};

struct relay {
    const struct capture *c;
    struct rule_state *state; /* by rule */
};

void relay_init(struct relay *r, const struct capture *c);
void relay_fini(struct relay *r);

/* The rule that hits the packet, which counts as seen by all; NULL: it passes as it is. */
const struct rule *relay_judge(struct relay *r, const struct packet *p);

/* false with *why: a field that is not known. */
bool relay_rewrite(const struct capture *c, const struct rule *r, struct flight *f,
                   struct trouble *why);

#endif
