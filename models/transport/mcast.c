/*
 * Multicast groups of unreliable datagrams (IBA 10.5): which QPs a group's packets are for.
 *
 * A group is a number, a QP may be in several.  The core does not copy packets: whoever received one
 * for a group asks for its members and gives each of them the packet.
 */
#include "models/transport/service.h"

static uint32_t *find(struct xp *x, uint32_t qpn, uint16_t group)
{
    uint32_t *link = &x->mcast_head;

    while (*link && (xp__mcast(x, *link)->qpn != qpn || xp__mcast(x, *link)->group != group))
        link = &xp__mcast(x, *link)->next;
    return link;
}

int xp_mcast_attach(struct xp *x, uint32_t qpn, uint16_t group)
{
    const struct xp_qp *qp = xp__qp_find(x, qpn);

    if (!qp || !(xp__service_of(qp)->traits & TRAIT_DATAGRAM) || group < XP_GROUP_FIRST)
        return XP_EINVAL;
    uint32_t *link = find(x, qpn, group);
    if (*link)
        return XP_EINVAL;
    if (!xp__has_room(x, POOL_MCAST))
        return XP_ENOMEM;
    uint32_t i = xp__take(x, POOL_MCAST);
    *xp__mcast(x, i) = (struct xp_mcast){.qpn = qpn, .group = group};
    *link = i;
    return XP_OK;
}

static void unlink_at(struct xp *x, uint32_t *link)
{
    uint32_t i = *link;
    *link = xp__mcast(x, i)->next;
    xp__give(x, POOL_MCAST, i);
}

int xp_mcast_detach(struct xp *x, uint32_t qpn, uint16_t group)
{
    uint32_t *link = find(x, qpn, group);

    if (!*link)
        return XP_EINVAL;
    unlink_at(x, link);
    return XP_OK;
}

void xp__mcast_leave(struct xp *x, uint32_t qpn)
{
    uint32_t *link = &x->mcast_head;

    while (*link) {
        if (xp__mcast(x, *link)->qpn == qpn)
            unlink_at(x, link);
        else
            link = &xp__mcast(x, *link)->next;
    }
}

bool xp_mcast_next(const struct xp *x, uint16_t group, uint32_t *cursor, uint32_t *qpn)
{
    uint32_t i = *cursor ? xp__mcast(x, *cursor)->next : x->mcast_head;

    while (i && xp__mcast(x, i)->group != group)
        i = xp__mcast(x, i)->next;
    *cursor = i;
    if (i)
        *qpn = xp__mcast(x, i)->qpn;
    return i != 0;
}
