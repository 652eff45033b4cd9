/*
 * The HCA: the transport core's driver on the event engine.
 *
 * It feeds arriving packets to the core, pulls packets when its wire is free (round robin
 * over the QPs that have some, one packet a turn), keeps the core's deadline in the event queue and tells
 * the host's load when completions wait.  Fixed processing delays are folded into the links
 * (see fab_new), so they cost no event.
 *
 * Where work takes time (cost.h), packets go through the adapter's units on their way.
 *
 * Left out: congestion control.
 */
#ifndef HCA_HCA_H
#define HCA_HCA_H

#include "models/cm/mad.h"
#include "models/fabric/fab.h"
#include "models/hca/cost.h"
#include "models/hca/meter.h"
#include "models/transport/xp.h"

enum hca_arbitration { HCA_RR_PACKET, HCA_RR_MESSAGE, HCA_ARBITRATIONS };

struct hca_cfg {
    struct xp_profile xp;
    tm_ps tx_delay_ps;       /* from pull to the wire */
    tm_ps rx_delay_ps;       /* from the wire to the core, and to a completion */
    enum wire_encap encap;   /* the fabric's */
    enum hca_arbitration arbitration; /* packet: turn_packets a turn; message: until a message ends, too */
    uint32_t turn_packets;   /* 1 and up */
    struct hca_cq_moderation {
        uint32_t count;      /* the consumer hears of so many completions at once, 1 and up */
        tm_ps time_ps;       /* or of fewer, when the first has waited so long */
    } moderation;
    struct hca_cost_cfg cost;
    uint32_t early_packets; /* kept until their QP is RTR, at most */
};

/* Watches messages (--messages) and packets at the host (--trace); NULL members: not wanted. */
struct hca_tap {
    void (*delivered)(void *self, uint32_t host, const struct pkt *last, uint32_t qpn,
                      uint32_t bytes, tm_ps now);
    void (*note)(void *self, uint32_t host, const struct xp_note *note);
    void *self;
};

struct hca;

/*
 * limits: of the core inside.  meter: the domain's.  measure_slowdown: latency over fab_alone_ps.
 * Memory is reserved without backing and touched when used;
 * NULL: the system has no address space for it.
 */
struct hca *hca_new(const struct hca_cfg *cfg, uint32_t host, const struct xp_limits *limits,
                    struct fab *fab, struct ev *ev, struct meter *meter, bool measure_slowdown,
                    uint32_t mtu, uint64_t seed, const struct hca_tap *tap);
void hca_free(struct hca *h);
uint32_t hca_entities(const struct hca_cfg *cfg); /* per HCA */

/*
 * The entity (rank EV_LOAD) to arm when completions or events wait.  Not armed from inside
 * hca_post_* and hca_modify: their caller polls until the CQs are empty.
 */
void hca_set_notify(struct hca *h, ev_id load);

#define HCA_HEAD_BYTES 16u
/*
 * A consumer with a header of its own in front of each datagram's payload.  gather: its HCA_HEAD_BYTES
 * bytes, as a datagram leaves; NULL: none.  place: a datagram that has one was accepted, head at rx->seg;
 * it is the consumer's to measure.  p holds tag and msgno of its post.
 */
struct hca_head {
    const void *(*gather)(void *self, const struct xp_tx *tx);
    void (*place)(void *self, const struct pkt *p, const struct xp_rx *rx, const void *head, tm_ps now);
    void *self;
};
void hca_set_head(struct hca *h, const struct hca_head *head);

/*
 * The host's memory: byte at[0] has the address `base`.  With it payload is moved with the packets, and
 * `landed` is told of each message that is whole: one that arrived here (rx->message_done), or what a READ
 * or atomic of this host brought (rx->read_done).  For hosts of connections; comes before any packet.
 */
struct hca_bytes {
    uint8_t *at; /* the caller's */
    uint64_t base, bytes;
    void (*landed)(void *self, uint32_t host, const struct pkt *last, const struct xp_rx *rx);
    void *self;
};
void hca_set_bytes(struct hca *h, const struct hca_bytes *bytes);

/* What its caches and PCIe have seen; all 0 without units. */
void hca_cost_counts(const struct hca *h, struct hca_cost_counts *out);

/* The core, for calls that move no packet: create, poll, query, memory regions. */
struct xp *hca_core(struct hca *h);

/* Name of the core's pool that ran out, NULL while none did: the run is void then. */
const char *hca_exhausted(const struct hca *h);

/* Post, modify, destroy: the core's call, then whatever it set moving. */
int hca_post_send(struct hca *h, uint32_t qpn, const struct xp_send_wr *wr, tm_ps now);
int hca_post_recv(struct hca *h, uint32_t qpn, const struct xp_recv_wr *wr, tm_ps now);
int hca_modify(struct hca *h, uint32_t qpn, const struct xp_qp_attr *attr, uint32_t mask, tm_ps now);
int hca_destroy(struct hca *h, uint32_t qpn, tm_ps now);

/*
 * Management datagrams of QP 1 (models/hca/gsi.h).  From hca_mads_open on those that arrive are kept,
 * and the load is armed for them and for the core's events.  hca_mad_send: `again`, for the count of
 * repetitions.
 */
void hca_mads_open(struct hca *h);
void hca_mad_send(struct hca *h, uint32_t to, const uint8_t bytes[CM_MAD_BYTES], bool again, tm_ps now);
bool hca_mad_take(struct hca *h, uint32_t *from, uint8_t bytes[CM_MAD_BYTES]);

/*
 * The QP becomes a member of a multicast group, and its host one on the fabric's switches: as xp_mcast_attach.  A
 * datagram that arrives for the group is given to each member.  What a host sends to a group does not
 * come back to its own members.  Before anything runs.
 */
int hca_mcast_attach(struct hca *h, uint32_t qpn, uint16_t group);

/* The host dies: its HCA neither sends nor hears from now on. */
void hca_kill(struct hca *h, tm_ps now);

/*
 * Is this the first delivery of that number?  *end is 1 + the largest so far, bit i of *seen says that
 * *end - 1 - i has come.
 */
bool hca_first_time(uint64_t *end, uint64_t *seen, uint32_t msgno);

/* Distinct messages and bytes delivered through this QP (as responder). */
uint64_t hca_qp_bytes(const struct hca *h, uint32_t qpn);
uint64_t hca_qp_delivered(const struct hca *h, uint32_t qpn);
/* READs and atomics of this QP that have been answered, and their bytes. */
uint64_t hca_qp_read_bytes(const struct hca *h, uint32_t qpn);
uint64_t hca_qp_reads(const struct hca *h, uint32_t qpn);
/* 1 + number of the last message delivered through this QP, 0 = none. */
uint64_t hca_qp_last_msgno(const struct hca *h, uint32_t qpn);

#endif
