/*
 * Packets with random fields for round trips: every field that the opcode has is drawn over its
 * whole width, every other is 0, as the contract of wire_hdr asks.
 */
#ifndef TESTS_WIRE_RANDOM_H
#define TESTS_WIRE_RANDOM_H

#include "models/wire/hdr.h"
#include "sim/base/rng.h"

/* ECN flags are drawn too; payload_bytes is below 64. */
void wire_random(struct rng_stream *s, struct wire_opcode o, struct wire_hdr *h,
                 struct wire_ext *e);

/* Equality of values, padding of the structs left out. */
bool wire_hdr_equal(const struct wire_hdr *a, const struct wire_hdr *b);
bool wire_ext_equal(const struct wire_ext *a, const struct wire_ext *b);

#endif
