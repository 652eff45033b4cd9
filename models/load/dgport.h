/*
 * Datagrams over a datagram QP of a device: one QP, one CQ, receives that are posted again at once.
 *
 * What a datagram's first 16 bytes say lies here, by slot of the queues: a simulated host has no
 * other memory.  The device asks for it as a datagram leaves and hands it over as one arrives
 * (hca.h, hca_head).
 */
#ifndef LOAD_DGPORT_H
#define LOAD_DGPORT_H

#include "models/hca/hca.h"
#include "models/load/sessions.h"

#define DGPORT_GRH_BYTES 40u /* in front of every datagram received */

struct dgport_cfg {
    enum xp_service_id service; /* one without connections */
    uint32_t host;
    uint32_t mtu_bytes, sq_depth, rq_depth;
};

struct dgport;

/* A QP ready to send, all receives posted.  NULL: *why names what the device refused. */
struct dgport *dgport_new(struct vb vb, const struct dgport_cfg *cfg, const char **why);
void dgport_free(struct dgport *p);
uint32_t dgport_qpn(const struct dgport *p);
/* QP numbers of all hosts' ports, by host; the caller's until dgport_free. */
void dgport_set_peers(struct dgport *p, const uint32_t *qpn);

struct datagram_port dgport_port(struct dgport *p);
struct hca_head dgport_head(struct dgport *p);

#endif
