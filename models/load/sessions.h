/*
 * A device whose QPs are sessions of acknowledged datagrams, all over one datagram QP.
 *
 * To its consumer it is a `struct vb` that offers SEND: what a load posts, polls and reconnects
 * works unchanged.  Below is a datagram port.  A host's processor does the transport's work, one datagram at
 * a time: cpu_ps for each that it sends or receives, acknowledgements too.
 *
 * Receives posted to a session are permission: data for a session that has none is dropped, and
 * the sender's timer repeats it.  Messages that one arrival completes together are handed over
 * together, even if they are more than the receives posted; those are owed.  wr_id of a receive comes back
 * as 0.
 *
 * Left out: destroying a session; the payload.
 */
#ifndef LOAD_SESSIONS_H
#define LOAD_SESSIONS_H

#include "models/hca/meter.h"
#include "models/udack/udack.h"
#include "models/verbs/vb.h"
#include "models/wire/pkt.h"

/* A datagram on its way from or to a port; tag and msgno are the simulator's notes, not bytes. */
struct datagram {
    uint8_t hdr[UDACK_HDR_BYTES];
    uint64_t tag;
    uint32_t msgno;
    uint32_t host;  /* to; from */
    uint32_t bytes; /* behind the header */
};

struct datagram_port {
    /* May a datagram be sent now?  `send` must not be called when not. */
    bool (*has_room)(void *self);
    void (*send)(void *self, const struct datagram *d, tm_ps now);
    /*
     * The oldest that has arrived; false: none.  It is copied, its receive is posted again: were early
     * ones to keep their receives, those missing could find none, and nothing would go on.
     */
    bool (*take)(void *self, struct datagram *d, tm_ps now);
    bool (*waits)(void *self); /* would `take` give one? */
    void (*kill)(void *self, tm_ps now); /* the host dies */
    void *self;
};

struct sessions_cfg {
    struct udack_cfg udack;
    struct udack_limits limits;
    tm_ps cpu_ps;
    /* A message was handed over; may be NULL.  As hca_tap's: *last holds tag, msgno and both hosts. */
    void (*delivered)(void *self, uint32_t host, const struct pkt *last, uint32_t qpn,
                      uint32_t bytes, tm_ps now);
    void *self;
    uint32_t host;
};

struct sessions;

/* cfg is not refused (udack_refuse).  NULL: no memory. */
struct sessions *sessions_new(const struct sessions_cfg *cfg, const struct datagram_port *port,
                              struct meter *meter);
void sessions_free(struct sessions *s);
struct vb sessions_vb(struct sessions *s);

/* All that can be done at `now`; completions then wait to be polled. */
void sessions_step(struct sessions *s, tm_ps now);
/* When sessions_step has something to do, but for arrivals: `now` or earlier means at once. */
tm_ps sessions_next(const struct sessions *s);

/* Distinct messages and their bytes that this session has handed over; next: 1 + number of the last. */
struct sessions_got {
    uint64_t messages, bytes;
    uint32_t next;
};
struct sessions_got sessions_got(const struct sessions *s, uint32_t qpn);
const struct udack_counts *sessions_counts(const struct sessions *s);
/* Data that came while its session had no receive. */
uint64_t sessions_refused(const struct sessions *s);
/* What this host's sessions have taken, at most; without buffers. */
size_t sessions_used_bytes(const struct sessions *s);
/* What one more idle session costs on a host, in all. */
size_t sessions_idle_bytes(void);

#endif
