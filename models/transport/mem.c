/*
 * Memory regions; windows onto them are mw.c's.  A key is the region's index and a low byte that moves on with every use of the
 * index, so that a key does not come back soon.
 */
#include "models/transport/parts.h"

#define ACCESS_ALL                                                                                 \
    (XP_LOCAL_WRITE | XP_REMOTE_WRITE | XP_REMOTE_READ | XP_REMOTE_ATOMIC | XP_MW_BIND)
#define ACCESS_CHANGES (XP_REMOTE_WRITE | XP_REMOTE_ATOMIC)

struct xp_mr *xp__mr_find(const struct xp *x, uint32_t key)
{
    uint32_t i = key >> 8;
    if (i == 0 || i > x->pool[POOL_MR].high)
        return 0;
    struct xp_mr *mr = xp__mr(x, i);
    return mr->valid && mr->key == key ? mr : 0;
}

int xp_mr_add(struct xp *x, uint32_t pd, uint64_t addr, uint64_t len, uint32_t access, uint64_t tag,
              uint32_t *key)
{
    if (len == 0 || len - 1 > UINT64_MAX - addr || (access & ~(uint32_t)ACCESS_ALL))
        return XP_EINVAL;
    if ((access & ACCESS_CHANGES) && !(access & XP_LOCAL_WRITE))
        return XP_EINVAL;
    if (xp__allows(x, OBJECT_MR) != XP_OK)
        return XP_ENOMEM;
    uint32_t i = xp__take(x, POOL_MR);
    struct xp_mr *mr = xp__mr(x, i);
    *mr = (struct xp_mr){
        .key = i << 8 | ((mr->key + 1) & 0xff),
        .pd = pd,
        .access = access | XP_LOCAL_READ,
        .addr = addr,
        .len = len,
        .tag = tag,
        .valid = true,
    };
    *key = mr->key;
    return XP_OK;
}

int xp_mr_remove(struct xp *x, uint32_t key)
{
    struct xp_mr *mr = xp__mr_find(x, key);
    if (!mr || mr->kind != REGION_MR)
        return XP_EINVAL;
    if (mr->bound)
        xp__unbind_of_mr(x, key >> 8);
    mr->valid = false;
    xp__give(x, POOL_MR, key >> 8);
    return XP_OK;
}

const struct xp_mr *xp__mr_check(const struct xp *x, uint32_t key, uint32_t pd, uint64_t addr,
                                 uint64_t len, uint32_t use)
{
    const struct xp_mr *mr = xp__mr_find(x, key);
    if (!mr || mr->pd != pd || (mr->access & use) != use)
        return 0;
    /* addr - mr->addr wraps to something huge when addr lies before the region. */
    uint64_t offset = addr - mr->addr;
    return offset <= mr->len && len <= mr->len - offset ? mr : 0;
}

uint64_t xp__mr_tag(const struct xp *x, uint32_t key)
{
    const struct xp_mr *mr = xp__mr_find(x, key);
    return mr ? mr->tag : 0;
}
