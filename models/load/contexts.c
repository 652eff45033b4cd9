/* See contexts.h. */
#include "models/load/contexts.h"

#include <glib.h>

#include "sim/base/check.h"

#define DOMAIN 1u
#define QKEY 0x52440000u

struct peer {
    uint32_t host, qpn;
};

struct contexts {
    struct vb below;
    struct contexts_cfg cfg;
    uint32_t first;  /* number of the first context */
    bool *connected; /* by host */
    struct peer *of; /* by QP number */
    uint32_t room;
};

/* The hosts' contexts are made in the order of those they lead to, the host itself left out. */
static uint32_t context_at(const struct contexts *v, uint32_t at, uint32_t to)
{
    return v->first + (to < at ? to : to - 1);
}

static uint32_t missing(enum xp_service_id s, enum xp_state from, enum xp_state to)
{
    return xp_transition_check(s, from, to, XP_A_STATE).missing;
}

static int step(struct contexts *v, uint32_t qpn, enum xp_service_id s, struct xp_qp_attr *a,
                enum xp_state from, enum xp_state to, tm_ps now)
{
    uint32_t mask = XP_A_STATE | missing(s, from, to);
    if (to == XP_INIT && !xp_transition_check(s, from, to, XP_A_ACCESS).excess)
        mask |= XP_A_ACCESS;
    a->state = to;
    return v->below.ops->qp_modify(v->below.dev, qpn, a, mask, now);
}

static int connect_context(struct contexts *v, uint32_t to, const struct xp_qp_attr *attr,
                           tm_ps now)
{
    struct xp_qp_attr a = *attr;
    uint32_t eecn = context_at(v, v->cfg.host, to);
    a.dest_qp = context_at(v, to, v->cfg.host);
    int rc = step(v, eecn, v->cfg.context, &a, XP_RESET, XP_INIT, now);
    if (rc == XP_OK)
        rc = step(v, eecn, v->cfg.context, &a, XP_INIT, XP_RTR, now);
    if (rc == XP_OK)
        rc = step(v, eecn, v->cfg.context, &a, XP_RTR, XP_RTS, now);
    v->connected[to] = rc == XP_OK;
    return rc;
}

static int cq_create(void *dev, uint32_t depth, uint32_t *cq)
{
    struct contexts *v = dev;
    return v->below.ops->cq_create(v->below.dev, depth, cq);
}

static int qp_create(void *dev, const struct xp_qp_init *init, uint32_t *qpn)
{
    struct contexts *v = dev;
    struct xp_qp_init with = *init;
    with.rdd = DOMAIN;
    return v->below.ops->qp_create(v->below.dev, &with, qpn);
}

static int qp_modify(void *dev, uint32_t qpn, const struct xp_qp_attr *attr, uint32_t mask,
                     tm_ps now)
{
    struct contexts *v = dev;
    struct xp_qp_attr a = *attr;
    struct xp_qp_query q;
    int rc = v->below.ops->qp_query(v->below.dev, qpn, &q);
    CHECK(qpn < v->room);
    a.qkey = QKEY;
    if (rc == XP_OK && attr->state == XP_RTR) {
        v->of[qpn] = (struct peer){attr->path.host, attr->dest_qp};
        if (!v->connected[attr->path.host])
            rc = connect_context(v, attr->path.host, attr, now);
    }
    return rc == XP_OK ? step(v, qpn, v->cfg.service, &a, q.state, attr->state, now) : rc;
}

static int qp_destroy(void *dev, uint32_t qpn, tm_ps now)
{
    struct contexts *v = dev;
    return v->below.ops->qp_destroy(v->below.dev, qpn, now);
}

static int qp_query(void *dev, uint32_t qpn, struct xp_qp_query *out)
{
    struct contexts *v = dev;
    return v->below.ops->qp_query(v->below.dev, qpn, out);
}

static int mr_add(void *dev, uint32_t pd, uint64_t addr, uint64_t len, uint32_t access,
                  uint32_t *key)
{
    struct contexts *v = dev;
    return v->below.ops->mr_add(v->below.dev, pd, addr, len, access, key);
}

static int post_send(void *dev, uint32_t qpn, const struct xp_send_wr *wr, tm_ps now)
{
    struct contexts *v = dev;
    struct xp_send_wr named = *wr;
    named.eecn = context_at(v, v->cfg.host, v->of[qpn].host);
    named.remote_qpn = v->of[qpn].qpn;
    named.remote_qkey = QKEY;
    return v->below.ops->post_send(v->below.dev, qpn, &named, now);
}

static int post_recv(void *dev, uint32_t qpn, const struct xp_recv_wr *wr, tm_ps now)
{
    struct contexts *v = dev;
    return v->below.ops->post_recv(v->below.dev, qpn, wr, now);
}

static int srq_create(void *dev, const struct xp_srq_init *init, uint32_t *srqn)
{
    return XP_EOPNOTSUPP;
}

static int srq_post_recv(void *dev, uint32_t srqn, const struct xp_recv_wr *wr, tm_ps now)
{
    return XP_EOPNOTSUPP;
}

static int poll_cq(void *dev, uint32_t cq, struct xp_wc *wc, int max)
{
    struct contexts *v = dev;
    return v->below.ops->poll(v->below.dev, cq, wc, max);
}

static bool take_event(void *dev, struct xp_event *ev)
{
    struct contexts *v = dev;
    return v->below.ops->take_event(v->below.dev, ev);
}

static void kill_host(void *dev, tm_ps now)
{
    struct contexts *v = dev;
    v->below.ops->kill(v->below.dev, now);
}

/* False: the device refused one. */
static bool make_contexts(struct contexts *v)
{
    const struct xp_qp_init init = {.service = v->cfg.context, .rdd = DOMAIN};
    for (uint32_t i = 0; i + 1 < v->cfg.hosts; i++) {
        uint32_t eecn;
        if (v->below.ops->qp_create(v->below.dev, &init, &eecn) != XP_OK)
            return false;
        if (i == 0)
            v->first = eecn;
        CHECK(eecn == v->first + i);
    }
    return true;
}

struct contexts *contexts_new(struct vb below, const struct contexts_cfg *cfg)
{
    struct contexts *v = g_new0(struct contexts, 1);
    *v = (struct contexts){.below = below, .cfg = *cfg};
    v->connected = g_new0(bool, cfg->hosts);
    if (!make_contexts(v)) {
        contexts_free(v);
        return NULL;
    }
    v->room = v->first + cfg->hosts + cfg->qps;
    v->of = g_new0(struct peer, v->room);
    return v;
}

void contexts_free(struct contexts *v)
{
    if (!v)
        return;
    g_free(v->connected);
    g_free(v->of);
    g_free(v);
}

struct vb contexts_vb(struct contexts *v)
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
