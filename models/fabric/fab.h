/*
 * The fabric: links, switches and the topologies made of them.
 *
 * A directed link is an output port and its wire: fixed rate, FIFO, so the departure of a packet
 * is known when it is queued.  The link keeps its packets by value in a ring, and only the
 * arrival of the head is in the event queue: a switch hop costs one event.
 *
 * Invariant: sent = arrived + dropped (by reason) + in flight, on every link at any time.
 */
#ifndef FABRIC_FAB_H
#define FABRIC_FAB_H

#include <stdbool.h>
#include <stdint.h>

#include "models/fabric/inject.h"
#include "models/fabric/paths.h"
#include "models/fabric/topo.h"
#include "models/wire/frame.h"
#include "models/wire/pkt.h"
#include "sim/engine/ev.h"

/* What a random loss may hit (loss.class); a bit set of 1 << enum fab_class. */
enum fab_class { FAB_DATA, FAB_ACK, FAB_NAK, FAB_READ_RESP, FAB_CNP, FAB_CM, FAB_CLASSES };
enum fab_class fab_class_of(const struct wire_hdr *h);

/*
 * Who decides among equally good links.  ecmp: a hash of the flow, so that a flow keeps its way.
 * spray: a draw for each packet.  flowlet: a draw after each pause of a flow.  adaptive: the link
 * whose queue is shortest, among equal ones the flow's.
 */
enum fab_spread { FAB_ECMP, FAB_SPRAY, FAB_FLOWLET, FAB_ADAPTIVE };

struct fab_cfg {
    enum fab_topology topology;
    uint32_t hosts;
    uint32_t dim[TOPO_DIMS];    /* see topo_dims_text */
    const struct topo *given;   /* FAB_FILE: the topology itself; not owned */
    uint64_t rate_bps;          /* every link */
    uint64_t trunk_rate_bps;    /* links between switches; 0 = rate_bps */
    tm_ps delay_ps;             /* propagation, every link */
    tm_ps trunk_delay_ps;       /* links between switches; TM_NEVER = delay_ps */
    enum fab_paths paths;
    enum fab_spread spread;
    tm_ps flowlet_gap_ps;       /* a pause that makes the next packet a new flowlet's first */
    tm_ps switch_delay_ps;      /* added to each crossing of a switch */
    uint64_t buffer_bytes;      /* output buffer of a switch port, wire bytes; 0 = unlimited */
    uint64_t loss_threshold;    /* every link on its own: see rng_hits */
    uint32_t loss_classes;      /* 1 << enum fab_class */
    struct loss_cfg loss;       /* how that loss is spread; its model may have chances of its own */
    enum wire_encap encap;
};

enum fab_drop { FAB_DROP_LOSS, FAB_DROP_BUFFER, FAB_DROP_INJECT, FAB_DROP_CORRUPT, FAB_DROP_DOWN,
                FAB_DROPS };
const char *fab_drop_name(enum fab_drop why); /* "loss" "buffer" "inject" "icrc" "link_down" */

/* The plan of a topology that is not given; nodes and edges of either. */
struct topo_plan fab_plan(const struct fab_cfg *cfg);
void fab_topo(const struct fab_cfg *cfg, struct topo *out); /* ended by topo_clear */

struct fab;
struct link;

/* A host takes a packet that reached the end of its link.  The packet is the fabric's. */
typedef void fab_arrive(void *host, const struct pkt *p, tm_ps now);

/* Someone who watches (--trace): called for every packet put on a link, arriving, dropped. */
struct fab_tap {
    void (*note)(void *self, const char *kind, const char *reason, const struct link *where,
                 const struct pkt *p, tm_ps now);
    void *self;
};

/*
 * Builds the topology.  Hosts are cut into ev_domains(ev) contiguous groups, switches go with
 * their first host; if a rule counts packets of several senders, all share domain 0 (only there
 * do these packets have an order).  `pre_ps` and `post_ps` are fixed delays of the hosts' transmit
 * and receive sides, folded into their links.  rules: copied.  tap may be NULL.  seed: the run's.
 */
struct fab *fab_new(const struct fab_cfg *cfg, tm_ps pre_ps, tm_ps post_ps,
                    const struct inject_list *rules, struct ev *ev, uint64_t seed,
                    const struct fab_tap *tap);
void fab_free(struct fab *f);

/* Entities that fab_new will ev_add for this configuration, at most, whatever the rules. */
uint32_t fab_entities(const struct fab_cfg *cfg);

/* The domain a host lives in. */
uint32_t fab_domain(const struct fab *f, uint32_t host);

void fab_attach(struct fab *f, uint32_t host, fab_arrive *arrive, void *self);

/* The host's outgoing link, whose wire it may use when link_free_at() <= now. */
struct link *fab_uplink(struct fab *f, uint32_t host);
tm_ps link_free_at(const struct link *l);
uint64_t fab_rate_bps(const struct fab *f, uint32_t host); /* of the host's link */
const char *link_name(const struct link *l); /* "h0-s0" */

/*
 * Queues a packet (copied) on a link.  p->wire_bytes is already set.  A packet that finds the
 * buffer full, or that loss or a rule takes, is counted and gone.  Rules may rewrite *p.
 */
void link_send(struct link *l, struct pkt *p, tm_ps now);

/*
 * The host gets the packets that others send to the group (dst_host = PKT_GROUP_FIRST and up), once each; its
 * own do not come back to it.  Before anything runs.
 */
void fab_join(struct fab *f, uint16_t group, uint32_t host);

/* A host that was killed neither sends nor takes packets: what reaches it is dropped as down. */
void fab_kill(struct fab *f, uint32_t host);

struct fab_counts {
    uint64_t sent;       /* put on a link by a host or a switch */
    uint64_t arrived;    /* packet-hops */
    uint64_t dropped[FAB_DROPS];
    uint64_t in_flight;
    uint64_t queue_bytes_max; /* of a switch port, the packet that leaves included */
    uint64_t injected;   /* packets that rules added; they count as sent */
};
/* Over all links; the balance of every link is CHECKed. */
void fab_counts(const struct fab *f, struct fab_counts *out);

/*
 * One link; counted from its birth on.  A packet counts as sent when it is put into the port's
 * queue and there is room.  sent + copies = arrived + dropped (buffer and icrc apart) + in flight.
 */
struct link_counts {
    char node[12], peer[12]; /* "h0", "s0": the sending and the receiving end */
    bool is_switch_port;     /* of the sending end */
    uint64_t rate_bps;
    uint64_t sent, sent_bytes;       /* put on the wire, all overhead in */
    uint64_t copies;                 /* by `dup` rules: they appear behind the wire */
    uint64_t arrived, arrived_bytes; /* at the far end, those with a wrong ICRC included */
    uint64_t dropped[FAB_DROPS];
    uint64_t in_flight;
    uint64_t queue_bytes_max; /* of a switch port; 0 at a host, which sends packet by packet */
};

/* Links, and links that a fabric of this configuration has.  Link i ^ 1 is the way back of i. */
uint32_t fab_links(const struct fab *f);
uint32_t fab_cfg_links(const struct fab_cfg *cfg);
const struct link *fab_link(const struct fab *f, uint32_t i);
void fab_link_counts(const struct fab *f, uint32_t i, struct link_counts *out);
/* Packets that the host had sent and a link has dropped; what a host refuses is not among them. */
uint64_t fab_lost_of(const struct fab *f, uint32_t host);

/* The same in short, at the time `now`, when all entries up to it have run: cheap. */
struct link_moment {
    uint64_t gone_bytes; /* of sent_bytes: what has left the port, to the byte */
    uint64_t queue_bytes; /* the rest, the packet that leaves included */
    uint64_t dropped;    /* for any reason, at both ends */
};
void fab_link_moment(const struct fab *f, uint32_t i, tm_ps now, struct link_moment *out);

/* The time at which the last packet put on any link has left its port; 0 before any. */
tm_ps fab_busy_until(const struct fab *f);

/* Times each rule fired, in rule order. */
void fab_inject_fired(const struct fab *f, uint64_t *fired);

/*
 * Latency of a message of `bytes` alone on the empty fabric: post (all packets ready at 0) to the
 * arrival of its last packet, host delays in.  mtu payload bytes a packet; first_headers and
 * other_headers are BTH + extension header bytes of the first and of the other packets.
 */
tm_ps fab_alone_ps(const struct fab *f, uint32_t src, uint32_t dst, uint64_t bytes, uint32_t mtu,
                   uint32_t first_headers, uint32_t other_headers);

#endif
