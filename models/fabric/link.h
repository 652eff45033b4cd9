/*
 * Inside the fabric: what a link, a node and a whole fabric hold.  Private to models/fabric.
 *
 * A link belongs to two sides.  The sender's fields are touched by link_send alone, the
 * receiver's by its arrivals alone; where the two live in different domains, packets wait in
 * `staged` until the receiving domain takes them in at the start of a window.
 */
#ifndef FABRIC_LINK_H
#define FABRIC_LINK_H

#include "models/fabric/fab.h"
#include "models/fabric/inject_run.h"
#include "sim/base/rng.h"

/* Packets by value and when they arrive.  Grows by doubling, never shrinks. */
struct ring {
    struct pkt *pkt;
    tm_ps *at;
    uint32_t head, tail; /* free running; tail - head packets */
    uint32_t cap;        /* power of two, 0 before the first packet */
};

/* Packets that rules let others overtake, by arrival, equal ones in the order they came. */
struct late {
    struct pkt *pkt;
    tm_ps *at;
    uint32_t count, cap;
    ev_id entity;
    bool used; /* some rule may put packets here: entity is there */
};

/* Purposes of draws; loss.c has those below. */
enum { ROUTE_DRAW = 3, OWN_LOSS_DRAW = 4 };

enum link_watch { WATCH_TAP = 1, WATCH_RULES = 2, WATCH_LOSS = 4, WATCH_DEAD = 8, WATCH_IP_ID = 16 };
enum link_end { END_TAP = 1, END_CORRUPT = 2, END_DEAD = 4 };

/* What only links with loss, rules or a tap need, and what is asked for at the end. */
struct link_cold {
    char name[24];
    uint32_t from, to;           /* nodes */
    uint64_t rate_bps;
    uint32_t domain, far_domain; /* of the sender, of the receiver */
    uint32_t *rule;              /* indices of the rules that look at this link, in file order */
    uint32_t rules;
    struct loss_state loss;
    tm_ps before_ps, after_ps;   /* delays of the ends within extra_ps: the packet is not on the wire */
    uint16_t next_ip_id;         /* of the host that sends */
    uint64_t dropped[FAB_DROPS]; /* on the sender's side */
    uint64_t *lost_of;           /* of them, by the host that had sent the packet; NULL: none yet */
    uint64_t injected, copies;   /* copies: by `dup` rules, they never took this wire */
    int64_t lost_bytes; /* sent, but not on their way to the far end; less what rules added */
    uint64_t dead_bytes; /* refused by a dead receiver */
    struct ring staged, staged_late;
    struct late late;
    uint64_t own_loss;       /* of this cable, beside the fabric's: a threshold */
    struct rng_stream own_draw;
    struct rng_stream pick;  /* draws of a way for what has come by this link */
    struct flowlet *flowlet; /* by flow; NULL: the policy has none */
};

struct link {
    /* sender */
    tm_ps busy_until;
    tm_ps extra_ps;  /* end of serialisation to arrival */
    tm_ps buffer_ps; /* serialisation time of the buffer, TM_NEVER = unlimited */
    tm_ps backlog_max_ps;
    uint64_t sent;
    uint64_t sent_bytes;  /* that took the wire, all overhead in */
    struct ring *out;     /* &ring, or &cold->staged */
    uint32_t ps_per_byte; /* 0: the rate does not divide 8 * 10^12, see tm_serialise */
    uint32_t watch;       /* enum link_watch */
    /* receiver */
    struct ring ring;
    uint32_t end; /* enum link_end */
    ev_id entity;
    uint64_t arrived, corrupt, dead;
    struct link *const *route; /* at a switch: next link by destination host; NULL: see route.c */
    fab_arrive *arrive;        /* at a host */
    void *host;
    struct fab *fab;
    struct ev *ev;
    struct link_cold *cold;
};

/* Forged packets of one host, in the order of their times. */
struct forger {
    struct fab *fab;
    uint32_t host, next, rules;
    uint32_t *rule;
    ev_id entity;
};

struct fab {
    struct fab_cfg cfg;
    struct ev *ev;
    struct fab_tap tap;
    struct link *link; /* in the order the builder made them */
    struct link_cold *cold;
    uint32_t links, nodes, switches;
    struct link **route;   /* [switch][host]; NULL where ways are many: */
    struct paths paths;
    struct link **uplink;  /* of a host */
    uint32_t *domain_of;   /* of a node */
    struct inject_run *inject;
    struct loss_plan loss;
    struct forger *forger; /* of a host; NULL without rules that forge */
    struct fab_group *group;
    uint32_t groups;
};

/* link.c */
ev_fire link_fire, link_late_fire;
void link_drain(void *self);
void link_fini(struct link *l);
void link_note(const struct link *l, const char *kind, const char *reason, const struct pkt *p,
               tm_ps now);
static inline tm_ps link_serialise(const struct link *l, uint32_t bytes)
{
    return l->ps_per_byte ? (tm_ps)bytes * l->ps_per_byte : tm_serialise(bytes, l->cold->rate_bps);
}

/* How long a packet that comes now waits until its first bit leaves. */
static inline tm_ps link_wait(const struct link *l, tm_ps now)
{
    return l->busy_until > now ? l->busy_until - now : 0;
}

/* Puts a packet on its way to arrive at `at`: in order, or as one that others may overtake. */
/* group.c: a packet for a group has come to a switch by `l`. */
void link_replicate(struct link *l, const struct pkt *p, tm_ps now);
void groups_fini(struct fab *f);

/* The packet goes no further from here on. */
void link_count_drop(struct link *l, const struct pkt *p, enum fab_drop why);
void link_enqueue(struct link *l, const struct pkt *p, tm_ps at);
void link_enqueue_late(struct link *l, const struct pkt *p, tm_ps at);

/*
 * watch.c: what taps, dead hosts, rules and loss make of a packet that would arrive at `at`.  True:
 * it goes on as it is (rules may have rewritten it); false: it was dropped or queued otherwise.
 */
bool link_watch_send(struct link *l, struct pkt *p, tm_ps at, tm_ps now);

/* route.c: one of several equally good links for a packet that came by `in`. */
struct link *route_pick(struct link *in, const struct pkt *p, tm_ps now);
const struct link *route_first(const struct link *in, uint32_t dst);

#endif
