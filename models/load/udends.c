/*
 * Ends over one datagram QP.
 *
 * Sends lie in a ring of slots in the order of their posts, and so do their completions; a slot tells
 * from its address which end sent it.  A receive keeps its slot until it is posted again.
 *
 * Datagrams may come twice or overtake each other: an end counts each number once, as an HCA does for
 * a QP that has one peer.
 */
#include "models/load/udends.h"

#include <glib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/base/rng.h"

#define PD 1u
#define REGION_ADDR 0x10000u
#define QKEY 0x11111111u
#define QPN_FIRST 2u
#define GRH_BYTES 40u
#define SRQN 1u

struct place {
    uint32_t host, peer; /* place there */
    uint8_t state;
    uint64_t seen;
    struct udends_got got;
};

/* Beside a packet. */
struct note {
    uint32_t to;
    uint32_t unused[3];
};
_Static_assert(sizeof(struct note) == HCA_HEAD_BYTES, "what a packet can carry");

struct sent {
    struct note note;
    uint64_t wr_id;
    uint32_t place;
};

struct udends {
    struct udends_cfg cfg;
    struct vb vb;
    struct meter *meter;
    const uint32_t *peer_qpn;
    struct place *place;
    struct sent *sent;
    uint32_t *arrived; /* by slot of a receive: the place it was for */
    uint32_t *free;    /* slots of receives that are not posted */
    uint64_t posted, done;
    uint32_t places, free_count;
    uint32_t qpn, cq, key, stride;
};

/* ---- where slots lie -------------------------------------------------------------------------- */

static uint64_t recv_addr(const struct udends *u, uint64_t slot)
{
    return REGION_ADDR + slot * u->stride;
}

static uint64_t slot_at(const struct udends *u, uint64_t addr)
{
    return (addr - REGION_ADDR) / u->stride;
}

static struct place *place_of(const struct udends *u, uint32_t qpn)
{
    uint32_t i = qpn - QPN_FIRST;
    return i < u->places ? &u->place[i] : NULL;
}

/* ---- the verbs -------------------------------------------------------------------------------- */

static int cq_create(void *dev, uint32_t depth, uint32_t *cq)
{
    *cq = ((struct udends *)dev)->cq;
    return XP_OK;
}

static int qp_create(void *dev, const struct xp_qp_init *init, uint32_t *qpn)
{
    struct udends *u = dev;
    if (u->places == u->cfg.ends)
        return XP_ENOMEM;
    *qpn = QPN_FIRST + u->places++;
    return XP_OK;
}

static int qp_modify(void *dev, uint32_t qpn, const struct xp_qp_attr *attr, uint32_t mask,
                     tm_ps now)
{
    struct place *p = place_of(dev, qpn);
    if (!p || !(mask & XP_A_STATE))
        return XP_EINVAL;
    p->state = (uint8_t)attr->state;
    if (attr->state != XP_RTR)
        return XP_OK;
    p->host = attr->path.host;
    p->peer = attr->dest_qp - QPN_FIRST;
    return XP_OK;
}

static int qp_destroy(void *dev, uint32_t qpn, tm_ps now) { return XP_EOPNOTSUPP; }

static int qp_query(void *dev, uint32_t qpn, struct xp_qp_query *out)
{
    const struct place *p = place_of(dev, qpn);
    if (!p)
        return XP_EINVAL;
    *out = (struct xp_qp_query){.state = p->state};
    return XP_OK;
}

static int mr_add(void *dev, uint32_t pd, uint64_t addr, uint64_t len, uint32_t access,
                  uint32_t *key)
{
    *key = ((struct udends *)dev)->key;
    return XP_OK;
}

static struct xp_path path_to(const struct udends *u, uint32_t host)
{
    uint64_t mix = rng_mix((uint64_t)u->cfg.host << 32 | host);
    return (struct xp_path){(uint16_t)host, (uint16_t)(0xc000u | (mix & 0x3fffu))};
}

static int post_send(void *dev, uint32_t qpn, const struct xp_send_wr *wr, tm_ps now)
{
    struct udends *u = dev;
    const struct place *p = place_of(u, qpn);
    if (!p)
        return XP_EINVAL;
    if (wr->op != XP_WR_SEND)
        return XP_EOPNOTSUPP;
    if (p->state != XP_RTS)
        return XP_ESTATE;
    if (wr->sge.length == 0 || wr->sge.length > u->cfg.mtu_bytes)
        return XP_EINVAL;
    if (u->posted - u->done == u->cfg.sends)
        return XP_ENOMEM;
    uint64_t slot = u->posted % u->cfg.sends;
    struct xp_send_wr own = *wr;
    own.wr_id = u->posted;
    own.sge.addr = recv_addr(u, u->cfg.recvs + slot);
    own.sge.lkey = u->key;
    own.path = path_to(u, p->host);
    own.remote_qpn = u->peer_qpn[p->host];
    own.remote_qkey = QKEY;
    u->sent[slot] = (struct sent){{.to = p->peer}, wr->wr_id, qpn - QPN_FIRST};
    u->posted++;
    int rc = u->vb.ops->post_send(u->vb.dev, u->qpn, &own, now);
    u->posted -= rc != XP_OK;
    return rc;
}

static int post_recv(void *dev, uint32_t qpn, const struct xp_recv_wr *wr, tm_ps now)
{
    return XP_EOPNOTSUPP;
}

static int srq_create(void *dev, const struct xp_srq_init *init, uint32_t *srqn)
{
    *srqn = SRQN;
    return init->depth > ((struct udends *)dev)->cfg.recvs ? XP_EINVAL : XP_OK;
}

/* What the consumer says of memory does not matter: every receive holds a datagram. */
static int srq_post_recv(void *dev, uint32_t srqn, const struct xp_recv_wr *wr, tm_ps now)
{
    struct udends *u = dev;
    if (u->free_count == 0)
        return XP_ENOMEM;
    uint32_t slot = u->free[--u->free_count];
    struct xp_recv_wr own = {.wr_id = slot, .sge = {recv_addr(u, slot), u->stride, u->key}};
    return u->vb.ops->post_recv(u->vb.dev, u->qpn, &own, now);
}

static void translate(struct udends *u, struct xp_wc *wc)
{
    if (wc->op == XP_WC_RECV) {
        uint32_t slot = (uint32_t)wc->wr_id;
        u->free[u->free_count++] = slot;
        wc->qpn = QPN_FIRST + u->arrived[slot];
        wc->byte_len -= GRH_BYTES;
        wc->wr_id = 0;
        return;
    }
    const struct sent *s = &u->sent[wc->wr_id % u->cfg.sends];
    u->done = wc->wr_id + 1;
    wc->qpn = QPN_FIRST + s->place;
    wc->wr_id = s->wr_id;
}

static int poll_cq(void *dev, uint32_t cq, struct xp_wc *wc, int max)
{
    struct udends *u = dev;
    int n = u->vb.ops->poll(u->vb.dev, u->cq, wc, max);
    for (int i = 0; i < n; i++)
        translate(u, &wc[i]);
    return n;
}

static bool take_event(void *dev, struct xp_event *ev)
{
    const struct udends *u = dev;
    return u->vb.ops->take_event(u->vb.dev, ev);
}

static void kill_host(void *dev, tm_ps now)
{
    const struct udends *u = dev;
    u->vb.ops->kill(u->vb.dev, now);
}

struct vb udends_vb(struct udends *u)
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
    return (struct vb){&ops, u};
}

/* ---- what goes beside the packets ------------------------------------------------------------- */

static const void *gather(void *self, const struct xp_tx *tx)
{
    const struct udends *u = self;
    return &u->sent[slot_at(u, tx->seg.addr) - u->cfg.recvs].note;
}

static void place(void *self, const struct pkt *packet, const struct xp_rx *rx, const void *head,
                  tm_ps now)
{
    struct udends *u = self;
    struct note note;
    memcpy(&note, head, sizeof note);
    CHECK(note.to < u->places);
    struct place *p = &u->place[note.to];
    u->arrived[slot_at(u, rx->seg.addr)] = note.to;
    if (!hca_first_time(&p->got.end, &p->seen, packet->msgno))
        return;
    p->got.messages++;
    p->got.bytes += packet->h.payload_bytes;
    meter_delivered(u->meter, packet->h.payload_bytes, (tm_ps)packet->tag, now, 0);
    if (u->cfg.delivered)
        u->cfg.delivered(u->cfg.self, u->cfg.host, packet, QPN_FIRST + note.to,
                         packet->h.payload_bytes, now);
}

struct hca_head udends_head(struct udends *u) { return (struct hca_head){gather, place, u}; }

/* ---- birth and looking in --------------------------------------------------------------------- */

static const char *make_qp(struct udends *u)
{
    static const enum xp_state path[4] = {XP_RESET, XP_INIT, XP_RTR, XP_RTS};
    struct xp_qp_init init = {.service = u->cfg.service,
                              .pd = PD,
                              .send_cq = u->cq,
                              .recv_cq = u->cq,
                              .sq_depth = u->cfg.sends,
                              .rq_depth = u->cfg.recvs};
    struct xp_qp_attr attr = {.pkey = 0xffff, .port = 1, .qkey = QKEY};
    if (u->vb.ops->qp_create(u->vb.dev, &init, &u->qpn) != XP_OK)
        return "the device refused a datagram QP with the sends of all flows of a host";
    for (int i = 0; i < 3; i++) {
        attr.state = path[i + 1];
        uint32_t mask =
            XP_A_STATE |
            xp_transition_check(u->cfg.service, path[i], path[i + 1], XP_A_STATE).missing;
        if (u->vb.ops->qp_modify(u->vb.dev, u->qpn, &attr, mask, 0) != XP_OK)
            return "the device refused the attributes of a datagram QP";
    }
    return NULL;
}

static const char *make_objects(struct udends *u)
{
    uint32_t slots = u->cfg.recvs + u->cfg.sends;
    if (u->vb.ops->cq_create(u->vb.dev, slots, &u->cq) != XP_OK)
        return "the device refused a completion queue";
    if (u->vb.ops->mr_add(u->vb.dev, PD, REGION_ADDR, (uint64_t)slots * u->stride, XP_LOCAL_WRITE,
                          &u->key) != XP_OK)
        return "the device refused a memory region";
    return make_qp(u);
}

struct udends *udends_new(struct vb vb, const struct udends_cfg *cfg, struct meter *meter,
                          const char **why)
{
    struct udends *u = g_new0(struct udends, 1);
    u->cfg = *cfg;
    u->vb = vb;
    u->meter = meter;
    u->stride = GRH_BYTES + cfg->mtu_bytes;
    *why = make_objects(u);
    if (*why) {
        g_free(u);
        return NULL;
    }
    u->place = g_new0(struct place, cfg->ends);
    u->sent = g_new0(struct sent, cfg->sends);
    u->arrived = g_new0(uint32_t, cfg->recvs);
    u->free = g_new(uint32_t, cfg->recvs);
    for (uint32_t slot = cfg->recvs; slot > 0; slot--)
        u->free[u->free_count++] = slot - 1;
    return u;
}

void udends_free(struct udends *u)
{
    if (!u)
        return;
    g_free(u->place);
    g_free(u->sent);
    g_free(u->arrived);
    g_free(u->free);
    g_free(u);
}

uint32_t udends_qpn(const struct udends *u) { return u->qpn; }
void udends_set_peers(struct udends *u, const uint32_t *qpn) { u->peer_qpn = qpn; }

struct udends_got udends_got(const struct udends *u, uint32_t qpn) { return place_of(u, qpn)->got; }
