/* See halves.h.  The two halves are made together, and a number that is free again comes back as it was. */
#include "models/load/halves.h"

#include <glib.h>

#include "sim/base/check.h"

#define DOMAIN 1u

struct halves {
    struct vb below;
    enum xp_service_id sends, serves;
    uint32_t cq, srq;
};

static bool is_serving(const struct halves *v, uint32_t qpn)
{
    struct xp_qp_query q;
    return v->below.ops->qp_query(v->below.dev, qpn, &q) == XP_OK && q.service == v->serves;
}

static int cq_create(void *dev, uint32_t depth, uint32_t *cq)
{
    struct halves *v = dev;
    int rc = v->below.ops->cq_create(v->below.dev, depth, cq);
    v->cq = *cq;
    return rc;
}

static int qp_create(void *dev, const struct xp_qp_init *init, uint32_t *qpn)
{
    struct halves *v = dev;
    struct xp_qp_init sends = {
        .service = v->sends, .pd = init->pd, .send_cq = init->send_cq, .sq_depth = init->sq_depth};
    struct xp_qp_init serves = {.service = v->serves, .pd = init->pd, .xrcd = DOMAIN};
    uint32_t second;
    int rc = v->below.ops->qp_create(v->below.dev, &sends, qpn);
    if (rc != XP_OK)
        return rc;
    rc = v->below.ops->qp_create(v->below.dev, &serves, &second);
    if (rc == XP_OK)
        CHECK(second == halves_serving(*qpn));
    else
        v->below.ops->qp_destroy(v->below.dev, *qpn, 0);
    return rc;
}

/* What of the attributes a half is to be given on this step, whatever the other one wants. */
static uint32_t mask_of(enum xp_service_id s, enum xp_state from, enum xp_state to)
{
    return XP_A_STATE | xp_transition_check(s, from, to, XP_A_STATE).missing;
}

static int modify_half(struct halves *v, uint32_t qpn, const struct xp_qp_attr *attr, tm_ps now)
{
    struct xp_qp_query q;
    int rc = v->below.ops->qp_query(v->below.dev, qpn, &q);
    if (rc != XP_OK)
        return rc;
    return v->below.ops->qp_modify(v->below.dev, qpn, attr,
                                   mask_of(q.service, q.state, attr->state), now);
}

static int qp_modify(void *dev, uint32_t qpn, const struct xp_qp_attr *attr, uint32_t mask,
                     tm_ps now)
{
    struct halves *v = dev;
    struct xp_qp_attr sends = *attr;
    sends.dest_qp = halves_serving(attr->dest_qp);
    int rc = modify_half(v, qpn, &sends, now);
    return rc == XP_OK ? modify_half(v, halves_serving(qpn), attr, now) : rc;
}

/* The serving half first: the next QP that is made takes the numbers in their order. */
static int qp_destroy(void *dev, uint32_t qpn, tm_ps now)
{
    struct halves *v = dev;
    int rc = v->below.ops->qp_destroy(v->below.dev, halves_serving(qpn), now);
    return rc == XP_OK ? v->below.ops->qp_destroy(v->below.dev, qpn, now) : rc;
}

static int qp_query(void *dev, uint32_t qpn, struct xp_qp_query *out)
{
    struct halves *v = dev;
    struct xp_qp_query serving;
    int rc = v->below.ops->qp_query(v->below.dev, qpn, out);
    if (rc == XP_OK)
        rc = v->below.ops->qp_query(v->below.dev, halves_serving(qpn), &serving);
    if (rc == XP_OK)
        out->holds_srq_recv = serving.holds_srq_recv;
    return rc;
}

static int mr_add(void *dev, uint32_t pd, uint64_t addr, uint64_t len, uint32_t access,
                  uint32_t *key)
{
    struct halves *v = dev;
    return v->below.ops->mr_add(v->below.dev, pd, addr, len, access, key);
}

/* All hosts have made their one queue in the same order: its number is the peer's, too. */
static int post_send(void *dev, uint32_t qpn, const struct xp_send_wr *wr, tm_ps now)
{
    struct halves *v = dev;
    struct xp_send_wr named = *wr;
    named.srqn = v->srq;
    return v->below.ops->post_send(v->below.dev, qpn, &named, now);
}

static int post_recv(void *dev, uint32_t qpn, const struct xp_recv_wr *wr, tm_ps now)
{
    return XP_EOPNOTSUPP;
}

static int srq_create(void *dev, const struct xp_srq_init *init, uint32_t *srqn)
{
    struct halves *v = dev;
    struct xp_srq_init own = *init;
    own.cq = v->cq;
    own.xrcd = DOMAIN;
    int rc = v->below.ops->srq_create(v->below.dev, &own, srqn);
    v->srq = *srqn;
    return rc;
}

static int srq_post_recv(void *dev, uint32_t srqn, const struct xp_recv_wr *wr, tm_ps now)
{
    struct halves *v = dev;
    return v->below.ops->srq_post_recv(v->below.dev, srqn, wr, now);
}

static int poll_cq(void *dev, uint32_t cq, struct xp_wc *wc, int max)
{
    struct halves *v = dev;
    int n = v->below.ops->poll(v->below.dev, cq, wc, max);
    for (int i = 0; i < n; i++)
        if (wc[i].op == XP_WC_RECV || wc[i].op == XP_WC_RECV_WRITE_IMM)
            wc[i].qpn--;
    return n;
}

static bool take_event(void *dev, struct xp_event *ev)
{
    struct halves *v = dev;
    if (!v->below.ops->take_event(v->below.dev, ev))
        return false;
    if (ev->kind != XP_EV_CQ_ERR && ev->kind != XP_EV_SRQ_LIMIT && is_serving(v, ev->qpn))
        ev->qpn--;
    return true;
}

static void kill_host(void *dev, tm_ps now)
{
    struct halves *v = dev;
    v->below.ops->kill(v->below.dev, now);
}

struct halves *halves_new(struct vb below, enum xp_service_id sends, enum xp_service_id serves)
{
    struct halves *v = g_new0(struct halves, 1);
    *v = (struct halves){.below = below, .sends = sends, .serves = serves};
    return v;
}

void halves_free(struct halves *v) { g_free(v); }

struct vb halves_vb(struct halves *v)
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
    return (struct vb){&ops, v};
}
