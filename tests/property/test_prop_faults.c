/*
 * Random exchanges under random faults, judged by the explorer's checker: thousands of short runs
 * over services, operations, sizes, attributes, adapters' choices, kinds and chances of faults.
 *
 * What the exhaustive search does to one small exchange in depth, this does in breadth.  Which kinds
 * of faults a run has at all is drawn first, and how likely they are: a run with rare losses goes
 * deeper than one with a little of everything.
 */
#include <stdio.h>
#include <string.h>

#include "models/explore/stage.h"
#include "sim/base/check.h"
#include "tests/unit/rig.h"

enum { RUNS = 4000, FIRST = 1, FAULTS_PURPOSE = 78 };

struct storm {
    struct rng_stream draw;
    struct task_spec exchange;
    struct stage_spec spec;
    struct task task;
    uint32_t kinds, per_mille;
    uint32_t faults;
    char where[60];
};

static uint32_t below(struct storm *s, uint32_t n) { return (uint32_t)rng_below(&s->draw, n); }

static uint32_t one_of(struct storm *s, const uint32_t *list, uint32_t n)
{
    return list[below(s, n)];
}
#define ONE_OF(s, ...)                                                                             \
    one_of(s, (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* Timers that begin with early retransmissions, or with a silent expiry. */
static void draw_early(struct storm *s, struct xp_profile *p)
{
    uint32_t kind = below(s, 4);
    p->timing.factor = ONE_OF(s, 1, 1, 2);
    if (kind == 0)
        p->ladder = (struct xp_ladder){.rungs = 1 + below(s, 3),
                                       .at_ps = {5 * TM_US, 11 * TM_US, 40 * TM_US}};
    else if (kind == 1)
        p->timing.first = (struct xp_first){500, 1160};
}

static void draw_attributes(struct storm *s)
{
    struct stage_spec *a = &s->spec;
    *a = (struct stage_spec){
        .profile = xp_profile_spec(), .delay_ps = TM_US, .limit_ps = 100 * TM_S};
    do
        a->service = (enum xp_service_id)below(s, XP_SERVICES);
    while (!xp_service_offers(a->service, XP_WR_SEND)); /* not every one has requests */
    a->srq = below(s, 3) == 0 && !stage_is_joined(a->service);
    a->mtu = (uint16_t)ONE_OF(s, 256, 512, 1024);
    a->timeout = (uint8_t)ONE_OF(s, 1, 4, 7);
    a->retry_cnt = (uint8_t)ONE_OF(s, 0, 1, 2, 7, 7, 7);
    a->rnr_retry = (uint8_t)ONE_OF(s, 0, 1, 7, 7);
    a->min_rnr_timer = (uint8_t)(1 + below(s, 5));
    a->max_rd_atomic = (uint8_t)ONE_OF(s, 1, 2, 16);
    a->max_dest_rd_atomic = a->max_rd_atomic;
    a->first_psn = psn(ONE_OF(s, 0, 0xfffffa, 0xffffff, 0x7ffffc));
    a->recv_late_ps = below(s, 4) ? 0 : 1 + (tm_ps)below(s, 100) * TM_US;
    a->profile.window_packets = ONE_OF(s, 1, 2, 5, 1000);
    a->profile.ackreq_packets = 1 + below(s, 4);
    a->profile.ack_coalesce = below(s, 2);
    a->profile.recovery = (enum xp_recovery)(below(s, 4) ? 0 : below(s, XP_RECOVERIES));
    a->profile.irn.bdp_cap_packets = ONE_OF(s, 1, 2, 5, 110, XP_SACK_MAX);
    a->profile.irn.rto_low_ps = ONE_OF(s, 0, 1, 5, 40, 100) * TM_US;
    a->profile.irn.rto_low_packets = below(s, 5);
    a->profile.credits = below(s, 4) == 0;
    a->profile.policy[XP_P_RNR_SILENCE] = (uint8_t)below(s, 2);
    a->profile.policy[XP_P_NAK] = (uint8_t)below(s, 2);
    a->profile.policy[XP_P_DUP_ACK_WHEN] = (uint8_t)below(s, 2);
    a->profile.policy[XP_P_READ_RESUME] = (uint8_t)below(s, 2);
    a->profile.policy[XP_P_RNR_TIMER] = (uint8_t)below(s, 2);
    a->profile.timing.tick_ps = below(s, 4) ? 0 : 100 * TM_US;
    a->profile.timer_slack_milli = ONE_OF(s, 1000, 1000, 4000);
    draw_early(s, &a->profile);
}

static const uint8_t ops[] = {XP_WR_SEND, XP_WR_SEND_IMM, XP_WR_WRITE,    XP_WR_WRITE_IMM,
                              XP_WR_READ, XP_WR_CMP_SWAP, XP_WR_FETCH_ADD};
enum { OPS = sizeof ops / sizeof ops[0] };

/* One of those that the service offers and this run allows; of all it offers if that leaves none. */
static uint8_t draw_op(struct storm *s, uint32_t allowed)
{
    uint32_t offered = 0, first = below(s, OPS);
    for (uint32_t k = 0; k < OPS; k++)
        offered |= (uint32_t)xp_service_offers(s->spec.service, (enum xp_wr_op)ops[k]) << k;
    if (!(offered & allowed))
        allowed = offered;
    while (!(offered & allowed & 1u << first))
        first = (first + 1) % OPS;
    return ops[first];
}

static void draw_operations(struct storm *s)
{
    struct task_spec *t = &s->exchange;
    uint32_t allowed = 1 + below(s, (1 << OPS) - 1), n = 1 + below(s, TASK_MESSAGES);
    t->acked = stage_is_acked(s->spec.service);
    t->head = stage_head(s->spec.service);
    t->shared = stage_is_shared(&s->spec);
    t->joined = stage_is_joined(s->spec.service);
    t->spare = t->joined ? TASK_SPARE : 0;
    t->restarts = s->spec.profile.recovery == XP_GO_BACK_0;
    t->mtu = s->spec.mtu;
    t->flows = 1 + below(s, 3);
    t->flow[0].to = 1;
    t->flow[1].from = 1;
    t->flow[2].to = 1;
    for (t->ops = 0; t->ops < n; t->ops++) {
        struct task_op *op = &t->op[t->ops];
        op->op = draw_op(s, allowed);
        op->flow = (uint8_t)below(s, t->flows);
        op->silent = below(s, 4) == 0;
        op->fence = below(s, 4) == 0;
        op->len = below(s, t->head ? s->spec.mtu : 1400); /* a datagram is one packet */
        op->len = below(s, 2) ? op->len : op->len / 256 * 256;
    }
}

static void draw_storm(struct storm *s, uint32_t seed)
{
    memset(s, 0, sizeof *s);
    s->draw = rng_stream(seed, RNG_RUN, 0, FAULTS_PURPOSE);
    draw_attributes(s);
    draw_operations(s);
    s->kinds = below(s, FAULT_ALL + 1);
    s->per_mille = ONE_OF(s, 5, 30, 150, 400);
    snprintf(s->where, sizeof s->where, "%s seed %u", xp_service_name(s->spec.service), seed);
    CU_ASSERT_PTR_NULL_FATAL(task_make(&s->exchange, &s->task));
}

static enum fate draw_fate(struct storm *s, const struct stage *st)
{
    enum fate f = (enum fate)(1 + below(s, FATES - 1));
    if (s->kinds == 0 || below(s, 1000) >= s->per_mille)
        return FATE_NONE;
    while (!(s->kinds & fate_kind(f)))
        f = f + 1 < FATES ? (enum fate)(f + 1) : FATE_DROP;
    if (f == FATE_REORDER && st->helds == STAGE_HELD)
        return FATE_NONE;
    s->faults++;
    return f;
}

static bool all_went_well(const struct stage *st)
{
    bool failed = false;
    for (uint32_t f = 0; f < st->task->spec.flows; f++)
        failed = failed || st->ledger.failed[f];
    return !failed;
}

static struct stage *storm_run(struct storm *s)
{
    const char *why = NULL;
    struct fault which;
    struct stage *st = stage_new(&s->spec, &s->task, NULL, &why);
    CU_ASSERT_PTR_NOT_NULL_FATAL(st);
    do {
        while (stage_pending(st, &which))
            stage_decide(st, draw_fate(s, st));
    } while (st->ledger.breach == LEDGER_SOUND && stage_instant(st));
    ROW_TEXT(s->where, st->ledger.what, "");
    return st;
}

static void prop_faults_break_no_rule_of_the_checker(void)
{
    static struct storm s;
    uint32_t well = 0, troubled = 0;
    uint64_t faults = 0;
    for (uint32_t seed = FIRST; seed < FIRST + RUNS; seed++) {
        draw_storm(&s, seed);
        struct stage *st = storm_run(&s);
        bool good = all_went_well(st);
        well += good && s.faults > 0;
        troubled += !good;
        faults += s.faults;
        stage_free(st);
    }
    /* the storm is neither too weak nor too strong to tell anything */
    CU_ASSERT_TRUE(well > RUNS / 4);
    CU_ASSERT_TRUE(troubled > RUNS / 20);
    CU_ASSERT_TRUE(faults > RUNS);
}

static void prop_faults_same_seed_same_end(void)
{
    static struct storm s;
    for (uint32_t seed = 1; seed <= 50; seed++) {
        uint64_t digest[2];
        for (int i = 0; i < 2; i++) {
            draw_storm(&s, seed);
            struct stage *st = storm_run(&s);
            digest[i] = stage_digest(st);
            stage_free(st);
        }
        CU_ASSERT_TRUE(digest[0] == digest[1]);
    }
}

static const struct test tests[] = {TEST(prop_faults_break_no_rule_of_the_checker),
                                    TEST(prop_faults_same_seed_same_end), TESTS_END};
const struct suite suite_prop_faults = {"prop_faults", tests};
