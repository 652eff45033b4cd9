/*
 * A fabric is made: topology to links, routes to tables, rules to the links they look at.
 *
 * Domains: hosts are cut into contiguous groups, a switch goes with the first host next to it.  If
 * a rule counts packets of several senders, all hosts share one domain: only there do these
 * packets have an order.  Otherwise the state that decides about a packet belongs to one sending
 * side.
 */
#include "models/fabric/fab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/fabric/link.h"
#include "sim/base/check.h"

static const char *const drop_names[FAB_DROPS] = {
    [FAB_DROP_LOSS] = "loss",    [FAB_DROP_BUFFER] = "buffer",  [FAB_DROP_INJECT] = "inject",
    [FAB_DROP_CORRUPT] = "icrc", [FAB_DROP_DOWN] = "link_down",
};

static const enum fab_class class_of[] = {
    [CLASS_SEND] = FAB_DATA,           [CLASS_WRITE] = FAB_DATA,  [CLASS_READ] = FAB_DATA,
    [CLASS_READ_RESP] = FAB_READ_RESP, [CLASS_ACK] = FAB_ACK,     [CLASS_ATOMIC] = FAB_DATA,
    [CLASS_ATOMIC_ACK] = FAB_ACK,      [CLASS_RESYNC] = FAB_DATA, [CLASS_CNP] = FAB_CNP,
};

#define GSI_QP 1u /* connection management */
#define BTH_BYTES 12u

const char *fab_drop_name(enum fab_drop why) { return drop_names[why]; }

enum fab_class fab_class_of(const struct wire_hdr *h)
{
    uint32_t op = wire_op_of(h->opcode);
    if (h->opcode.v == WIRE_OPCODE_CNP)
        return FAB_CNP;
    if (h->dest_qp == GSI_QP)
        return FAB_CM;
    if (op >= OP_COUNT)
        return FAB_DATA;
    if (op == OP_ACKNOWLEDGE && aeth_kind(h->syndrome) != AETH_ACK)
        return FAB_NAK;
    return class_of[wire_op_table[op].cls];
}

static void *array_new(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    CHECK(p);
    return p;
}

/* ---- birth ----------------------------------------------------------------------------------- */

static void node_name(const struct fab *f, uint32_t node, char *out, size_t size)
{
    bool host = node < f->cfg.hosts;
    snprintf(out, size, "%c%u", host ? 'h' : 's', host ? node : node - f->cfg.hosts);
}

/* Domains that this fabric's hosts may be spread over: see the top of the file. */
static uint32_t domains_usable(const struct fab *f)
{
    const struct inject_list *rules = inject_rules(f->inject);
    for (uint32_t i = 0; i < rules->count; i++) {
        if (!inject_is_pinned(&rules->rule[i]))
            return 1;
    }
    return ev_domains(f->ev);
}

static void place_nodes(struct fab *f, const struct topo *t)
{
    uint64_t domains = domains_usable(f);
    f->domain_of = array_new(f->nodes, sizeof *f->domain_of);
    for (uint32_t h = 0; h < t->hosts; h++)
        f->domain_of[h] = (uint32_t)(h * domains / t->hosts);
    for (uint32_t e = t->edges; e-- > 0;) { /* backwards: the first host has the last word */
        if (t->edge[e].a < t->hosts && t->edge[e].b >= t->hosts)
            f->domain_of[t->edge[e].b] = f->domain_of[t->edge[e].a];
    }
}

static void link_rate(struct link *l, uint64_t rate_bps)
{
    uint64_t bit_ps = 8 * (uint64_t)TM_S;
    CHECK(rate_bps > 0);
    l->cold->rate_bps = rate_bps;
    bool whole = bit_ps % rate_bps == 0 && bit_ps / rate_bps <= UINT32_MAX;
    l->ps_per_byte = whole ? (uint32_t)(bit_ps / rate_bps) : 0;
}

static void ignore_arrival(void *host, const struct pkt *p, tm_ps now) {}

static void link_init(struct fab *f, uint32_t index, uint32_t from, uint32_t to, tm_ps extra_ps)
{
    struct link *l = &f->link[index];
    struct link_cold *c = &f->cold[index];
    const struct fab_cfg *cfg = &f->cfg;
    char a[12], b[12];
    node_name(f, from, a, sizeof a);
    node_name(f, to, b, sizeof b);
    snprintf(c->name, sizeof c->name, "%s-%s", a, b);
    c->from = from;
    c->to = to;
    c->domain = f->domain_of[from];
    c->far_domain = f->domain_of[to];
    l->fab = f;
    l->ev = f->ev;
    l->cold = c;
    l->extra_ps = extra_ps;
    l->buffer_ps = TM_NEVER;
    l->arrive = ignore_arrival;
    if (to >= cfg->hosts)
        l->route = f->route + (size_t)(to - cfg->hosts) * cfg->hosts;
    if (f->tap.note) {
        l->watch |= WATCH_TAP;
        l->end |= END_TAP;
    }
    if (loss_may_hit(&f->loss) && cfg->loss_classes)
        l->watch |= WATCH_LOSS;
}

/* The entity of a link lives at its receiving side; from another domain packets come in windows. */
static void link_connect(struct fab *f, uint32_t index, uint64_t seed)
{
    struct link *l = &f->link[index];
    struct link_cold *c = l->cold;
    if (c->from >= f->cfg.hosts && f->cfg.buffer_bytes)
        l->buffer_ps = tm_serialise(f->cfg.buffer_bytes, c->rate_bps);
    c->loss = loss_state(seed, RNG_LINK, index);
    c->pick = rng_stream(seed, RNG_LINK, index, ROUTE_DRAW);
    c->own_draw = rng_stream(seed, RNG_LINK, index, OWN_LOSS_DRAW);
    l->entity = ev_add(f->ev, c->far_domain, EV_ARRIVE, link_fire, l);
    l->out = &l->ring;
    if (c->domain == c->far_domain)
        return;
    l->out = &c->staged;
    uint32_t least_bytes = wire_overhead_bytes(f->cfg.encap) + BTH_BYTES;
    tm_ps lookahead_ps = l->extra_ps + link_serialise(l, least_bytes);
    CHECK(lookahead_ps > 0);
    ev_add_crossing(f->ev, c->far_domain, lookahead_ps, link_drain, l);
}

/* Packets get their IP identification where someone looks at it: a tap, or a rule. */
static bool numbers_packets(const struct fab *f)
{
    const struct inject_list *rules = inject_rules(f->inject);
    for (uint32_t i = 0; i < rules->count; i++)
        if (inject_asks_ip_id(&rules->rule[i]))
            return true;
    return f->tap.note != NULL;
}

static void make_links(struct fab *f, const struct topo *t, tm_ps pre_ps, tm_ps post_ps,
                       uint64_t seed)
{
    uint32_t hosts = t->hosts;
    for (uint32_t i = 0; i < f->links; i++) {
        const struct topo_edge *e = &t->edge[i / 2];
        uint32_t from = i % 2 ? e->b : e->a, to = i % 2 ? e->a : e->b;
        tm_ps extra_ps = e->delay_ps + (from < hosts ? pre_ps : 0) +
                         (to < hosts ? post_ps : f->cfg.switch_delay_ps);
        link_init(f, i, from, to, extra_ps);
        f->cold[i].before_ps = from < hosts ? pre_ps : 0;
        f->cold[i].after_ps = to < hosts ? post_ps : f->cfg.switch_delay_ps;
        link_rate(&f->link[i], e->rate_bps);
        link_connect(f, i, seed);
        f->cold[i].own_loss = e->loss_threshold;
        f->link[i].watch |= e->loss_threshold ? WATCH_LOSS : 0;
        if (from >= hosts)
            continue;
        if (numbers_packets(f))
            f->link[i].watch |= WATCH_IP_ID;
        CHECK(!f->uplink[from]);
        f->uplink[from] = &f->link[i];
    }
}

static void make_routes(struct fab *f, const struct topo *t)
{
    size_t n = (size_t)t->switches * t->hosts;
    paths_find(t, f->cfg.paths, &f->paths);
    for (size_t i = 0; i < n; i++) {
        uint32_t of = f->paths.of[i];
        f->route[i] = of < f->links ? &f->link[of] : NULL;
    }
}

static void attach_rules(struct fab *f, struct link *l)
{
    const struct inject_list *rules = inject_rules(f->inject);
    struct link_cold *c = l->cold;
    for (uint32_t i = 0; i < rules->count; i++) {
        const struct inject_rule *q = &rules->rule[i];
        if (q->action == INJ_CORRUPT && c->to < f->cfg.hosts)
            l->end |= END_CORRUPT;
        if (!inject_looks_at(q, c->from, c->to, f->cfg.hosts))
            continue;
        if (!c->rule)
            c->rule = array_new(rules->count, sizeof *c->rule);
        c->rule[c->rules++] = i;
        l->watch |= WATCH_RULES;
        if (inject_reorders(q) && !c->late.used) {
            c->late.used = true;
            c->late.entity = ev_add(f->ev, c->far_domain, EV_ARRIVE, link_late_fire, l);
        }
    }
}

static tm_ps forger_fire(void *self, tm_ps now)
{
    struct forger *g = self;
    const struct inject_list *rules = inject_rules(g->fab->inject);
    for (; g->next < g->rules; g->next++) {
        struct pkt p;
        struct link *l = g->fab->uplink[g->host];
        tm_ps at = rules->rule[g->rule[g->next]].when.from_ps;
        if (at > now)
            return at;
        inject_forge(g->fab->inject, g->rule[g->next], g->fab->cfg.encap, &p);
        l->cold->injected++;
        link_send(l, &p, now);
    }
    return TM_NEVER;
}

/* Keeps the host's forged packets by time, equal ones in file order. */
static void forger_add(struct fab *f, uint32_t rule)
{
    const struct inject_list *rules = inject_rules(f->inject);
    const struct inject_rule *q = &rules->rule[rule];
    CHECK(q->match.from >= 0 && (uint32_t)q->match.from < f->cfg.hosts);
    CHECK(q->match.to >= 0 && (uint32_t)q->match.to < f->cfg.hosts);
    struct forger *g = &f->forger[q->match.from];
    if (!g->rule)
        g->rule = array_new(rules->count, sizeof *g->rule);
    uint32_t i = g->rules++;
    for (; i > 0 && rules->rule[g->rule[i - 1]].when.from_ps > q->when.from_ps; i--)
        g->rule[i] = g->rule[i - 1];
    g->rule[i] = rule;
}

static void make_forgers(struct fab *f)
{
    const struct inject_list *rules = inject_rules(f->inject);
    for (uint32_t i = 0; i < rules->count; i++) {
        if (rules->rule[i].action != INJ_FORGE)
            continue;
        if (!f->forger)
            f->forger = array_new(f->cfg.hosts, sizeof *f->forger);
        forger_add(f, i);
    }
    for (uint32_t h = 0; f->forger && h < f->cfg.hosts; h++) {
        struct forger *g = &f->forger[h];
        if (g->rules == 0)
            continue;
        g->fab = f;
        g->host = h;
        g->entity = ev_add(f->ev, f->domain_of[h], EV_DEPART, forger_fire, g);
        ev_arm(f->ev, g->entity, rules->rule[g->rule[0]].when.from_ps);
    }
}

struct fab *fab_new(const struct fab_cfg *cfg, tm_ps pre_ps, tm_ps post_ps,
                    const struct inject_list *rules, struct ev *ev, uint64_t seed,
                    const struct fab_tap *tap)
{
    struct topo t;
    struct fab *f = array_new(1, sizeof *f);
    fab_topo(cfg, &t);
    f->cfg = *cfg;
    f->cfg.hosts = t.hosts;
    f->ev = ev;
    if (tap)
        f->tap = *tap;
    f->inject = inject_run_new(rules, seed);
    loss_plan_init(&f->loss, &cfg->loss, cfg->loss_threshold);
    f->links = 2 * t.edges;
    f->switches = t.switches;
    f->nodes = t.hosts + t.switches;
    f->link = aligned_alloc(64, (f->links * sizeof *f->link + 63) / 64 * 64);
    CHECK(f->link);
    memset(f->link, 0, f->links * sizeof *f->link);
    f->cold = array_new(f->links, sizeof *f->cold);
    f->uplink = array_new(t.hosts, sizeof *f->uplink);
    f->route = array_new((size_t)t.switches * t.hosts, sizeof(struct link *));
    place_nodes(f, &t);
    make_links(f, &t, pre_ps, post_ps, seed);
    make_routes(f, &t);
    for (uint32_t i = 0; i < f->links; i++)
        attach_rules(f, &f->link[i]);
    make_forgers(f);
    topo_clear(&t);
    return f;
}

void fab_free(struct fab *f)
{
    if (!f)
        return;
    for (uint32_t i = 0; i < f->links; i++)
        link_fini(&f->link[i]);
    for (uint32_t h = 0; f->forger && h < f->cfg.hosts; h++)
        free(f->forger[h].rule);
    free(f->forger);
    groups_fini(f);
    inject_run_free(f->inject);
    loss_plan_fini(&f->loss);
    free(f->link);
    for (uint32_t i = 0; i < f->links; i++)
        free(f->cold[i].lost_of);
    free(f->cold);
    free(f->route);
    paths_clear(&f->paths);
    free(f->uplink);
    free(f->domain_of);
    free(f);
}

struct topo_plan fab_plan(const struct fab_cfg *cfg)
{
    struct topo_plan p = {.topology = cfg->topology, .hosts = cfg->hosts};
    bool own_delay = cfg->trunk_delay_ps != TM_NEVER;
    memcpy(p.dim, cfg->dim, sizeof p.dim);
    p.host_edge.rate_bps = cfg->rate_bps;
    p.host_edge.delay_ps = cfg->delay_ps;
    p.trunk_edge.rate_bps = cfg->trunk_rate_bps ? cfg->trunk_rate_bps : cfg->rate_bps;
    p.trunk_edge.delay_ps = own_delay ? cfg->trunk_delay_ps : cfg->delay_ps;
    return p;
}

void fab_topo(const struct fab_cfg *cfg, struct topo *out)
{
    struct topo_plan p = fab_plan(cfg);
    if (cfg->given)
        topo_copy(cfg->given, out);
    else
        topo_build(&p, out);
}

static uint32_t edges_of(const struct fab_cfg *cfg)
{
    struct topo_plan p = fab_plan(cfg);
    return cfg->given ? cfg->given->edges : topo_edges(&p);
}

uint32_t fab_cfg_links(const struct fab_cfg *cfg) { return 2 * edges_of(cfg); }

uint32_t fab_entities(const struct fab_cfg *cfg) { return 4 * edges_of(cfg) + cfg->hosts; }

/* ---- hosts ----------------------------------------------------------------------------------- */

uint64_t fab_rate_bps(const struct fab *f, uint32_t host)
{
    return f->uplink[host]->cold->rate_bps;
}

uint32_t fab_domain(const struct fab *f, uint32_t host)
{
    CHECK(host < f->cfg.hosts);
    return f->domain_of[host];
}

struct link *fab_uplink(struct fab *f, uint32_t host)
{
    CHECK(host < f->cfg.hosts);
    return f->uplink[host];
}

/* The way to the host: the other direction of its only edge. */
static struct link *downlink(struct fab *f, uint32_t host)
{
    return &f->link[(fab_uplink(f, host) - f->link) ^ 1];
}

void fab_attach(struct fab *f, uint32_t host, fab_arrive *arrive, void *self)
{
    struct link *l = downlink(f, host);
    l->arrive = arrive;
    l->host = self;
}

void fab_kill(struct fab *f, uint32_t host)
{
    fab_uplink(f, host)->watch |= WATCH_DEAD;
    downlink(f, host)->end |= END_DEAD;
}

/* ---- counts ---------------------------------------------------------------------------------- */

void fab_inject_fired(const struct fab *f, uint64_t *fired)
{
    for (uint32_t i = 0; i < inject_rules(f->inject)->count; i++)
        fired[i] = inject_fired(f->inject, i);
}
