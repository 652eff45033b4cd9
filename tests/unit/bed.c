#include "tests/unit/bed.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"

struct bed_cfg bed_cfg(void)
{
    struct bed_cfg c = {.bytes = 4096, .domains = 1, .seed = 1, .duration_ps = TM_NEVER};
    c.fab = (struct fab_cfg){.topology = FAB_PAIR,
                             .trunk_delay_ps = TM_NEVER,
                             .hosts = 2,
                             .rate_bps = 100000000000u,
                             .delay_ps = TM_US,
                             .loss_classes = 1u << FAB_DATA};
    c.hca.xp = xp_profile_spec();
    c.qp = (struct load_qp_cfg){.service = XP_RC,
                                .mtu = 4096,
                                .timeout = 14,
                                .retry_cnt = 7,
                                .rnr_retry = 7,
                                .min_rnr_timer = 1,
                                .max_rd_atomic = 4,
                                .max_dest_rd_atomic = 4,
                                .sq_depth = 16,
                                .rq_depth = 16};
    c.load = (struct load_cfg){.pattern = LOAD_PAIR,
                               .op = XP_WR_WRITE,
                               .depth = 1,
                               .messages = 10,
                               .qps = 1,
                               .signal_every = 1};
    return c;
}

struct bed_cfg bed_star(uint32_t hosts, enum load_pattern pattern)
{
    struct bed_cfg c = bed_cfg();
    c.fab.topology = FAB_STAR;
    c.fab.hosts = hosts;
    c.load.pattern = pattern;
    return c;
}

struct inject_rule bed_rule(enum inject_action action, int32_t from, uint32_t classes,
                            uint64_t count)
{
    return (struct inject_rule){
        .name = "rule",
        .action = action,
        .match = {.from = from,
                  .to = INJECT_ANY,
                  .opcode = INJECT_ANY,
                  .op = INJECT_ANY,
                  .classes = classes,
                  .qp = INJECT_ANY,
                  .link_a = INJECT_ANY,
                  .link_b = INJECT_ANY},
        .pick = {.count = count, .every = 1, .p_threshold = UINT64_MAX},
        .host = INJECT_ANY,
        .destroy_qp = INJECT_ANY,
    };
}

static void make_fabric(struct bed *b)
{
    struct bed_cfg *c = &b->cfg;
    struct inject_list rules = {c->rule, c->rule_count, c->qp.sq_psn};
    uint32_t entities = fab_entities(&c->fab) + c->fab.hosts * hca_entities(&c->hca) +
                        load_entities(c->fab.hosts) + c->rule_count;
    b->ev = ev_new(entities, c->domains);
    b->fab = fab_new(&c->fab, c->hca.tx_delay_ps, c->hca.rx_delay_ps, &rules, b->ev, c->seed,
                     c->fab_tap);
}

static void make_hosts(struct bed *b)
{
    struct bed_cfg *c = &b->cfg;
    uint32_t hosts = c->fab.hosts;
    struct load_need need = load_need(&c->load, &c->qp, hosts);
    /* the load's, and some for a test's own QPs */
    struct xp_limits limits = {.qp = need.qps_host_max + c->own_qps,
                               .cq = 2 + c->own_qps,
                               .mr = 2 + c->own_qps,
                               .send_wqe = (uint32_t)need.send_wqe_host_max + 1 + 8 * c->own_qps,
                               .recv_wqe = (uint32_t)need.recv_wqe_host_max + 1 + 8 * c->own_qps,
                               .cqe = (uint32_t)(need.send_wqe_host_max + need.recv_wqe_host_max) +
                                      1 + 64 * c->own_qps,
                               .active = need.active_host_max + c->own_qps,
                               .answer = 64 * need.active_host_max + 1024,
                               .attr_set = 16,
                               .srq = (uint32_t)need.srqs_host_max,
                               .mcast = c->own_qps,
                               .resource = need.qps_host_max * c->qp.max_dest_rd_atomic};
    b->hca = calloc(hosts, sizeof(*b->hca));
    b->vb = calloc(hosts, sizeof(*b->vb));
    b->meter_of = calloc(hosts, sizeof(*b->meter_of));
    b->domain_of = calloc(hosts, sizeof(*b->domain_of));
    b->meter = calloc(c->domains, sizeof(*b->meter));
    for (uint32_t d = 0; d < c->domains; d++)
        meter_init(&b->meter[d], c->warmup_ps, NULL, 0);
    for (uint32_t h = 0; h < hosts; h++) {
        b->domain_of[h] = fab_domain(b->fab, h);
        b->meter_of[h] = &b->meter[b->domain_of[h]];
        b->hca[h] = hca_new(&c->hca, h, &limits, b->fab, b->ev, b->meter_of[h], c->slowdown,
                            c->qp.mtu, c->seed, &c->tap);
        b->vb[h] = vb_of_hca(b->hca[h]);
    }
}

static void make_load(struct bed *b)
{
    struct bed_cfg *c = &b->cfg;
    struct load_env env = {.ev = b->ev,
                           .hosts = c->fab.hosts,
                           .vb = b->vb,
                           .meter = b->meter_of,
                           .domain = b->domain_of,
                           .link_rate_bps = c->fab.rate_bps,
                           .seed = c->seed,
                           .duration_ps = c->duration_ps,
                           .act = c->act,
                           .act_count = c->act_count,
                           .completed = c->completed,
                           .self = c->self};
    b->load = load_new(&c->load, &c->qp, &env, &b->why);
    for (uint32_t h = 0; b->load && h < c->fab.hosts; h++) {
        struct hca_head head;
        hca_set_notify(b->hca[h], load_entity(b->load, h));
        if (load_head(b->load, h, &head))
            hca_set_head(b->hca[h], &head);
    }
}

struct bed *bed_new(const struct bed_cfg *cfg)
{
    struct bed *b = calloc(1, sizeof(*b));
    CHECK(b != NULL);
    b->cfg = *cfg;
    b->cfg.hca.encap = cfg->fab.encap;
    if (b->cfg.load.size.count == 0)
        b->cfg.load.size =
            (struct load_size){.kind = LOAD_SIZE_FIXED, .count = 1, .bytes = &b->cfg.bytes};
    make_fabric(b);
    make_hosts(b);
    make_load(b);
    return b;
}

void bed_run(struct bed *b)
{
    tm_ps end = b->cfg.duration_ps == TM_NEVER ? 3600 * TM_S : b->cfg.duration_ps;
    CHECK(b->load != NULL);
    ev_run(b->ev, end, NULL);
    load_settle(b->load, b->cfg.duration_ps == TM_NEVER ? ev_now(b->ev) : end);
    meter_init(&b->sum, b->cfg.warmup_ps, NULL, 0);
    for (uint32_t d = 0; d < b->cfg.domains; d++)
        meter_merge(&b->sum, &b->meter[d]);
    for (uint32_t h = 0; h < b->cfg.fab.hosts; h++)
        CHECK(hca_exhausted(b->hca[h]) == NULL);
    fab_counts(b->fab, &b->links);
}

void bed_free(struct bed *b)
{
    load_free(b->load);
    for (uint32_t h = 0; h < b->cfg.fab.hosts; h++)
        hca_free(b->hca[h]);
    fab_free(b->fab);
    ev_free(b->ev);
    for (uint32_t d = 0; d < b->cfg.domains; d++)
        meter_fini(&b->meter[d]);
    free(b->hca);
    free(b->vb);
    free(b->meter);
    free(b->meter_of);
    free(b->domain_of);
    free(b);
}

struct meter bed_result(const struct bed_cfg *cfg)
{
    struct bed *b = bed_new(cfg);
    bed_run(b);
    struct meter sum = b->sum;
    bed_free(b);
    return sum;
}

uint32_t bed_flows(const struct bed *b)
{
    uint32_t flows = 0;
    struct load_qp_row row;
    for (uint32_t i = 0; i < load_qp_count(b->load); i++) {
        load_qp_row(b->load, i, &row);
        flows += row.is_flow;
    }
    return flows;
}

uint64_t bed_posted_by(const struct bed *b, uint32_t host)
{
    uint64_t posted = 0;
    struct load_qp_row row;
    for (uint32_t i = 0; i < load_qp_count(b->load); i++) {
        load_qp_row(b->load, i, &row);
        if (row.host == host && row.is_flow)
            posted += row.posted;
    }
    return posted;
}
