/*
 * A host whose connections are sessions of acknowledged datagrams.
 *
 * The endpoint's limits follow from the pattern; its device takes the place of the host's own, so
 * that the rest of the load does not know.
 */
#include <glib.h>

#include "models/load/host.h"

static struct udack_cfg endpoint_cfg(const struct load_qp_cfg *qp)
{
    struct udack_cfg cfg = qp->udack.cfg;
    cfg.mtu_bytes = qp->mtu;
    return cfg;
}

static struct udack_limits limits_of(const struct load_need *need)
{
    return (struct udack_limits){.sessions = need->sessions_host_max,
                                 .active = need->sessions_host_max,
                                 .messages = (uint32_t)MIN(need->messages_host_max, UINT32_MAX)};
}

const char *datagrams_refuse(const struct load_cfg *cfg, const struct load_qp_cfg *qp,
                             uint32_t hosts)
{
    struct load_need need = load_need(cfg, qp, hosts);
    struct udack_cfg endpoint = endpoint_cfg(qp);
    struct udack_limits lim = limits_of(&need);
    return udack_refuse(&endpoint, &lim);
}

const char *datagrams_begin(struct load *l, struct host *h)
{
    struct load_need need = load_need(&l->cfg, &l->qp, l->env.hosts);
    struct sessions_cfg cfg = {
        .udack = endpoint_cfg(&l->qp), .limits = limits_of(&need), .cpu_ps = l->qp.udack.cpu_ps};
    if (!l->env.port)
        return "the device offers no datagrams";
    h->sessions = sessions_new(&cfg, &l->env.port[h->id], h->meter);
    if (!h->sessions)
        return "no memory for the sessions of a host";
    h->vb = sessions_vb(h->sessions);
    return NULL;
}
