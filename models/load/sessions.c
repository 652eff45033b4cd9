/*
 * Sessions as QPs: posts become messages, arrivals become completions, the processor's time passes.
 *
 * Numbers of QPs are session indices plus a constant.  What a session costs while idle is its
 * endpoint's record and `struct place` here; counts of what it received lie in reserved memory that is
 * touched by the first message.
 */
#include "models/load/sessions.h"

#include <glib.h>
#include <sys/mman.h>

#include "sim/base/check.h"

#define QPN_FIRST 2u

struct place {
    int32_t recvs; /* posted and not used; below 0: owed */
    uint8_t state; /* enum xp_state */
};

/* What a request wants back; id of its message: index + 1. */
struct request {
    uint64_t wr_id, tag;
    uint32_t msgno;
    uint32_t next; /* free ones; index + 1 */
    bool signalled;
};

/* What the simulator notes on a datagram, while the endpoint has it; its buffer: index + 1. */
struct copy {
    uint64_t tag;
    uint32_t msgno, host;
    uint32_t next; /* free ones; index + 1 */
};

struct completions {
    struct xp_wc *item;
    uint32_t head, count, room; /* room: a power of 2, or 0 */
};

struct sessions {
    struct sessions_cfg cfg;
    struct datagram_port port;
    struct meter *meter;
    struct udack *udack;
    struct place *place;
    struct sessions_got *got;
    struct request *request;
    struct copy *copy;
    struct completions cq;
    void *memory;
    size_t memory_bytes;
    uint32_t opened, request_high, request_free;
    uint32_t copy_room, copy_high, copy_free;
    uint64_t refused; /* data without a receive */
    tm_ps busy_until_ps;
    bool killed, sends_next;
};

/* ---- completions ---------------------------------------------------------------------------------- */

static void complete(struct sessions *s, struct xp_wc wc)
{
    struct completions *q = &s->cq;
    if (q->count == q->room) {
        uint32_t room = q->room ? 2 * q->room : 16;
        struct xp_wc *item = g_new(struct xp_wc, room);
        for (uint32_t i = 0; i < q->count; i++)
            item[i] = q->item[(q->head + i) & (q->room - 1)];
        g_free(q->item);
        *q = (struct completions){item, 0, q->count, room};
    }
    q->item[(q->head + q->count++) & (q->room - 1)] = wc;
}

static int poll_cq(void *dev, uint32_t cq, struct xp_wc *wc, int max)
{
    struct completions *q = &((struct sessions *)dev)->cq;
    int n = 0;
    for (; n < max && q->count > 0; n++, q->count--)
        wc[n] = q->item[q->head++ & (q->room - 1)];
    return n;
}

static uint8_t status_of(enum udack_status status)
{
    static const uint8_t wc[UDACK_STATUSES] = {[UDACK_DONE] = XP_WC_SUCCESS,
                                               [UDACK_RETRIES_EXCEEDED] = XP_WC_RETRY_EXC_ERR,
                                               [UDACK_FLUSHED] = XP_WC_WR_FLUSH_ERR,
                                               [UDACK_RESET] = XP_WC_WR_FLUSH_ERR};
    return wc[status];
}

/* A session in RESET has forgotten its requests: as with a QP, they complete no more. */
static void take_done(struct sessions *s)
{
    struct udack_done d;
    while (udack_take_done(s->udack, &d)) {
        struct request *r = &s->request[d.id - 1];
        struct place *p = &s->place[d.session];
        bool wanted = r->signalled || d.status != UDACK_DONE;
        if (wanted && p->state != XP_RESET)
            complete(s, (struct xp_wc){.wr_id = r->wr_id,
                                       .tag = r->tag,
                                       .qpn = d.session + QPN_FIRST,
                                       .msgno = r->msgno,
                                       .status = status_of(d.status),
                                       .op = XP_WC_SEND});
        if (d.status != UDACK_DONE && p->state != XP_RESET)
            p->state = XP_ERR;
        r->next = s->request_free;
        s->request_free = (uint32_t)d.id;
    }
}

/* ---- datagrams ------------------------------------------------------------------------------------ */

static uint32_t keep_copy(struct sessions *s, const struct datagram *d)
{
    uint32_t i = s->copy_free;
    if (i) {
        s->copy_free = s->copy[i - 1].next;
    } else {
        if (s->copy_high == s->copy_room) {
            s->copy_room = s->copy_room ? 2 * s->copy_room : 16;
            s->copy = g_renew(struct copy, s->copy, s->copy_room);
        }
        i = ++s->copy_high;
    }
    s->copy[i - 1] = (struct copy){.tag = d->tag, .msgno = d->msgno, .host = d->host};
    return i;
}

static void drop_copy(struct sessions *s, uint32_t i)
{
    s->copy[i - 1].next = s->copy_free;
    s->copy_free = i;
}

/* What a connection made anew brings again has been counted. */
static void measure(struct sessions *s, const struct udack_piece *p, const struct copy *c,
                    tm_ps now)
{
    struct sessions_got *got = &s->got[p->session];
    if ((int32_t)(c->msgno - got->next) < 0)
        return;
    got->next = c->msgno + 1;
    got->messages++;
    got->bytes += p->message_bytes;
    meter_delivered(s->meter, p->message_bytes, (tm_ps)c->tag, now, 0);
    if (!s->cfg.delivered)
        return;
    struct pkt last = {.tag = c->tag,
                       .msgno = c->msgno,
                       .src_host = (uint16_t)c->host,
                       .dst_host = (uint16_t)s->cfg.host};
    s->cfg.delivered(s->cfg.self, s->cfg.host, &last, p->session + QPN_FIRST, p->message_bytes,
                     now);
}

static void hand_over(struct sessions *s, const struct udack_piece *p, tm_ps now)
{
    s->place[p->session].recvs--;
    measure(s, p, &s->copy[p->buffer - 1], now);
    complete(s, (struct xp_wc){
                    .qpn = p->session + QPN_FIRST, .byte_len = p->message_bytes, .op = XP_WC_RECV});
}

static void take_pieces(struct sessions *s, tm_ps now)
{
    struct udack_piece p;
    uint32_t buffer;
    while (udack_take_piece(s->udack, &p)) {
        if (p.last)
            hand_over(s, &p, now);
        drop_copy(s, p.buffer);
    }
    while (udack_take_freed(s->udack, &buffer))
        drop_copy(s, buffer);
}

/* Data for a session without receives is as good as lost; what rides on it is not. */
static void refuse_data(struct sessions *s, struct udack_hdr *h, uint32_t *bytes)
{
    if ((h->flags & UDACK_ACK) || h->session >= s->opened || s->place[h->session].recvs > 0)
        return;
    h->flags = (uint8_t)(UDACK_ACK | (h->flags & UDACK_GAP));
    *bytes = 0;
    s->refused++;
}

static bool receive_one(struct sessions *s, tm_ps now)
{
    struct datagram d;
    if (!s->port.take(s->port.self, &d, now))
        return false;
    struct udack_hdr h = udack_unpack(d.hdr);
    uint32_t copy = keep_copy(s, &d);
    refuse_data(s, &h, &d.bytes);
    struct udack_rx rx = udack_recv(s->udack, &h, d.host, d.bytes, copy, now);
    if (rx.verdict != UDACK_ACCEPTED && rx.verdict != UDACK_HELD)
        drop_copy(s, copy);
    take_pieces(s, now);
    return true;
}

static bool send_one(struct sessions *s, tm_ps now)
{
    struct udack_tx tx;
    if (!udack_is_ready(s->udack) || !s->port.has_room(s->port.self) ||
        !udack_pull(s->udack, now, &tx))
        return false;
    struct datagram d = {.host = tx.peer, .bytes = tx.bytes};
    udack_pack(&tx.hdr, d.hdr);
    if (tx.id) {
        d.tag = s->request[tx.id - 1].tag;
        d.msgno = s->request[tx.id - 1].msgno;
    }
    s->meter->n.packets_retransmitted += tx.retransmit;
    s->port.send(s->port.self, &d, now);
    return true;
}

/* By turns, so that a flood of arrivals does not keep acknowledgements from leaving. */
static bool work_one(struct sessions *s, tm_ps now)
{
    bool done;
    if (s->sends_next)
        done = send_one(s, now) || receive_one(s, now);
    else
        done = receive_one(s, now) || send_one(s, now);
    s->sends_next = !s->sends_next;
    return done;
}

void sessions_step(struct sessions *s, tm_ps now)
{
    if (s->killed)
        return;
    udack_expire(s->udack, now);
    while (s->busy_until_ps <= now && work_one(s, now))
        s->busy_until_ps = tm_add(now, s->cfg.cpu_ps);
    take_done(s);
}

tm_ps sessions_next(const struct sessions *s)
{
    tm_ps at = udack_deadline(s->udack);
    if (s->killed)
        return TM_NEVER;
    if (udack_is_ready(s->udack) && s->port.has_room(s->port.self))
        at = tm_min(at, s->busy_until_ps);
    if (s->port.waits(s->port.self))
        at = tm_min(at, s->busy_until_ps);
    return at;
}

/* ---- the consumer's calls ---------------------------------------------------------------------------- */

static int cq_create(void *dev, uint32_t depth, uint32_t *cq)
{
    *cq = 0;
    return XP_OK;
}

static int qp_create(void *dev, const struct xp_qp_init *init, uint32_t *qpn)
{
    struct sessions *s = dev;
    uint32_t session;
    if (udack_open(s->udack, UINT32_MAX, 0, &session) != UDACK_OK)
        return XP_ENOMEM;
    s->opened++;
    s->place[session].state = XP_RESET;
    *qpn = session + QPN_FIRST;
    return XP_OK;
}

static struct place *place_of(const struct sessions *s, uint32_t qpn)
{
    uint32_t i = qpn - QPN_FIRST;
    return i < s->opened ? &s->place[i] : NULL;
}

static void begin_anew(struct sessions *s, uint32_t session, tm_ps now)
{
    s->place[session] = (struct place){.recvs = 0, .state = XP_RESET};
    int rc = udack_reset(s->udack, session, now);
    CHECK(rc == UDACK_OK);
    take_pieces(s, now);
    take_done(s);
}

/* RESET begins a new incarnation; RTR says with whom; there is nothing else to set. */
static int qp_modify(void *dev, uint32_t qpn, const struct xp_qp_attr *attr, uint32_t mask,
                     tm_ps now)
{
    struct sessions *s = dev;
    struct place *p = place_of(s, qpn);
    if (!p || !(mask & XP_A_STATE))
        return XP_EINVAL;
    if (attr->state == XP_RESET) {
        begin_anew(s, qpn - QPN_FIRST, now);
        return XP_OK;
    }
    if (attr->state == XP_RTR &&
        udack_point(s->udack, qpn - QPN_FIRST, attr->path.host, attr->dest_qp - QPN_FIRST))
        return XP_EINVAL;
    p->state = (uint8_t)attr->state;
    return XP_OK;
}

static int qp_destroy(void *dev, uint32_t qpn, tm_ps now) { return XP_EOPNOTSUPP; }

static int qp_query(void *dev, uint32_t qpn, struct xp_qp_query *out)
{
    const struct sessions *s = dev;
    const struct place *p = place_of(s, qpn);
    struct udack_query q;
    if (!p || udack_query(s->udack, qpn - QPN_FIRST, &q) != UDACK_OK)
        return XP_EINVAL;
    *out = (struct xp_qp_query){.state = p->state,
                                .sq_psn = psn(q.next_seq),
                                .rq_psn = psn(q.expected),
                                .recvs_waiting = p->recvs > 0 ? (uint32_t)p->recvs : 0};
    return XP_OK;
}

/* Software copies: regions are not its concern. */
static int mr_add(void *dev, uint32_t pd, uint64_t addr, uint64_t len, uint32_t access,
                  uint32_t *key)
{
    *key = 0;
    return XP_OK;
}

static uint32_t take_request(struct sessions *s)
{
    uint32_t i = s->request_free;
    if (i)
        s->request_free = s->request[i - 1].next;
    else
        i = ++s->request_high;
    CHECK(i <= s->cfg.limits.messages + 1);
    return i;
}

static int post_send(void *dev, uint32_t qpn, const struct xp_send_wr *wr, tm_ps now)
{
    struct sessions *s = dev;
    const struct place *p = place_of(s, qpn);
    if (!p)
        return XP_EINVAL;
    if (wr->op != XP_WR_SEND)
        return XP_EOPNOTSUPP;
    if (p->state != XP_RTS && p->state != XP_ERR)
        return XP_ESTATE;
    struct xp_wc flushed = {.wr_id = wr->wr_id,
                            .tag = wr->tag,
                            .qpn = qpn,
                            .msgno = wr->msgno,
                            .status = XP_WC_WR_FLUSH_ERR,
                            .op = XP_WC_SEND};
    if (p->state == XP_ERR) {
        complete(s, flushed);
        return XP_OK;
    }
    /* One id is at hand for every message that the endpoint may hold. */
    uint32_t id = take_request(s);
    int rc = udack_post(s->udack, qpn - QPN_FIRST, id, wr->sge.length, now);
    s->request[id - 1] = (struct request){.wr_id = wr->wr_id,
                                          .tag = wr->tag,
                                          .msgno = wr->msgno,
                                          .next = s->request_free,
                                          .signalled = wr->flags & XP_SIGNALED};
    if (rc != UDACK_OK)
        s->request_free = id;
    return rc == UDACK_OK ? XP_OK : rc == UDACK_ENOMEM ? XP_ENOMEM : XP_EINVAL;
}

static int post_recv(void *dev, uint32_t qpn, const struct xp_recv_wr *wr, tm_ps now)
{
    struct place *p = place_of(dev, qpn);
    if (!p)
        return XP_EINVAL;
    p->recvs++;
    return XP_OK;
}

/* A session's receives are its own. */
static int srq_create(void *dev, const struct xp_srq_init *init, uint32_t *srqn)
{
    return XP_EOPNOTSUPP;
}

static int srq_post_recv(void *dev, uint32_t srqn, const struct xp_recv_wr *wr, tm_ps now)
{
    return XP_EOPNOTSUPP;
}

static bool take_event(void *dev, struct xp_event *ev) { return false; }

static void kill_host(void *dev, tm_ps now)
{
    struct sessions *s = dev;
    s->killed = true;
    s->port.kill(s->port.self, now);
}

struct vb sessions_vb(struct sessions *s)
{
    static const struct vb_ops ops = {
        .cq_create = cq_create,
        .qp_create = qp_create,
        .qp_modify = qp_modify,
        .qp_destroy = qp_destroy,
        .qp_query = qp_query,
        .mr_add = mr_add,
        .post_send = post_send,
        .post_recv = post_recv,
        .srq_create = srq_create,
        .srq_post_recv = srq_post_recv,
        .poll = poll_cq,
        .take_event = take_event,
        .kill = kill_host,
    };
    return (struct vb){&ops, s};
}

/* ---- birth and looking in ------------------------------------------------------------------------------ */

static size_t lines_of(size_t bytes) { return (bytes + 63) / 64 * 64; }

struct sessions *sessions_new(const struct sessions_cfg *cfg, const struct datagram_port *port,
                              struct meter *meter)
{
    const struct udack_limits *lim = &cfg->limits;
    size_t part[4] = {lines_of(udack_size(&cfg->udack, lim)),
                      lines_of(lim->sessions * sizeof(struct place)),
                      lines_of(lim->sessions * sizeof(struct sessions_got)),
                      lines_of(((size_t)lim->messages + 1) * sizeof(struct request))};
    struct sessions *s = g_new0(struct sessions, 1);
    s->cfg = *cfg;
    s->port = *port;
    s->meter = meter;
    s->memory_bytes = part[0] + part[1] + part[2] + part[3];
    s->memory = mmap(NULL, s->memory_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (s->memory == MAP_FAILED) {
        g_free(s);
        return NULL;
    }
    char *at = s->memory;
    s->udack = udack_init(at, &cfg->udack, lim);
    s->place = (struct place *)(void *)(at += part[0]);
    s->got = (struct sessions_got *)(void *)(at += part[1]);
    s->request = (struct request *)(void *)(at + part[2]);
    return s;
}

void sessions_free(struct sessions *s)
{
    if (!s)
        return;
    munmap(s->memory, s->memory_bytes);
    g_free(s->cq.item);
    g_free(s->copy);
    g_free(s);
}

struct sessions_got sessions_got(const struct sessions *s, uint32_t qpn)
{
    return place_of(s, qpn) ? s->got[qpn - QPN_FIRST] : (struct sessions_got){0};
}

const struct udack_counts *sessions_counts(const struct sessions *s)
{
    return udack_counts(s->udack);
}

uint64_t sessions_refused(const struct sessions *s) { return s->refused; }

size_t sessions_used_bytes(const struct sessions *s)
{
    return udack_used_bytes(s->udack) + s->opened * sizeof(struct place);
}

size_t sessions_idle_bytes(void) { return udack_session_bytes() + sizeof(struct place); }
