/*
 * What a responder keeps of the READs and atomics it executed, so that it can answer them again
 * (IBA 9.7.5.1.1): for each QP a ring of the last max_dest_rd_atomic of them, oldest first.
 *
 * PSNs come round: an entry that lies XP_PSNS_MAX behind the expected PSN, further than anything
 * outstanding, goes when the expected PSN next crosses a multiple of that.
 *
 * The ring outlives the QP's active part and goes with RESET and destruction.  Answers that wait
 * to leave have copies of their own: an entry that goes takes no answer with it.
 */
#include "models/transport/parts.h"

static void drop_oldest(struct xp *x, struct xp_qp *qp)
{
    struct xp_resource *newest = xp__resource(x, qp->kept);
    uint32_t oldest = newest->next;

    newest->count--;
    newest->next = xp__resource(x, oldest)->next;
    if (oldest == qp->kept)
        qp->kept = 0;
    xp__give(x, POOL_RESOURCE, oldest);
}

uint32_t xp__keep(struct xp *x, struct xp_qp *qp, const struct xp_resource *r, uint32_t most)
{
    while (qp->kept && xp__resource(x, qp->kept)->count >= most)
        drop_oldest(x, qp);
    uint32_t i = xp__take(x, POOL_RESOURCE);
    if (!i)
        return 0;
    struct xp_resource *fresh = xp__resource(x, i);
    *fresh = *r;
    fresh->next = i;
    fresh->count = 1;
    if (qp->kept) {
        struct xp_resource *newest = xp__resource(x, qp->kept);
        fresh->next = newest->next;
        fresh->count = newest->count + 1;
        newest->next = i;
    }
    qp->kept = i;
    return i;
}

const struct xp_resource *xp__kept_at(const struct xp *x, const struct xp_qp *qp, struct psn24 psn,
                                      unsigned mtu_shift)
{
    uint32_t i = qp->kept;

    for (uint32_t n = i ? xp__resource(x, i)->count : 0; n; n--) {
        i = xp__resource(x, i)->next;
        const struct xp_resource *r = xp__resource(x, i);
        if (psn_span(psn, r->first_psn) < xp__psns(r->length, mtu_shift))
            return r;
    }
    return 0;
}

struct psn24 xp__kept_after(const struct xp *x, const struct xp_qp *qp, struct psn24 psn,
                            struct psn24 otherwise)
{
    uint32_t i = qp->kept;

    for (uint32_t n = i ? xp__resource(x, i)->count : 0; n; n--) {
        i = xp__resource(x, i)->next;
        uint32_t after = psn_span(xp__resource(x, i)->first_psn, psn);
        if (after && after < psn_span(qp->conn.epsn, psn))
            return xp__resource(x, i)->first_psn;
    }
    return otherwise;
}

void xp__age_kept(struct xp *x, struct xp_qp *qp)
{
    while (qp->kept) {
        const struct xp_resource *oldest = xp__resource(x, xp__resource(x, qp->kept)->next);
        if (psn_span(qp->conn.epsn, oldest->first_psn) < XP_PSNS_MAX)
            return;
        drop_oldest(x, qp);
    }
}

void xp__drop_kept(struct xp *x, struct xp_qp *qp)
{
    while (qp->kept)
        drop_oldest(x, qp);
}
