/*
 * A device whose QPs are ends over one datagram QP: each sends to its peer alone, all receive from
 * one queue, and what arrives is counted for the end that it was sent to.
 *
 * To its consumer it is a `struct vb` that offers SEND of 1 byte to an MTU and a shared receive
 * queue.  Which end a datagram is for travels beside the packet, as a note of the simulator: it takes
 * no bytes on the wire.
 *
 * Left out: destroying an end; the payload.
 */
#ifndef LOAD_UDENDS_H
#define LOAD_UDENDS_H

#include "models/hca/hca.h"
#include "models/verbs/vb.h"

struct udends_cfg {
    enum xp_service_id service;
    uint32_t host, mtu_bytes;
    uint32_t ends;
    uint32_t sends, recvs; /* depths of the QP */
    /* As hca_tap's; may be NULL. */
    void (*delivered)(void *self, uint32_t host, const struct pkt *last, uint32_t qpn,
                      uint32_t bytes, tm_ps now);
    void *self;
};

struct udends;

/* NULL: *why names what the device refused. */
struct udends *udends_new(struct vb vb, const struct udends_cfg *cfg, struct meter *meter,
                          const char **why);
void udends_free(struct udends *u);
struct vb udends_vb(struct udends *u);
struct hca_head udends_head(struct udends *u);
/* Number of the QP below, and those of all hosts, by host. */
uint32_t udends_qpn(const struct udends *u);
void udends_set_peers(struct udends *u, const uint32_t *qpn);

/* Distinct messages and their bytes that came for the end; 1 + number of the last, 0: none. */
struct udends_got {
    uint64_t messages, bytes, end;
};
struct udends_got udends_got(const struct udends *u, uint32_t qpn);

#endif
