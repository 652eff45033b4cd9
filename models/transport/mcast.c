/*
 * Which QPs belong to which multicast group.  One list over all groups, in order of group and QP
 * number: the order of delivery depends on nothing else.
 */
#include "models/transport/service.h"

static bool lies_before(const struct xp_mcast *m, uint32_t group, uint32_t qpn)
{
    return m->group < group || (m->group == group && m->qpn < qpn);
}

/* The link that leads, or would lead, to the attachment. */
static uint32_t *link_to(struct xp *x, uint32_t group, uint32_t qpn)
{
    uint32_t *link = &x->mcast_head;

    while (*link && lies_before(xp__mcast(x, *link), group, qpn))
        link = &xp__mcast(x, *link)->next;
    return link;
}

static bool leads_to(const struct xp *x, uint32_t i, uint32_t group, uint32_t qpn)
{
    return i && xp__mcast(x, i)->group == group && xp__mcast(x, i)->qpn == qpn;
}

int xp_mcast_attach(struct xp *x, uint32_t qpn, uint16_t group)
{
    const struct xp_qp *qp = xp__qp_find(x, qpn);

    if (!qp || !xp__has_trait(qp, TRAIT_DATAGRAM) || group < XP_GROUP_FIRST)
        return XP_EINVAL;
    uint32_t *link = link_to(x, group, qpn);
    if (leads_to(x, *link, group, qpn))
        return XP_OK;
    if (!xp__has_room(x, POOL_MCAST))
        return XP_ENOMEM;
    uint32_t i = xp__take(x, POOL_MCAST);
    *xp__mcast(x, i) = (struct xp_mcast){.next = *link, .group = group, .qpn = qpn};
    *link = i;
    return XP_OK;
}

int xp_mcast_detach(struct xp *x, uint32_t qpn, uint16_t group)
{
    uint32_t *link = link_to(x, group, qpn), i = *link;

    if (!leads_to(x, i, group, qpn))
        return XP_EINVAL;
    *link = xp__mcast(x, i)->next;
    xp__give(x, POOL_MCAST, i);
    return XP_OK;
}

bool xp_mcast_next(const struct xp *x, uint16_t group, uint32_t *at, uint32_t *qpn)
{
    uint32_t i = *at ? xp__mcast(x, *at)->next : x->mcast_head;

    while (i && xp__mcast(x, i)->group < group)
        i = xp__mcast(x, i)->next;
    if (!i || xp__mcast(x, i)->group != group)
        return false;
    *at = i;
    *qpn = xp__mcast(x, i)->qpn;
    return true;
}

bool xp__is_attached(const struct xp *x, uint32_t qpn)
{
    uint32_t i = x->mcast_head;

    while (i && xp__mcast(x, i)->qpn != qpn)
        i = xp__mcast(x, i)->next;
    return i != 0;
}
