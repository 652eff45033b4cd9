/*
 * What enters the digest of a core: everything that decides what it does next.  Each test makes
 * states that differ in one thing; their digests must differ.  (That equal runs have equal digests,
 * and that statistics and absolute times stay out, is in test_loop.c.)
 */
#include "sim/base/check.h"
#include "tests/unit/rig.h"

static void digest_sees_each_attribute(void)
{
    static const struct {
        const char *what;
        uint32_t bit;
    } rows[] = {{"pkey", XP_A_PKEY},           {"port", XP_A_PORT},
                {"access", XP_A_ACCESS},       {"path", XP_A_AV},
                {"timeout", XP_A_TIMEOUT},     {"retry_cnt", XP_A_RETRY_CNT},
                {"rnr_retry", XP_A_RNR_RETRY}, {"min_rnr", XP_A_MIN_RNR}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig_spec s = rig_spec();
        struct rig *r = rig_new(&s);
        struct xp *x = r->loop->end[B].core;
        struct xp_qp_attr attr = {.state = XP_SQD,
                                  .pkey = 0x8123,
                                  .port = 2,
                                  .access = 0,
                                  .path = {A, 99},
                                  .timeout = 3,
                                  .retry_cnt = 4,
                                  .rnr_retry = 2,
                                  .min_rnr_timer = 30};
        CHECK(rig_state(r, B, XP_SQD) == XP_OK);
        uint64_t before = xp_digest(x, 0);
        CHECK(xp_qp_modify(x, r->qp[B], &attr, XP_A_STATE | rows[i].bit, 0) == XP_OK);
        ROW_INT(rows[i].what, xp_digest(x, 0) != before, 1);
        rig_free(r);
    }
}

/* Sent once or twice, the next timer 10 us away: what is left of the ladder differs. */
static void digest_sees_how_far_early_retransmissions_have_come(void)
{
    struct rig_spec s = rig_spec();
    s.profile.ladder =
        (struct xp_ladder){.rungs = 3, .at_ps = {10 * TM_US, 20 * TM_US, 30 * TM_US}};
    s.state_b = XP_RESET;
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[A].core;
    rig_sends(r, 1, 1, 100);
    rig_run_for(r, 0);
    uint64_t before = xp_digest(x, 0);
    INT_IS(xp_deadline(x), 10 * TM_US);
    rig_run_for(r, 10 * TM_US);
    INT_IS(xp_deadline(x), 20 * TM_US);
    INT_IS(xp_digest(x, 10 * TM_US) == before, 0);
    rig_free(r);
}

static void digest_sees_each_field_of_posted_work(void)
{
    uint64_t seen[16];
    for (int i = 0; i < 10; i++) {
        struct rig_spec s = rig_spec();
        struct rig *r = rig_new(&s);
        struct xp_send_wr wr =
            rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_WRITE_IMM, .len = 8});
        wr.wr_id += i == 1;
        wr.sge.addr += i == 2;
        wr.sge.length += i == 3;
        wr.sge.lkey += i == 4;
        wr.remote_addr += i == 5;
        wr.rkey += i == 6;
        wr.imm += i == 7;
        wr.op = i == 8 ? XP_WR_WRITE : wr.op;
        wr.flags = i == 9 ? 0 : wr.flags;
        CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, 0) == XP_OK);
        seen[i] = xp_digest(r->loop->end[A].core, 0);
        for (int k = 0; k < i; k++)
            INT_IS(seen[k] == seen[i], 0);
        rig_free(r);
    }
}

static void digest_sees_regions_completions_and_events(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[A].core;
    uint64_t d[4];
    uint32_t key;
    d[0] = xp_digest(x, 0);
    CHECK(xp_mr_add(x, RIG_PD, 64, 64, XP_LOCAL_WRITE, 0, &key) == XP_OK);
    d[1] = xp_digest(x, 0);
    CHECK(rig_state(r, A, XP_SQD) == XP_OK); /* an event waits */
    d[2] = xp_digest(x, 0);
    rig_events(r, A);
    d[3] = xp_digest(x, 0);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            INT_IS(d[i] == d[k], 0);
    rig_free(r);
}

static void digest_sees_a_message_in_progress(void)
{
    uint64_t seen[8];
    for (int i = 0; i < 8; i++) {
        struct rig_spec s = rig_spec();
        struct rig *r = rig_new(&s);
        struct xp *x = r->loop->end[B].core;
        uint32_t other;
        CHECK(xp_mr_add(x, RIG_PD, RIG_BASE, RIG_REGION, 3, 0, &other) == XP_OK);
        CHECK(rig_recv(r, 11 + (i == 5), i == 6 ? 64 : 0, i == 7 ? 2000 : 2048) == XP_OK);
        struct wire_hdr h = rig_request(r, i == 4 ? OP_SEND_FIRST : OP_WRITE_FIRST, 100, 256);
        h.flags = WIRE_MIGREQ;
        h.dmalen = i == 1 ? 1025 : 1024;
        h.va = RIG_BASE + (i == 2);
        h.rkey = i == 3 ? other : r->key[B];
        INT_IS(rig_inject(r, B, h).verdict, V_ACCEPT);
        seen[i] = xp_digest(x, 0);
        for (int k = 0; k < i; k++)
            INT_IS(seen[k] == seen[i], 0);
        rig_free(r);
    }
}

static void digest_sees_what_waits_to_be_taken(void)
{
    uint64_t seen[7];
    for (int i = 0; i < 7; i++) {
        struct rig_spec s = rig_spec();
        s.min_rnr = i == 6 ? 9 : 12;
        struct rig *r = rig_new(&s);
        struct xp *x = r->loop->end[B].core;
        if (i < 5)
            rig_recvs(r, 11, 1, 512);
        struct wire_hdr h = rig_request(r, i == 2 ? OP_WRITE_ONLY_IMM : OP_SEND_ONLY_IMM, 100, 100);
        h.payload_bytes = i == 1 || i == 2 ? 101 : 100;
        h.dmalen = 101;
        h.imm = i == 3;
        rig_inject(r, B, h);
        if (i == 4) { /* the answer has left, the completion is there */
            struct xp_tx tx;
            INT_IS(xp_pull(x, r->qp[B], 0, &tx), XP_PULLED);
        }
        seen[i] = xp_digest(x, 0);
        for (int k = 0; k < i; k++)
            INT_IS(seen[k] == seen[i], 0);
        rig_free(r);
    }
}

static const struct test tests[] = {TEST(digest_sees_each_attribute),
                                    TEST(digest_sees_how_far_early_retransmissions_have_come),
                                    TEST(digest_sees_each_field_of_posted_work),
                                    TEST(digest_sees_regions_completions_and_events),
                                    TEST(digest_sees_a_message_in_progress),
                                    TEST(digest_sees_what_waits_to_be_taken),
                                    TESTS_END};
const struct suite suite_digest = {"digest", tests};
