/* The services there are, by number; with names.c the only list of them. */
#include "models/transport/service.h"

const struct xp_service *const xp__services[XP_SERVICES] = {
    [XP_RC] = &xp__service_rc,           [XP_UC] = &xp__service_uc,
    [XP_UD] = &xp__service_ud,           [XP_XRC_INI] = &xp__service_xrc_ini,
    [XP_XRC_TGT] = &xp__service_xrc_tgt, [XP_RD] = &xp__service_rd,
    [XP_EEC] = &xp__service_eec,
};

static bool same(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

const char *xp_service_name(enum xp_service_id id)
{
    return (unsigned)id < XP_SERVICES ? xp__services[id]->name : 0;
}

bool xp_service_parse(const char *name, enum xp_service_id *out)
{
    for (unsigned i = 0; i < XP_SERVICES; i++) {
        if (same(name, xp__services[i]->name)) {
            *out = (enum xp_service_id)i;
            return true;
        }
    }
    return false;
}

bool xp_service_offers(enum xp_service_id id, enum xp_wr_op op)
{
    return (unsigned)id < XP_SERVICES && (xp__services[id]->wr_ops >> op & 1);
}

bool xp_service_pairs(enum xp_service_id id)
{
    const uint32_t not_alone =
        TRAIT_DATAGRAM | TRAIT_SRQ_BY_NUMBER | TRAIT_NO_RECV | TRAIT_VIA_CONTEXT;
    return (unsigned)id < XP_SERVICES && !(xp__services[id]->traits & not_alone);
}

bool xp_service_context(enum xp_service_id id, enum xp_service_id *context)
{
    if ((unsigned)id >= XP_SERVICES || !(xp__services[id]->traits & TRAIT_VIA_CONTEXT))
        return false;
    for (unsigned i = 0; i < XP_SERVICES; i++)
        if ((xp__services[i]->traits & TRAIT_CONTEXT) &&
            xp__services[i]->prefix == xp__services[id]->prefix)
            *context = (enum xp_service_id)i;
    return true;
}

bool xp_service_served_by(enum xp_service_id id, enum xp_service_id *other)
{
    const uint32_t mine = TRAIT_SRQ_BY_NUMBER | TRAIT_NO_RECV;

    if ((unsigned)id >= XP_SERVICES || (xp__services[id]->traits & mine) != mine ||
        !xp__services[id]->wr_ops)
        return false;
    for (unsigned i = 0; i < XP_SERVICES; i++)
        if (xp__services[i]->prefix == xp__services[id]->prefix && !xp__services[i]->wr_ops)
            *other = (enum xp_service_id)i;
    return true;
}

const char *xp_service_family(enum xp_service_id id)
{
    const struct xp_service *s = (unsigned)id < XP_SERVICES ? xp__services[id] : 0;

    return !s ? 0 : s->family ? s->family : s->name;
}
