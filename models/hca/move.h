/*
 * Payload that is really moved: from a host's memory into a packet, and from there into another's.
 */
#ifndef HCA_MOVE_H
#define HCA_MOVE_H

#include "models/hca/hca.h"

#define MOVE_PAYLOAD_MAX 4096u

/* The packet's payload, out of memory. */
void move_gather(const struct hca_bytes *m, const struct xp_tx *tx,
                 uint8_t payload[MOVE_PAYLOAD_MAX]);

/*
 * Does what *rx asks for.  payload: the packet's; may be NULL if it has none.  Of an atomic: what the
 * memory held before.
 */
uint64_t move_place(const struct hca_bytes *m, const struct xp_rx *rx, const uint8_t *payload);

static inline uint8_t *move_held(uint8_t *held, uint32_t slot)
{
    return held + (size_t)slot * MOVE_PAYLOAD_MAX;
}

#endif
