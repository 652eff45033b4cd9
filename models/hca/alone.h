/*
 * Latency of a message alone on the empty fabric, for slowdown: fab_alone_ps behind a small cache.
 */
#ifndef HCA_ALONE_H
#define HCA_ALONE_H

#include "models/fabric/fab.h"

struct alone;

struct alone *alone_new(uint32_t mtu);
void alone_free(struct alone *a);

/*
 * Of the message of `bytes` whose last packet is p, in picoseconds.  One cache serves one receiving
 * host.
 */
tm_ps alone_ps(struct alone *a, const struct fab *fab, const struct pkt *p, uint32_t bytes);

/* Of a READ that `reader` makes of `bytes` at `owner`: the request's way and the responses'. */
tm_ps alone_read_ps(struct alone *a, const struct fab *fab, uint16_t reader, uint16_t owner,
                    uint32_t bytes);

#endif
