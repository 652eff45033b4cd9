/*
 * Where an adapter spends its time: processing units, caches of contexts, WQEs and translations, PCIe.
 *
 * A packet that is to be sent, or that has come, is taken by one of the units of its direction.  The unit is busy
 * for the packet's time and for the contexts that have to be fetched; WQE and payload are then awaited without it.
 * When all is there the packet goes on: to the wire, or into the transport.  Packets of one QP keep their
 * order, those of others may pass.
 *
 * Contexts are touched by requests, responses and acknowledgements alike, on both sides.  READs and atomics touch,
 * beside the QP's context, one of the max_rd_atomic that it has for them.
 *
 * Left out: translations of receives and of what READs bring; the transmit side's fixed delay (hca_cfg).
 */
#ifndef HCA_COST_H
#define HCA_COST_H

#include "models/hca/cache.h"
#include "models/hca/pcie.h"
#include "models/transport/xp.h"
#include "models/wire/pkt.h"

#define HCA_UNITS_MAX 256u

struct hca_cost_cfg {
    uint32_t units;        /* each way; 0: nothing takes time */
    tm_ps unit_time_ps;    /* of a request or response */
    tm_ps read_time_ps;    /* of a READ's or an atomic's request and of each of their responses; 0: as others */
    tm_ps ack_time_ps;     /* of an acknowledgement */
    tm_ps nak_delay_ps, nak_reaction_ps; /* a NAK leaves, or is looked at, so much later; keeps no unit */
    struct cache_cfg ctx, read, wqe, mtt;
    uint32_t ctx_bytes;    /* of a context that is fetched */
    struct pcie_cfg fetch; /* of contexts and translations; its rate_bps is not used */
    tm_ps read_fetch_ps;   /* of a READ's or an atomic's; 0: as of contexts */
    struct pcie_cfg pcie;
    tm_ps doorbell_ps;     /* from a post to the adapter's knowing of it */
    uint32_t wqe_batch;    /* WQEs that one read brings; 0: they are there with the doorbell */
    uint32_t inline_bytes; /* a payload up to this lies in the WQE */
    uint32_t page_bytes;   /* of a translation */
    uint64_t tx_fifo_bytes; /* that wait for the wire at most */
    uint64_t rx_buffer_bytes; /* of packets that have come and are not through; 0: any number */
    uint32_t read_slots;   /* READs and atomics that a QP can have under way, each way */
};

/* What has been touched and fetched. */
struct hca_cost_counts {
    struct cache_counts ctx, read, wqe, mtt;
    uint64_t pcie_read_bytes, pcie_written_bytes;
    uint64_t discarded; /* packets that found the receive buffer full */
};

struct cost;

/* qps: QP numbers are below.  NULL if the configuration has no units. */
struct cost *cost_new(const struct hca_cost_cfg *cfg, uint32_t qps, uint64_t seed);
void cost_free(struct cost *c);

/* When a unit is free to send. */
tm_ps cost_tx_free_at(const struct cost *c);
/* The QP's packet is taken for sending, by a unit that is free.  When it is ready for the wire. */
tm_ps cost_tx(struct cost *c, uint32_t qpn, const struct xp_tx *tx, const struct pkt *p, tm_ps now);
/* A packet has come, and waits for a unit.  When it is ready for the transport. */
tm_ps cost_rx(struct cost *c, const struct pkt *p, tm_ps now);

void cost_counts(const struct cost *c, struct hca_cost_counts *out);

#endif
