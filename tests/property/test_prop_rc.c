/*
 * RC under random storms: whatever is lost, doubled or late, each message is delivered at most
 * once, whole and in order; each request completes once, in order; success means delivered.
 */
#include "tests/property/swarm.h"

enum { SEEDS = 300 };

/* Successes, then at most one failure, then flushes. */
static void statuses_are_in_order(const struct swarm *s, int *failed)
{
    *failed = 0;
    for (uint32_t i = 0; i < s->messages; i++) {
        if (s->status[i] == 0xff && s->m[i].signalled)
            ROW_TEXT(s->where, "no completion", "one");
        if (s->status[i] == 0xff) {
            ROW_INT(s->where, *failed, 0); /* an unsignalled one after a failure flushes too */
            continue;
        }
        if (*failed == 0 && s->status[i] != XP_WC_SUCCESS) {
            *failed = s->status[i];
            ROW_INT(s->where, *failed == XP_WC_RETRY_EXC_ERR || *failed == XP_WC_RNR_RETRY_EXC_ERR,
                    1);
        } else if (*failed != 0) {
            ROW_INT(s->where, s->status[i], XP_WC_WR_FLUSH_ERR);
        }
    }
}

/* The k-th receive holds the k-th message that takes one. */
static void deliveries_are_in_order(const struct swarm *s)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < s->messages; i++) {
        const struct swarm_message *m = &s->m[i];
        bool good = s->status[i] == XP_WC_SUCCESS || s->status[i] == 0xff; /* silent success */
        if (!swarm_takes_receive(m)) {
            if (good)
                ROW_INT(s->where, swarm_intact(s, i, 0), 1);
            continue;
        }
        if (k == s->received) {
            ROW_INT(s->where, good, 0); /* success, but never received */
            continue;
        }
        const struct swarm_received *g = &s->got[k++];
        ROW_INT(s->where, g->byte_len, m->len);
        ROW_INT(s->where, g->with_imm, m->imm != 0);
        ROW_INT(s->where, g->imm, m->imm);
        ROW_INT(s->where, g->is_write, m->op == XP_WR_WRITE_IMM);
        ROW_INT(s->where, swarm_intact(s, i, g->slot), 1);
    }
    ROW_INT(s->where, k, s->received);
}

static void check_rc(const struct swarm *s)
{
    int failed;
    statuses_are_in_order(s, &failed);
    deliveries_are_in_order(s);
    ROW_INT(s->where, rig_state_of(s->r, A), failed ? XP_ERR : XP_RTS);
    ROW_INT(s->where, rig_state_of(s->r, B), XP_RTS);
    ROW_INT(s->where, rig_query(s->r, B).recvs_waiting, s->recvs_posted - s->received);
    if (!failed) {
        ROW_INT(s->where, rig_query(s->r, B).msn, s->messages);
        ROW_INT(s->where, rig_query(s->r, A).sq_psn.v, rig_query(s->r, B).rq_psn.v);
        ROW_INT(s->where, s->received, s->recvs_wanted);
    }
}

static void prop_rc_each_message_at_most_once_whole_and_in_order(void)
{
    int all_well = 0;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        struct swarm *s = swarm_run(XP_RC, seed);
        check_rc(s);
        all_well += rig_state_of(s->r, A) == XP_RTS;
        swarm_free(s);
    }
    /* the storm is neither too weak nor too strong to tell anything */
    CU_ASSERT_TRUE(all_well > SEEDS / 3 && all_well < SEEDS);
}

static void prop_rc_same_seed_same_end(void)
{
    for (uint32_t seed = 1; seed <= 20; seed++) {
        struct swarm *a = swarm_run(XP_RC, seed), *b = swarm_run(XP_RC, seed);
        ROW_INT(a->where, a->r->loop->now, b->r->loop->now);
        for (int end = A; end <= B; end++)
            ROW_INT(a->where,
                    xp_digest(a->r->loop->end[end].core, a->r->loop->now) ==
                        xp_digest(b->r->loop->end[end].core, b->r->loop->now),
                    1);
        swarm_free(a);
        swarm_free(b);
    }
}

static const struct test tests[] = {TEST(prop_rc_each_message_at_most_once_whole_and_in_order),
                                    TEST(prop_rc_same_seed_same_end), TESTS_END};
const struct suite suite_prop_rc = {"prop_rc", tests};
