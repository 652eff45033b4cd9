/*
 * What travels with a packet and does not fit into its 64 bytes: the headers of wire_ext, payload.
 *
 * Few packets have any.  A datagram's DETH and an XRC request's XRCETH go into fields of wire_hdr
 * that such packets do not use, so they cost no memory, and so does a payload of SIDE_HEAD_BYTES of a
 * datagram without immediate data; the rest lies in a block of its own behind
 * the packet's tag.  A block belongs to one packet: whoever ends the packet's way frees it (side_take
 * at its host, side_drop where it is lost), whoever copies the packet copies the block.
 */
#ifndef FABRIC_SIDE_H
#define FABRIC_SIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "models/wire/pkt.h"

#define SIDE_HEAD_BYTES 16u

/* At its sender: *e (and `bytes` of payload, which are copied; 0: none) go with the packet. */
void side_attach(struct pkt *p, const struct wire_ext *e, const void *payload, size_t bytes);

/*
 * What goes with the packet: *e, all zero where there is nothing, and *plain as it was before
 * side_attach.  The packet keeps it.  Payload: NULL if there is none; valid as long as the packet is.
 */
const void *side_look(const struct pkt *p, struct pkt *plain, struct wire_ext *e);

/* How many bytes of payload side_look gives. */
size_t side_bytes(const struct pkt *p);

/* The packet's way has ended.  What side_look gave is gone. */
void side_drop(const struct pkt *p);

/* *p is a copy of a packet that goes on: it gets a block of its own. */
void side_copy(struct pkt *p);

#endif
