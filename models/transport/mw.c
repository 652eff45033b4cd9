/*
 * Memory windows: keys for parts of regions (IBA 10.6.7.2, 10.6.7.3).
 *
 * A window is an entry among the regions, valid while it is bound; so remote access looks it up as it
 * looks up a region.  Each region counts the windows bound to it.  A window dies, that is, it is
 * bound to nothing, with its region and, if it is open to one QP alone, with that QP's number.
 */
#include "models/transport/service.h"

#define ACCESS_WINDOW (XP_REMOTE_WRITE | XP_REMOTE_READ | XP_REMOTE_ATOMIC)
#define ACCESS_CHANGES (XP_REMOTE_WRITE | XP_REMOTE_ATOMIC)

/* The window that has or had this key, bound or not. */
static struct xp_mr *window_find(const struct xp *x, uint32_t key)
{
    uint32_t i = key >> 8;

    if (i == 0 || i > x->pool[POOL_MR].high || xp__mr(x, i)->kind == REGION_MR)
        return 0;
    return xp__mr(x, i);
}

bool xp__is_type_2(const struct xp *x, uint32_t key)
{
    const struct xp_mr *mw = window_find(x, key);
    return mw && mw->kind == REGION_MW2;
}

int xp_mw_alloc(struct xp *x, uint32_t pd, enum xp_mw_type type, uint32_t *key)
{
    if (type != XP_MW_TYPE_1 && type != XP_MW_TYPE_2)
        return XP_EINVAL;
    if (xp__allows(x, OBJECT_MW) != XP_OK)
        return XP_ENOMEM;
    uint32_t i = xp__take(x, POOL_MR);
    struct xp_mr *mw = xp__mr(x, i);
    uint8_t low = (uint8_t)(mw->key + 1);
    *mw = (struct xp_mr){
        .key = i << 8 | low,
        .pd = pd,
        .kind = type == XP_MW_TYPE_1 ? REGION_MW1 : REGION_MW2,
        .newest = low,
    };
    x->windows++;
    *key = mw->key;
    return XP_OK;
}

int xp_mw_free(struct xp *x, uint32_t key)
{
    struct xp_mr *mw = window_find(x, key);

    if (!mw)
        return XP_EINVAL;
    xp__unbind(x, mw);
    mw->kind = REGION_MR;
    x->windows--;
    xp__give(x, POOL_MR, key >> 8);
    return XP_OK;
}

void xp__unbind(struct xp *x, struct xp_mr *mw)
{
    if (!mw->valid)
        return;
    xp__mr(x, mw->parent)->bound--;
    x->bound_to_qp -= mw->qpn != 0;
    mw->valid = false;
    mw->parent = mw->qpn = 0;
}

void xp__unbind_of_mr(struct xp *x, uint32_t mr)
{
    for (uint32_t i = 1; i <= x->pool[POOL_MR].high && xp__mr(x, mr)->bound; i++) {
        if (xp__mr(x, i)->kind != REGION_MR && xp__mr(x, i)->parent == mr)
            xp__unbind(x, xp__mr(x, i));
    }
}

void xp__unbind_of_qp(struct xp *x, uint32_t qpn)
{
    for (uint32_t i = 1; i <= x->pool[POOL_MR].high && x->bound_to_qp; i++) {
        if (xp__mr(x, i)->qpn == qpn)
            xp__unbind(x, xp__mr(x, i));
    }
}

/* ---- requests ------------------------------------------------------------------------------ */

/*
 * In the WQE of a BIND_MW the range's length stands in remote_addr, the rights in imm, the window's
 * new key in rkey.
 */
void xp__local_fill(struct xp_send_wqe *w, const struct xp_send_wr *wr)
{
    w->length = 0;
    if (wr->op != XP_WR_BIND_MW)
        return;
    w->addr = wr->bind->addr;
    w->remote_addr = wr->bind->length;
    w->lkey = wr->bind->mr;
    w->imm = wr->bind->access;
}

bool xp__local_ok(const struct xp *x, const struct xp_send_wr *wr)
{
    if (wr->op != XP_WR_BIND_MW)
        return true;
    return wr->bind && window_find(x, wr->rkey) && !(wr->bind->access & ~(uint32_t)ACCESS_WINDOW);
}

int xp_mw_bind(struct xp *x, uint32_t qpn, const struct xp_send_wr *wr, tm_ps now, uint32_t *key)
{
    struct xp_mr *mw = window_find(x, wr->rkey);
    const struct xp_send_wr bind = {
        .wr_id = wr->wr_id,
        .tag = wr->tag,
        .msgno = wr->msgno,
        .op = XP_WR_BIND_MW,
        .flags = wr->flags & (XP_SIGNALED | XP_FENCE),
        .rkey = (wr->rkey & ~0xffu) | (mw ? (uint8_t)(mw->newest + 1) : 0),
        .bind = wr->bind,
    };
    if (!mw || mw->kind != REGION_MW1)
        return XP_EINVAL;
    int rc = xp__post(x, qpn, &bind, now);
    if (rc != XP_OK)
        return rc;
    mw->newest++;
    *key = bind.rkey;
    return XP_OK;
}

/* The region lets itself be bound so. */
static bool may_bind(const struct xp *x, const struct xp_mr *mw, const struct xp_send_wqe *w)
{
    const struct xp_mr *mr =
        xp__mr_check(x, w->lkey, mw->pd, w->addr, w->remote_addr, XP_LOCAL_READ | XP_MW_BIND);
    return mr && (!(w->imm & ACCESS_CHANGES) || (mr->access & XP_LOCAL_WRITE));
}

static enum xp_status bind(struct xp *x, const struct xp_qp *qp, const struct xp_send_wqe *w)
{
    struct xp_mr *mw = window_find(x, w->rkey);
    bool type_2 = mw && mw->kind == REGION_MW2, unbinds = w->remote_addr == 0;

    if (!mw || mw->pd != xp__attrs(x, qp)->pd || (type_2 && (mw->valid || unbinds)))
        return XP_WC_MW_BIND_ERR;
    if (!unbinds && !may_bind(x, mw, w))
        return XP_WC_MW_BIND_ERR;
    xp__unbind(x, mw);
    mw->key = w->rkey;
    if (unbinds)
        return XP_WC_SUCCESS;
    struct xp_mr *mr = xp__mr(x, w->lkey >> 8);
    mr->bound++;
    x->bound_to_qp += type_2;
    mw->valid = true;
    mw->parent = w->lkey >> 8;
    mw->qpn = type_2 ? xp__qpn(x, qp) : 0;
    mw->access = w->imm;
    mw->addr = w->addr;
    mw->len = w->remote_addr;
    mw->tag = mr->tag;
    return XP_WC_SUCCESS;
}

struct xp_mr *xp__own_window(const struct xp *x, uint32_t key, uint32_t qpn)
{
    struct xp_mr *mw = xp__mr_find(x, key);
    return mw && mw->kind == REGION_MW2 && mw->qpn == qpn ? mw : 0;
}

static enum xp_status invalidate(struct xp *x, const struct xp_qp *qp, const struct xp_send_wqe *w)
{
    struct xp_mr *mw = xp__own_window(x, w->imm, xp__qpn(x, qp));

    if (!mw)
        return XP_WC_MW_BIND_ERR;
    xp__unbind(x, mw);
    return XP_WC_SUCCESS;
}

enum xp_status xp__local_deed(struct xp *x, const struct xp_qp *qp, const struct xp_send_wqe *w)
{
    return w->op == XP_WR_BIND_MW ? bind(x, qp, w) : invalidate(x, qp, w);
}
