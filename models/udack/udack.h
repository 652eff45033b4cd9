/*
 * Reliable messages over one unreliable datagram QP: what software does when the adapter does not.
 *
 * An endpoint has sessions with peers, all over the same UD QP.  A message is cut into datagrams of
 * at most the MTU, each opening with a header of 16 bytes.  A session keeps a window of
 * unacknowledged datagrams (its credits), retransmits what a timer or the peer's acknowledgements
 * show to be lost, holds what arrives early in a bounded buffer, and hands messages over in
 * order and at most once.  A message whose retransmissions run out is reported at the sender;
 * whether the receiver had it cannot be told then.
 *
 * Asked, it does not act: time, datagrams and messages go in; datagrams, pieces, completions and
 * deadlines are taken out.  It calls nobody, allocates nothing and touches no payload.  State is
 * one block without pointers.  A datagram names the receiver's session by its index, so nothing is
 * looked up.  `now` never decreases.
 *
 * Left out: how sessions are agreed upon (both ends are told), congestion control, the payload.
 */
#ifndef UDACK_H
#define UDACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/tm.h"

#define UDACK_HDR_BYTES 16u
#define UDACK_WINDOW_MAX 64u
#define UDACK_MESSAGE_BYTES_MAX (UINT32_C(1) << 31)

/* ---- header ------------------------------------------------------------------------------------- */

enum udack_flag {
    UDACK_ACK = 1,  /* an acknowledgement alone: no sequence number, no payload */
    UDACK_LAST = 2, /* the message ends here */
    UDACK_ASK = 4,  /* acknowledge at once */
    UDACK_GAP = 8   /* something later than `ack` has arrived */
};

/*
 * Sequence numbers count a session's datagrams in one direction, from 0, on a circle of 24 bits.
 * `sack`: bit i, the datagram ack + 1 + i is held.  Data carries 16 bits of it, an
 * acknowledgement alone 64, in the place of seq, message and fragment, which are 0 then.
 */
struct udack_hdr {
    uint32_t session; /* index at the receiver, 20 bits */
    uint32_t seq, ack; /* ack: the next one expected */
    uint32_t fragment; /* of its message, from 0; 24 bits */
    uint64_t sack;
    uint8_t message;     /* its number, low 8 bits */
    uint8_t incarnation; /* of the session */
    uint8_t flags;       /* enum udack_flag */
};
/* 16 bytes in network order. */
void udack_pack(const struct udack_hdr *h, uint8_t out[UDACK_HDR_BYTES]);
struct udack_hdr udack_unpack(const uint8_t in[UDACK_HDR_BYTES]);

/* ---- birth -------------------------------------------------------------------------------------- */

enum udack_recovery { UDACK_GO_BACK_N, UDACK_SELECTIVE, UDACK_RECOVERIES };

struct udack_cfg {
    uint32_t mtu_bytes;   /* of a datagram, the header in */
    uint8_t window;       /* datagrams unacknowledged at most, 1 .. 64 */
    uint8_t reorder;      /* datagrams that the receiver holds for a session, 0 .. 63 */
    uint8_t ack_every;    /* acknowledge at the latest every n-th datagram, >= 1 */
    bool ask_last;        /* the last datagram of a message asks for an acknowledgement */
    uint8_t retries;      /* timeouts in a row that end a session: this and one more */
    /*
     * Recovery before the timer, 0: never.  Go-back-N: after so many acknowledgements that show a gap.
     * Selective: when one sent so many datagrams later has arrived.
     */
    uint8_t fast_after;
    enum udack_recovery recovery;
    tm_ps ack_delay_ps;   /* an acknowledgement waits so long for data to ride on */
    bool adaptive;        /* timeout from measured round trips, doubled at each repetition */
    tm_ps rto_ps;         /* fixed timeout; adaptive: until a round trip was measured */
    tm_ps rto_min_ps, rto_max_ps; /* adaptive: bounds */
};

/* Worst cases, fixed for life; active: sessions at work at one time. */
struct udack_limits {
    uint32_t sessions, active, messages;
};

/* What is out of range, NULL if nothing. */
const char *udack_refuse(const struct udack_cfg *cfg, const struct udack_limits *lim);
/* Bytes of an endpoint; the part of them that one more idle session costs. */
size_t udack_size(const struct udack_cfg *cfg, const struct udack_limits *lim);
size_t udack_session_bytes(void);

struct udack;
/* Zeroed memory of udack_size bytes, 8-byte aligned, becomes an endpoint; cfg is not refused. */
struct udack *udack_init(void *block, const struct udack_cfg *cfg, const struct udack_limits *lim);

/* ---- sessions ----------------------------------------------------------------------------------- */

enum udack_err { UDACK_OK = 0, UDACK_EINVAL = -1, UDACK_ENOMEM = -2, UDACK_ESTATE = -4 };

/*
 * A session with `peer` (the caller's word for an address; datagrams from others are strangers),
 * the next index.  remote: the session's index there.  udack_point tells both later, or anew.
 */
int udack_open(struct udack *u, uint32_t peer, uint32_t remote, uint32_t *session);
int udack_point(struct udack *u, uint32_t session, uint32_t peer, uint32_t remote);

/*
 * Starts anew, both directions: messages not yet acknowledged complete as UDACK_RESET, the peer
 * does the same when it hears of it.  What is still under way of the old incarnation is ignored.
 */
int udack_reset(struct udack *u, uint32_t session, tm_ps now);

struct udack_query {
    bool failed;
    uint8_t incarnation;
    uint32_t next_seq, expected, outstanding, held;
    uint32_t posted, delivered; /* messages of this incarnation, out and in */
    tm_ps rto_ps;               /* now, before doubling */
};
int udack_query(const struct udack *u, uint32_t session, struct udack_query *out);

/* ---- sender ------------------------------------------------------------------------------------- */

/* A message of `bytes` (0: one empty datagram).  ENOMEM: no room; ESTATE: the session has failed. */
int udack_post(struct udack *u, uint32_t session, uint64_t id, uint32_t bytes, tm_ps now);

struct udack_tx {
    struct udack_hdr hdr;
    uint32_t session, peer;
    uint64_t id;            /* the message's; 0 for an acknowledgement alone */
    uint32_t offset, bytes; /* of the message: what follows the header */
    bool retransmit;
    bool more; /* another datagram may be pulled now */
};
/* The next datagram, sessions in turn; false: none now. */
bool udack_pull(struct udack *u, tm_ps now, struct udack_tx *out);
/* May udack_pull have one?  Never false when it has. */
bool udack_is_ready(const struct udack *u);

enum udack_status { UDACK_DONE, UDACK_RETRIES_EXCEEDED, UDACK_FLUSHED, UDACK_RESET, UDACK_STATUSES };
const char *udack_status_name(enum udack_status s);
struct udack_done {
    uint64_t id;
    uint32_t session;
    uint32_t message; /* number in its incarnation */
    uint32_t bytes;
    enum udack_status status;
};
/* Each message completes once, a session's in the order of their posts.  false: none. */
bool udack_take_done(struct udack *u, struct udack_done *out);

/* ---- receiver ----------------------------------------------------------------------------------- */

enum udack_verdict {
    UDACK_ACCEPTED,  /* in order: pieces to be taken */
    UDACK_HELD,      /* early: the buffer is kept */
    UDACK_HEARD,     /* an acknowledgement alone */
    UDACK_DUPLICATE, /* had already; it is acknowledged again */
    UDACK_TOO_EARLY, /* early, and nothing early can be held so far ahead */
    UDACK_STALE,     /* of an older incarnation */
    UDACK_STRANGER,  /* no such session, or not this peer's */
    UDACK_MALFORMED,
    UDACK_NO_ROOM,   /* more sessions at work than `active` */
    UDACK_VERDICTS
};
const char *udack_verdict_name(enum udack_verdict v);

struct udack_rx {
    enum udack_verdict verdict;
    uint32_t session;
    bool peer_reset; /* the datagram began a new incarnation */
};

/*
 * A datagram with `bytes` behind its header arrived from `peer` in `buffer`.  The buffer is the
 * endpoint's from ACCEPTED and HELD on, until udack_take_piece or udack_take_freed returns it.
 * All pieces and freed buffers are taken before the next call.
 */
struct udack_rx udack_recv(struct udack *u, const struct udack_hdr *h, uint32_t peer, uint32_t bytes,
                           uint32_t buffer, tm_ps now);

struct udack_piece {
    uint32_t session, buffer;
    uint32_t message;       /* number in its incarnation */
    uint32_t offset, bytes; /* where these bytes belong in it */
    uint32_t message_bytes; /* with last */
    bool last;
};
bool udack_take_piece(struct udack *u, struct udack_piece *out);
/* A buffer whose datagram belonged to an incarnation that is over. */
bool udack_take_freed(struct udack *u, uint32_t *buffer);

/* ---- time, and looking in ------------------------------------------------------------------------- */

/* The next time udack_expire has something to do; TM_NEVER if none.  O(1). */
tm_ps udack_deadline(const struct udack *u);
void udack_expire(struct udack *u, tm_ps now);

/* Since birth.  Each datagram sent or received costs the host time: that is for the caller to charge. */
struct udack_counts {
    uint64_t data_sent, data_retransmitted; /* sent: retransmitted ones in */
    uint64_t acks_alone, acks_riding;       /* riding: data that an acknowledgement waited for */
    uint64_t timeouts, fast_recoveries;
    uint64_t verdict[UDACK_VERDICTS]; /* datagrams received */
    uint64_t messages_done, messages_failed, messages_delivered;
    uint64_t resets; /* own and peers' */
};
const struct udack_counts *udack_counts(const struct udack *u);

/*
 * What an endpoint of this size would take: the records of its sessions, and a working block for as many as
 * were ever at work at one time.
 */
size_t udack_used_bytes(const struct udack *u);

/* Sessions at work, messages posted and not taken back: 0 when all is quiet. */
uint32_t udack_outstanding(const struct udack *u);

#endif
