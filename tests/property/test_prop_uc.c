/*
 * UC under random storms: the sender always succeeds; what is received is whole; without copies and
 * delays it is a subsequence of what was sent; a lost message leaves its receive where it was.
 */
#include "tests/property/swarm.h"

enum { SEEDS = 300 };

static bool is_message(const struct swarm *s, const struct swarm_received *g, uint32_t i)
{
    const struct swarm_message *m = &s->m[i];
    return swarm_takes_receive(m) && g->byte_len == m->len && g->imm == m->imm &&
           g->with_imm == (m->imm != 0) && g->is_write == (m->op == XP_WR_WRITE_IMM) &&
           swarm_intact(s, i, g->slot);
}

/* Each receive is a message after that of the receive before; with reordering, any message. */
static void receives_are_messages(const struct swarm *s)
{
    uint32_t from = 0;
    for (uint32_t k = 0; k < s->received; k++) {
        uint32_t i = s->reorders ? 0 : from;
        while (i < s->messages && !is_message(s, &s->got[k], i))
            i++;
        ROW_INT(s->where, i < s->messages, 1);
        from = i + 1;
    }
}

static void check_uc(const struct swarm *s)
{
    uint32_t signalled = 0;
    for (uint32_t i = 0; i < s->messages; i++) {
        signalled += s->m[i].signalled;
        ROW_INT(s->where, s->status[i], s->m[i].signalled ? XP_WC_SUCCESS : 0xff);
    }
    ROW_INT(s->where, s->completions, signalled);
    receives_are_messages(s);
    ROW_INT(s->where, rig_query(s->r, B).recvs_waiting, s->recvs_posted - s->received);
    ROW_INT(s->where, rig_state_of(s->r, A), XP_RTS);
    ROW_INT(s->where, rig_state_of(s->r, B), XP_RTS);
    ROW_INT(s->where, s->r->loop->dir[B][A].sent, 0);
}

static void prop_uc_receives_are_whole_messages_in_order(void)
{
    uint32_t received = 0, wanted = 0;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        struct swarm *s = swarm_run(XP_UC, seed);
        check_uc(s);
        received += s->received;
        wanted += s->recvs_wanted;
        swarm_free(s);
    }
    CU_ASSERT_TRUE(received > wanted / 4 && received < wanted);
}

static void prop_uc_without_loss_all_that_finds_a_receive_arrives(void)
{
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        struct swarm *s = swarm_run(XP_UC, seed);
        if (s->r->loop->dir[A][B].chance.drop == 0 && !s->reorders && s->receives == RECV_READY)
            ROW_INT(s->where, s->received, s->recvs_wanted);
        swarm_free(s);
    }
}

static const struct test tests[] = {TEST(prop_uc_receives_are_whole_messages_in_order),
                                    TEST(prop_uc_without_loss_all_that_finds_a_receive_arrives),
                                    TESTS_END};
const struct suite suite_prop_uc = {"prop_uc", tests};
