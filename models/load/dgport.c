/*
 * The datagram port of sessions over a verbs device.
 *
 * Sends complete in order, so one signalled now and then frees all before it.  Completions are polled
 * one by one: what has arrived waits in the CQ until the processor comes to it, and keeps its
 * receive until then.
 */
#include "models/load/dgport.h"

#include <glib.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/base/rng.h"

#define PD 1u
#define REGION_ADDR 0x10000u
#define QKEY 0x11111111u

/* What lies in a receive: the header's bytes, and what the simulator notes on the packet. */
struct arrival {
    uint8_t head[UDACK_HDR_BYTES];
    uint64_t tag;
    uint32_t msgno, host;
};

struct dgport {
    struct dgport_cfg cfg;
    struct vb vb;
    const uint32_t *peer_qpn;
    struct arrival *arrival;          /* by slot of the receive queue */
    uint8_t (*head)[UDACK_HDR_BYTES]; /* by slot of the send queue */
    struct xp_wc waiting;             /* a receive's completion that nobody has taken */
    uint64_t sent, done;
    uint32_t qpn, cq, key, stride, signal_every;
    bool has_waiting;
};

/* ---- where slots lie ------------------------------------------------------------------------------ */

static uint64_t recv_addr(const struct dgport *p, uint64_t slot)
{
    return REGION_ADDR + slot * p->stride;
}

static uint64_t send_addr(const struct dgport *p, uint64_t slot)
{
    return recv_addr(p, p->cfg.rq_depth + slot);
}

static uint64_t slot_at(const struct dgport *p, uint64_t addr)
{
    return (addr - REGION_ADDR) / p->stride;
}

/* ---- the port ------------------------------------------------------------------------------------- */

static void poll_one(struct dgport *p)
{
    struct xp_wc wc;
    while (!p->has_waiting && p->vb.ops->poll(p->vb.dev, p->cq, &wc, 1) == 1) {
        if (wc.op != XP_WC_RECV) {
            p->done = wc.wr_id + 1;
        } else if (wc.status == XP_WC_SUCCESS) {
            p->waiting = wc;
            p->has_waiting = true;
        }
    }
}

static bool has_room(void *self)
{
    struct dgport *p = self;
    poll_one(p);
    return p->sent - p->done < p->cfg.sq_depth;
}

static bool waits(void *self)
{
    struct dgport *p = self;
    poll_one(p);
    return p->has_waiting;
}

static struct xp_path path_to(const struct dgport *p, uint32_t host)
{
    uint64_t mix = rng_mix((uint64_t)p->cfg.host << 32 | host);
    return (struct xp_path){(uint16_t)host, (uint16_t)(0xc000u | (mix & 0x3fffu))};
}

static void send(void *self, const struct datagram *d, tm_ps now)
{
    struct dgport *p = self;
    uint64_t slot = p->sent % p->cfg.sq_depth;
    bool signalled = (p->sent + 1) % p->signal_every == 0;
    struct xp_send_wr wr = {
        .wr_id = p->sent,
        .sge = {send_addr(p, slot), UDACK_HDR_BYTES + d->bytes, p->key},
        .tag = d->tag,
        .msgno = d->msgno,
        .op = XP_WR_SEND,
        .flags = signalled ? XP_SIGNALED : 0,
        .path = path_to(p, d->host),
        .remote_qpn = p->peer_qpn[d->host],
        .remote_qkey = QKEY,
    };
    memcpy(p->head[slot], d->hdr, UDACK_HDR_BYTES);
    p->sent++;
    int rc = p->vb.ops->post_send(p->vb.dev, p->qpn, &wr, now);
    CHECK(rc == XP_OK);
}

static void post_recv(struct dgport *p, uint32_t slot, tm_ps now)
{
    struct xp_recv_wr wr = {
        .wr_id = slot, .sge = {recv_addr(p, slot), DGPORT_GRH_BYTES + p->cfg.mtu_bytes, p->key}};
    int rc = p->vb.ops->post_recv(p->vb.dev, p->qpn, &wr, now);
    CHECK(rc == XP_OK);
}

static bool take(void *self, struct datagram *d, tm_ps now)
{
    struct dgport *p = self;
    if (!waits(p))
        return false;
    uint32_t slot = (uint32_t)p->waiting.wr_id;
    const struct arrival *a = &p->arrival[slot];
    *d = (struct datagram){.tag = a->tag,
                           .msgno = a->msgno,
                           .host = a->host,
                           .bytes = p->waiting.byte_len - DGPORT_GRH_BYTES - UDACK_HDR_BYTES};
    memcpy(d->hdr, a->head, UDACK_HDR_BYTES);
    p->has_waiting = false;
    post_recv(p, slot, now);
    return true;
}

static void kill_host(void *self, tm_ps now)
{
    struct dgport *p = self;
    p->vb.ops->kill(p->vb.dev, now);
}

struct datagram_port dgport_port(struct dgport *p)
{
    return (struct datagram_port){has_room, send, take, waits, kill_host, p};
}

/* ---- what the device sees of the bytes --------------------------------------------------------------- */

static const void *gather(void *self, const struct xp_tx *tx)
{
    const struct dgport *p = self;
    return p->head[slot_at(p, tx->seg.addr) - p->cfg.rq_depth];
}

static void place(void *self, const struct pkt *packet, const struct xp_rx *rx, const void *head,
                  tm_ps now)
{
    struct dgport *p = self;
    struct arrival *a = &p->arrival[slot_at(p, rx->seg.addr)];
    memcpy(a->head, head, UDACK_HDR_BYTES);
    a->tag = packet->tag;
    a->msgno = packet->msgno;
    a->host = packet->src_host;
}

struct hca_head dgport_head(struct dgport *p) { return (struct hca_head){gather, place, p}; }

/* ---- birth ------------------------------------------------------------------------------------------ */

static const char *make_qp(struct dgport *p)
{
    static const enum xp_state path[4] = {XP_RESET, XP_INIT, XP_RTR, XP_RTS};
    const struct vb_ops *ops = p->vb.ops;
    const struct dgport_cfg *cfg = &p->cfg;
    struct xp_qp_init init = {.service = cfg->service,
                              .pd = PD,
                              .send_cq = p->cq,
                              .recv_cq = p->cq,
                              .sq_depth = cfg->sq_depth,
                              .rq_depth = cfg->rq_depth};
    struct xp_qp_attr attr = {.pkey = 0xffff, .port = 1, .qkey = QKEY};
    if (ops->qp_create(p->vb.dev, &init, &p->qpn) != XP_OK)
        return "the device refused a datagram QP";
    for (int i = 0; i < 3; i++) {
        attr.state = path[i + 1];
        uint32_t mask = XP_A_STATE |
                        xp_transition_check(cfg->service, path[i], path[i + 1], XP_A_STATE).missing;
        if (ops->qp_modify(p->vb.dev, p->qpn, &attr, mask, 0) != XP_OK)
            return "the device refused the attributes of a datagram QP";
    }
    return NULL;
}

static const char *make_objects(struct dgport *p)
{
    const struct dgport_cfg *cfg = &p->cfg;
    uint64_t slots = (uint64_t)cfg->rq_depth + cfg->sq_depth;
    if (p->vb.ops->cq_create(p->vb.dev, cfg->rq_depth + cfg->sq_depth, &p->cq) != XP_OK)
        return "the device refused a completion queue";
    if (p->vb.ops->mr_add(p->vb.dev, PD, REGION_ADDR, slots * p->stride, XP_LOCAL_WRITE, &p->key) !=
        XP_OK)
        return "the device refused a memory region";
    return make_qp(p);
}

struct dgport *dgport_new(struct vb vb, const struct dgport_cfg *cfg, const char **why)
{
    struct dgport *p = g_new0(struct dgport, 1);
    p->cfg = *cfg;
    p->vb = vb;
    p->stride = DGPORT_GRH_BYTES + cfg->mtu_bytes;
    p->signal_every = MAX(cfg->sq_depth / 4, 1);
    p->arrival = g_new0(struct arrival, cfg->rq_depth);
    p->head = g_malloc0_n(cfg->sq_depth, UDACK_HDR_BYTES);
    *why = make_objects(p);
    if (*why) {
        dgport_free(p);
        return NULL;
    }
    for (uint32_t slot = 0; slot < cfg->rq_depth; slot++)
        post_recv(p, slot, 0);
    return p;
}

void dgport_free(struct dgport *p)
{
    if (!p)
        return;
    g_free(p->arrival);
    g_free(p->head);
    g_free(p);
}

uint32_t dgport_qpn(const struct dgport *p) { return p->qpn; }

void dgport_set_peers(struct dgport *p, const uint32_t *qpn) { p->peer_qpn = qpn; }
