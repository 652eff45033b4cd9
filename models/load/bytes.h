/*
 * Payload that is moved and checked (`payload = verify`).
 *
 * Each host has memory: a pattern that nobody writes to, from which its messages are sent and which others
 * read, each from another place; and for each of its connections places where messages land, one for each
 * that can be outstanding.  A message that is whole is compared with what its sender had, byte for byte,
 * where it ought to lie.  An atomic must return what the ones before it left.
 *
 * Left out: datagrams, shared receive queues, RPC; that nothing else in memory changed.
 */
#ifndef LOAD_BYTES_H
#define LOAD_BYTES_H

#include "models/hca/hca.h"
#include "models/load/host.h"

struct bytes_counts {
    uint64_t verified;   /* bytes that were compared and right */
    uint64_t mismatches; /* messages that were not right, or not in their place */
};

/* Memory of each host, once its ends are laid out.  The load stays the caller's. */
struct bytes *bytes_new(struct load *l);
void bytes_free(struct bytes *b);

/* From LOAD_MR_ADDR on, of a host with so many ends. */
uint64_t bytes_region(const struct load_cfg *cfg, const struct load_qp_cfg *qp, uint32_t ends);

/* The addresses of a work request: message `msgno` of the flow of end `e`, of `len` bytes. */
struct bytes_places {
    uint64_t local, remote;
};
struct bytes_places bytes_places(const struct bytes *b, uint32_t e, uint32_t msgno, uint32_t len);
/* Where the next receive of end `e` has its room. */
uint64_t bytes_receive(struct bytes *b, uint32_t e);

#endif
