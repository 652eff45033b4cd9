/*
 * The verbs on the simulated HCA.
 *
 * Calls that can set packets moving go through the driver; the others go to its core.
 */
#include "models/hca/hca.h"
#include "models/verbs/vb.h"

static int cq_create(void *dev, uint32_t depth, uint32_t *cq)
{
    return xp_cq_create(hca_core(dev), depth, cq);
}

static int qp_create(void *dev, const struct xp_qp_init *init, uint32_t *qpn)
{
    return xp_qp_create(hca_core(dev), init, qpn);
}

static int qp_modify(void *dev, uint32_t qpn, const struct xp_qp_attr *attr, uint32_t mask,
                     tm_ps now)
{
    return hca_modify(dev, qpn, attr, mask, now);
}

static int qp_destroy(void *dev, uint32_t qpn, tm_ps now) { return hca_destroy(dev, qpn, now); }

static int qp_query(void *dev, uint32_t qpn, struct xp_qp_query *out)
{
    return xp_qp_query(hca_core(dev), qpn, out);
}

/* A simulated host has no memory behind its regions, so the tag says nothing. */
static int mr_add(void *dev, uint32_t pd, uint64_t addr, uint64_t len, uint32_t access,
                  uint32_t *key)
{
    return xp_mr_add(hca_core(dev), pd, addr, len, access, 0, key);
}

static int mr_remove(void *dev, uint32_t key) { return xp_mr_remove(hca_core(dev), key); }

static int post_send(void *dev, uint32_t qpn, const struct xp_send_wr *wr, tm_ps now)
{
    return hca_post_send(dev, qpn, wr, now);
}

static int post_recv(void *dev, uint32_t qpn, const struct xp_recv_wr *wr, tm_ps now)
{
    return hca_post_recv(dev, qpn, wr, now);
}

static int srq_create(void *dev, const struct xp_srq_init *init, uint32_t *srqn)
{
    return xp_srq_create(hca_core(dev), init, srqn);
}

/* Moves no packet: whoever was refused for want of it tries again by its own timer. */
static int srq_post_recv(void *dev, uint32_t srqn, const struct xp_recv_wr *wr, tm_ps now)
{
    return xp_srq_post_recv(hca_core(dev), srqn, wr);
}

static int poll_cq(void *dev, uint32_t cq, struct xp_wc *wc, int max)
{
    return xp_poll_cq(hca_core(dev), cq, wc, max);
}

static bool take_event(void *dev, struct xp_event *ev) { return xp_take_event(hca_core(dev), ev); }

static void mads_open(void *dev) { hca_mads_open(dev); }

static void mad_send(void *dev, uint32_t to, const uint8_t *bytes, bool again, tm_ps now)
{
    hca_mad_send(dev, to, bytes, again, now);
}

static bool mad_take(void *dev, uint32_t *from, uint8_t *bytes)
{
    return hca_mad_take(dev, from, bytes);
}

static void kill_host(void *dev, tm_ps now) { hca_kill(dev, now); }

struct vb vb_of_hca(struct hca *h)
{
    static const struct vb_ops ops = {
        .cq_create = cq_create,
        .qp_create = qp_create,
        .qp_modify = qp_modify,
        .qp_destroy = qp_destroy,
        .qp_query = qp_query,
        .mr_add = mr_add,
        .mr_remove = mr_remove,
        .post_send = post_send,
        .post_recv = post_recv,
        .srq_create = srq_create,
        .srq_post_recv = srq_post_recv,
        .poll = poll_cq,
        .take_event = take_event,
        .mads_open = mads_open,
        .mad_send = mad_send,
        .mad_take = mad_take,
        .kill = kill_host,
    };
    return (struct vb){&ops, h};
}
