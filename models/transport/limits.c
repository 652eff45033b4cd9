/*
 * What an adapter allows of each kind of object, as its profile says (struct ibv_device_attr).
 *
 * One object more than there may be is XP_ENOMEM, one that is larger than it may be XP_EINVAL.  What
 * the core has memory for (struct xp_limits) is another matter and may be less.
 */
#include "models/transport/parts.h"

void xp__limits_init(struct xp *x)
{
    uint32_t *const limit[] = {&x->profile.max.qp, &x->profile.max.cq,  &x->profile.max.mr,
                               &x->profile.max.mw, &x->profile.max.cqe, &x->profile.max.inline_data,
                               &x->profile.max.srq};

    for (size_t i = 0; i < sizeof limit / sizeof limit[0]; i++) {
        if (*limit[i] == 0)
            *limit[i] = UINT32_MAX;
    }
    if (x->profile.max.sge == 0)
        x->profile.max.sge = XP_SGE_MAX;
}

int xp__allows(const struct xp *x, enum xp_object what)
{
    const struct xp_profile *p = &x->profile;
    const struct {
        uint32_t used, most;
        enum xp_pool_id pool;
    } limit[] = {
        [OBJECT_QP] = {x->pool[POOL_QP].used, p->max.qp, POOL_QP},
        [OBJECT_CQ] = {x->pool[POOL_CQ].used, p->max.cq, POOL_CQ},
        [OBJECT_MR] = {x->pool[POOL_MR].used - x->windows, p->max.mr, POOL_MR},
        [OBJECT_SRQ] = {x->pool[POOL_SRQ].used, p->max.srq, POOL_SRQ},
        [OBJECT_MW] = {x->windows, p->max.mw, POOL_MR},
    };
    return limit[what].used < limit[what].most && xp__has_room(x, limit[what].pool) ? XP_OK
                                                                                    : XP_ENOMEM;
}
