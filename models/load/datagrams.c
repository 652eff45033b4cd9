/*
 * A host whose connections are sessions of acknowledged datagrams.
 *
 * The endpoint's limits follow from the pattern; its device takes the place of the host's own, so
 * that the rest of the load does not know.
 */
#include <glib.h>
#include <string.h>

#include "models/load/host.h"
#include "sim/base/check.h"

static struct udack_cfg endpoint_cfg(const struct load_qp_cfg *qp)
{
    struct udack_cfg cfg = qp->udack.cfg;
    cfg.mtu_bytes = qp->mtu;
    return cfg;
}

/* As many sessions and messages as there would be QPs and requests in their queues. */
static struct udack_limits limits_of(const struct load_cfg *cfg, const struct load_qp_cfg *qp,
                                     uint32_t hosts)
{
    struct load_qp_cfg connected = *qp;
    connected.udack.on = false;
    while (!xp_service_pairs(connected.service))
        connected.service = (enum xp_service_id)((connected.service + 1) % XP_SERVICES);
    struct load_need need = load_need(cfg, &connected, hosts);
    return (struct udack_limits){.sessions = need.qps_host_max,
                                 .active = need.qps_host_max,
                                 .messages = (uint32_t)MIN(need.send_wqe_host_max, UINT32_MAX)};
}

const char *datagrams_refuse(const struct load_cfg *cfg, const struct load_qp_cfg *qp,
                             uint32_t hosts)
{
    struct udack_cfg endpoint = endpoint_cfg(qp);
    struct udack_limits lim = limits_of(cfg, qp, hosts);
    return udack_refuse(&endpoint, &lim);
}

/* No peer to be told on the way to RTR, and datagrams alone. */
bool load_datagram_service(enum xp_service_id *out)
{
    for (int i = 0; i < XP_SERVICES; i++) {
        enum xp_service_id s = (enum xp_service_id)i;
        uint32_t asked = xp_transition_check(s, XP_INIT, XP_RTR, XP_A_STATE).missing;
        if ((asked & XP_A_DEST_QP) || !xp_service_offers(s, XP_WR_SEND) ||
            xp_service_offers(s, XP_WR_WRITE))
            continue;
        *out = s;
        return true;
    }
    return false;
}

uint32_t load_qp_halves(const struct load_qp_cfg *qp)
{
    enum xp_service_id other;
    return !qp->udack.on && xp_service_served_by(qp->service, &other) ? 2 : 1;
}

bool load_qp_is_datagram(const struct load_qp_cfg *qp)
{
    return !qp->udack.on && !load_is_connected(qp->service);
}

/* ---- services by words --------------------------------------------------------------------------- */

bool load_service_is_offered(uint32_t i)
{
    enum xp_service_id datagrams;
    bool there = load_datagram_service(&datagrams);
    enum xp_service_id other;
    return i < XP_SERVICES ? xp_service_pairs((enum xp_service_id)i) ||
                                 xp_service_served_by((enum xp_service_id)i, &other) ||
                                 xp_service_context((enum xp_service_id)i, &other) ||
                                 (there && i == datagrams)
                           : there;
}

const char *load_service_name(uint32_t i)
{
    return i < XP_SERVICES ? xp_service_family((enum xp_service_id)i) : "ud-ack";
}

bool load_service_parse(const char *name, uint32_t *out)
{
    for (*out = 0; *out < LOAD_SERVICES; ++*out)
        if (load_service_is_offered(*out) && strcmp(name, load_service_name(*out)) == 0)
            return true;
    return false;
}

void load_service_store(struct load_qp_cfg *qp, uint32_t i)
{
    qp->udack.on = i >= XP_SERVICES;
    qp->service = (enum xp_service_id)i;
    if (qp->udack.on) {
        bool there = load_datagram_service(&qp->service);
        CHECK(there);
    }
}

const char *load_qp_service_name(const struct load_qp_cfg *qp)
{
    return load_service_name(qp->udack.on ? XP_SERVICES : qp->service);
}

bool load_qp_offers(const struct load_qp_cfg *qp, enum xp_wr_op op)
{
    return qp->udack.on || load_qp_is_datagram(qp) ? op == XP_WR_SEND
                                                   : xp_service_offers(qp->service, op);
}

/* ---- hosts --------------------------------------------------------------------------------------- */

static const char *open_port(struct load *l, struct host *h, struct datagram_port *out)
{
    struct dgport_cfg cfg = {.service = l->qp.service,
                             .host = h->id,
                             .mtu_bytes = l->qp.mtu,
                             .sq_depth = l->qp.sq_depth,
                             .rq_depth = l->qp.rq_depth};
    const char *why;
    h->dgport = dgport_new(h->vb, &cfg, &why);
    if (!h->dgport)
        return why;
    if (!l->datagram_qpn)
        l->datagram_qpn = g_new0(uint32_t, l->env.hosts);
    l->datagram_qpn[h->id] = dgport_qpn(h->dgport);
    dgport_set_peers(h->dgport, l->datagram_qpn);
    *out = dgport_port(h->dgport);
    return NULL;
}

uint32_t load_real_qps(const struct load *l)
{
    uint32_t hosts = 0;
    if (!l->qp.udack.on && !load_qp_is_datagram(&l->qp))
        return l->ends * load_qp_halves(&l->qp);
    for (uint32_t h = 0; h < l->env.hosts; h++)
        hosts += l->host[h].ends.count > 0;
    return hosts;
}

const char *datagrams_begin_plain(struct load *l, struct host *h)
{
    struct udends_cfg cfg = {.service = l->qp.service,
                             .host = h->id,
                             .mtu_bytes = l->qp.mtu,
                             .ends = h->ends.count,
                             .sends = h->ends.count * l->qp.sq_depth,
                             .recvs = l->qp.rq_depth,
                             .delivered = l->env.delivered,
                             .self = l->env.self};
    const char *why;
    h->ends.udends = udends_new(h->vb, &cfg, h->meter, &why);
    if (!h->ends.udends)
        return why;
    if (!l->datagram_qpn)
        l->datagram_qpn = g_new0(uint32_t, l->env.hosts);
    l->datagram_qpn[h->id] = udends_qpn(h->ends.udends);
    udends_set_peers(h->ends.udends, l->datagram_qpn);
    h->vb = udends_vb(h->ends.udends);
    return NULL;
}

const char *datagrams_begin(struct load *l, struct host *h)
{
    struct sessions_cfg cfg = {.udack = endpoint_cfg(&l->qp),
                               .limits = limits_of(&l->cfg, &l->qp, l->env.hosts),
                               .cpu_ps = l->qp.udack.cpu_ps,
                               .delivered = l->env.delivered,
                               .self = l->env.self,
                               .host = h->id};
    struct datagram_port port;
    const char *why = NULL;
    if (l->env.port)
        port = l->env.port[h->id];
    else
        why = open_port(l, h, &port);
    if (why)
        return why;
    h->sessions = sessions_new(&cfg, &port, h->meter);
    if (!h->sessions)
        return "no memory for the sessions of a host";
    h->vb = sessions_vb(h->sessions);
    return NULL;
}

void datagrams_end(struct load *l)
{
    for (uint32_t id = 0; id < l->env.hosts; id++) {
        sessions_free(l->host[id].sessions);
        dgport_free(l->host[id].dgport);
        udends_free(l->host[id].ends.udends);
        halves_free(l->host[id].ends.halves);
        contexts_free(l->host[id].ends.contexts);
    }
    g_free(l->datagram_qpn);
}

bool load_head(const struct load *l, uint32_t host, struct hca_head *out)
{
    const struct host *h = &l->host[host];
    if (h->dgport)
        *out = dgport_head(h->dgport);
    else if (h->ends.udends)
        *out = udends_head(h->ends.udends);
    return h->dgport || h->ends.udends;
}

const struct udack_counts *load_udack_counts(const struct load *l, uint32_t host)
{
    const struct sessions *s = l->host[host].sessions;
    return s ? sessions_counts(s) : NULL;
}

#define CONTEXT_BYTES 256u
#define SEND_ENTRY_BYTES 64u
#define RECV_ENTRY_BYTES 16u

uint64_t load_host_memory_bytes(const struct load *l)
{
    struct load_need need = load_need(&l->cfg, &l->qp, l->env.hosts);
    uint64_t sessions = 0;
    for (uint32_t h = 0; h < l->env.hosts; h++)
        if (l->host[h].sessions)
            sessions = MAX(sessions, sessions_used_bytes(l->host[h].sessions));
    return sessions + (uint64_t)need.qps_host_max * CONTEXT_BYTES +
           need.send_wqe_host_max * SEND_ENTRY_BYTES + need.recv_wqe_host_max * RECV_ENTRY_BYTES;
}
