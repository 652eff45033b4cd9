/*
 * QP 1 of a host, the general service interface: MADs out and in.
 *
 * It is unreliable and keeps no state but a PSN that counts, so the HCA serves it itself and the
 * transport core does not know of it.  A MAD is one UD SEND_ONLY of 256 bytes; it waits for its turn
 * at the wire like a packet of any QP, and is lost like one.  Its bytes travel beside the packet.
 *
 * Left out: QP 0, RMPP, and a receive queue that can be full: the host takes MADs as they come.
 */
#ifndef HCA_GSI_H
#define HCA_GSI_H

#include <stdbool.h>
#include <stdint.h>

#include "models/cm/mad.h"
#include "models/wire/pkt.h"

struct gsi_mad {
    uint16_t host; /* the other one */
    uint8_t bytes[CM_MAD_BYTES];
};

/* A ring that grows to the most that ever waits. */
struct gsi_queue {
    struct gsi_mad *item;
    uint32_t head, count, room;
};

struct gsi {
    struct gsi_queue out, in;
    uint32_t psn;
};

struct gsi *gsi_new(void);
void gsi_free(struct gsi *g);

void gsi_put(struct gsi_queue *q, uint16_t host, const uint8_t bytes[CM_MAD_BYTES]);
/* False: there is none. */
bool gsi_take(struct gsi_queue *q, struct gsi_mad *out);

/* The packet of the next MAD, all but wire_bytes; whoever sends it lets it go.  False: none waits. */
bool gsi_next_packet(struct gsi *g, uint16_t from, struct pkt *out);

/* Is this packet for QP 1, of a kind that it takes? */
static inline bool gsi_is_mad(const struct pkt *p)
{
    return p->h.dest_qp == CM_GSI_QPN && p->h.opcode.v == WIRE_OPCODE_MAD;
}

/* "REQ": what the packet brings; "" if it is no MAD of connection management. */
const char *gsi_mad_name(const struct pkt *p);

/* The MAD of a packet that has arrived, into g->in.  False: it has no bytes, or another Q_Key. */
bool gsi_arrived(struct gsi *g, const struct pkt *p);

#endif
