/* See yard.h.  A host's send and its log touch that host alone, so domains do not matter. */
#include "tests/unit/yard.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/base/rng.h"

struct fab_cfg yard_cfg(enum fab_topology topology, uint32_t hosts)
{
    return (struct fab_cfg){.topology = topology,
                            .trunk_delay_ps = TM_NEVER,
                            .hosts = hosts,
                            .rate_bps = 100000000000,
                            .delay_ps = TM_US,
                            .encap = ENCAP_ROCEV2};
}

struct pkt yard_packet(uint32_t from, uint32_t to, uint32_t psn_first)
{
    struct pkt p = {.src_host = (uint16_t)from, .dst_host = (uint16_t)to, .wire_bytes = 1000};
    p.h.opcode = wire_opcode(WIRE_RC, OP_SEND_ONLY);
    p.h.dest_qp = 17;
    p.h.psn = psn(psn_first);
    return p;
}

static tm_ps egress_fire(void *self, tm_ps now)
{
    struct yard_host *h = self;
    struct link *l = fab_uplink(h->yard->fab, h->host);
    if (link_free_at(l) > now)
        return link_free_at(l);
    struct pkt p = h->next;
    if (h->left == 1 && h->last_bytes)
        p.wire_bytes = (uint16_t)h->last_bytes;
    link_send(l, &p, now);
    h->next.h.psn = psn_add(h->next.h.psn, 1);
    if (h->spread) {
        uint32_t to = (h->next.dst_host + 1u) % h->yard->cfg.hosts;
        h->next.dst_host = (uint16_t)(to == h->host ? (to + 1) % h->yard->cfg.hosts : to);
    }
    return --h->left ? link_free_at(l) : TM_NEVER;
}

static void arrive(void *host, const struct pkt *p, tm_ps now)
{
    struct yard_host *h = host;
    h->steps_back += h->arrived > 0 && psn_diff(p->h.psn, h->last_psn) <= 0;
    h->last_psn = p->h.psn;
    h->arrived++;
    h->last_at = now;
    h->hash = rng_mix(h->hash ^ rng_mix((uint64_t)now ^ (uint64_t)p->src_host << 48) ^ p->h.psn.v);
    if (h->log_len + 40 > sizeof h->log)
        return;
    int n = h->yard->log_times
                ? snprintf(h->log + h->log_len, 40, "%u@%lld ", p->h.psn.v, (long long)now)
                : snprintf(h->log + h->log_len, 40, "%u ", p->h.psn.v);
    h->log_len += (size_t)n;
}

void yard_init(struct yard *r, const struct fab_cfg *cfg, const struct yard_opt *opt)
{
    CHECK(cfg->hosts <= YARD_HOSTS_MAX);
    memset(r, 0, sizeof *r);
    r->cfg = *cfg;
    r->ev = ev_new(fab_entities(cfg) + cfg->hosts, opt->domains ? opt->domains : 1);
    r->fab = fab_new(cfg, opt->pre_ps, opt->post_ps, opt->rules, r->ev, opt->seed, opt->tap);
    for (uint32_t i = 0; i < cfg->hosts; i++) {
        struct yard_host *h = &r->host[i];
        h->yard = r;
        h->host = i;
        h->egress = ev_add(r->ev, fab_domain(r->fab, i), EV_DEPART, egress_fire, h);
        fab_attach(r->fab, i, arrive, h);
    }
}

void yard_fini(struct yard *r)
{
    fab_free(r->fab);
    ev_free(r->ev);
}

void yard_blast(struct yard *r, const struct pkt *p, uint64_t packets, tm_ps at)
{
    struct yard_host *h = &r->host[p->src_host];
    h->next = *p;
    h->left = packets;
    ev_arm(r->ev, h->egress, at);
}

void yard_run(struct yard *r, struct fab_counts *out)
{
    ev_run(r->ev, TM_NEVER, NULL);
    fab_counts(r->fab, out);
}
