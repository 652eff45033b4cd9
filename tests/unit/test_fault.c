/* Sends that fail: the vendor's code, the adapter's time, and what may happen while it passes. */
#include "sim/base/check.h"
#include "tests/unit/rig.h"

#define LONG_WR ((struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = 600, .dst = 0x100})

static struct rig *rig_with(enum xp_fault f, uint8_t code, tm_ps delay_ps)
{
    struct rig_spec s = rig_spec();
    s.profile.fault.vendor_err[f] = code;
    s.profile.fault.delay_ps[f] = delay_ps;
    return rig_new(&s);
}

/* The next completion of A's sends. */
static struct xp_wc take(struct rig *r)
{
    struct xp_wc wc = {.wr_id = 999};
    r->polled[A] += xp_poll_cq(r->loop->end[A].core, r->scq[A], &wc, 1);
    return wc;
}

static void post_bad_key(struct rig *r, uint64_t id)
{
    struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = id, .op = XP_WR_WRITE, .len = 100});
    wr.rkey ^= 0x100;
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, r->loop->now) == XP_OK);
}

static void fault_code_stands_in_the_completion(void)
{
    struct rig *r = rig_with(XP_F_REM_ACCESS, 0x88, 0);
    post_bad_key(r, 7);
    rig_post(r, LONG_WR);
    rig_run(r);
    struct xp_wc wc = take(r);
    CU_ASSERT(wc.wr_id == 7 && wc.status == XP_WC_REM_ACCESS_ERR && wc.vendor_err == 0x88);
    wc = take(r);
    CU_ASSERT(wc.wr_id == 1 && wc.status == XP_WC_WR_FLUSH_ERR && wc.vendor_err == 0);
    rig_free(r);
}

/* There and back take 2 us; nothing of the send queue leaves in the meantime, and no answer counts. */
static void fault_delay_holds_the_completion_back(void)
{
    struct rig *r = rig_with(XP_F_REM_ACCESS, 0x88, 100 * TM_US);
    post_bad_key(r, 7);
    rig_run_for(r, 50 * TM_US);
    CU_ASSERT_EQUAL(rig_state_of(r, A), XP_RTS);
    TEXT_IS(rig_wcs(r, A), "");
    rig_packets(r, SHOW_ALL);
    rig_post(r, LONG_WR);
    rig_run_for(r, 10 * TM_US);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS), "");
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "7:10 1:5");
    CU_ASSERT_EQUAL(rig_state_of(r, A), XP_ERR);
    rig_free(r);
}

static void fault_delay_ends_with_a_reset(void)
{
    struct rig *r = rig_with(XP_F_REM_ACCESS, 0x88, 100 * TM_US);
    post_bad_key(r, 7);
    rig_run_for(r, 50 * TM_US);
    CHECK(rig_state(r, A, XP_RESET) == XP_OK && rig_state(r, B, XP_RESET) == XP_OK);
    rig_connect(r, A, XP_RTS);
    rig_connect(r, B, XP_RTS);
    rig_post(r, LONG_WR);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_free(r);
}

static void fault_delay_ends_with_err(void)
{
    struct rig *r = rig_with(XP_F_REM_ACCESS, 0x88, 100 * TM_US);
    post_bad_key(r, 7);
    rig_run_for(r, 50 * TM_US);
    CHECK(rig_state(r, A, XP_ERR) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "7:5");
    rig_free(r);
}

static void fault_flush_takes_its_time_too(void)
{
    struct rig *r = rig_with(XP_F_FLUSH, 0xf5, 500 * TM_US);
    CHECK(rig_state(r, A, XP_ERR) == XP_OK);
    CU_ASSERT_EQUAL(rig_post(r, LONG_WR), XP_OK);
    rig_run_for(r, 400 * TM_US);
    TEXT_IS(rig_wcs(r, A), "");
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:5");
    rig_free(r);
}

/* What is posted while a flush is waited for goes with it, and does not make it wait longer. */
static void fault_flush_that_waits_is_not_put_off(void)
{
    struct rig *r = rig_with(XP_F_FLUSH, 0xf5, 500 * TM_US);
    CHECK(rig_state(r, A, XP_ERR) == XP_OK);
    rig_post(r, LONG_WR);
    rig_run_for(r, 300 * TM_US);
    rig_post(r, (struct rig_op){.id = 2, .op = XP_WR_WRITE, .len = 8});
    rig_run_for(r, 300 * TM_US);
    TEXT_IS(rig_wcs(r, A), "1:5 2:5");
    rig_free(r);
}

/* Packets of 256 bytes; 300 inside: the first is written, the second refused. */
static void fault_write_over_the_end_leaves_whole_packets(void)
{
    static const struct {
        enum xp_policy_write_check check;
        enum xp_policy_error_psn psn;
        bool first_written;
        uint32_t sq_psn;
    } rows[] = {{XP_WRITE_CHECK_WHOLE, XP_ERROR_PSN_NEXT, false, 103},
                {XP_WRITE_CHECK_PACKET, XP_ERROR_PSN_NEXT, true, 103},
                {XP_WRITE_CHECK_PACKET, XP_ERROR_PSN_REFUSED, true, 101}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig_spec s = rig_spec();
        s.profile.policy[XP_P_WRITE_CHECK] = (uint8_t)rows[i].check;
        s.profile.policy[XP_P_ERROR_PSN] = (uint8_t)rows[i].psn;
        struct rig *r = rig_new(&s);
        uint32_t at = RIG_REGION - 300;
        rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = 600, .dst = at});
        rig_run(r);
        TEXT_IS(rig_wcs(r, A), "1:10");
        CU_ASSERT_EQUAL(rig_same_bytes(r, 0, at, 256), rows[i].first_written);
        CU_ASSERT_TRUE(rig_untouched(r, at + 256, 44));
        CU_ASSERT_EQUAL(rig_query(r, A).sq_psn.v, rows[i].sq_psn);
        rig_free(r);
    }
}

static void fault_segment_over_the_end_sends_what_lies_inside(void)
{
    struct rig_spec s = rig_spec();
    s.profile.timing.sge_packets = 3;
    s.profile.fault.vendor_err[XP_F_SGE] = 0x53;
    s.profile.fault.vendor_err[XP_F_LKEY] = 0x52;
    struct rig *r = rig_new(&s);
    rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = 1024, .src = RIG_REGION - 600});
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS), "WRITE_FIRST.100+256@0:1024 WRITE_MIDDLE.101+256");
    struct xp_wc wc = take(r);
    CU_ASSERT(wc.status == XP_WC_LOC_PROT_ERR && wc.vendor_err == 0x53);
    rig_free(r);
}

static const struct test tests[] = {TEST(fault_code_stands_in_the_completion),
                                    TEST(fault_delay_holds_the_completion_back),
                                    TEST(fault_delay_ends_with_a_reset),
                                    TEST(fault_delay_ends_with_err),
                                    TEST(fault_flush_takes_its_time_too),
                                    TEST(fault_flush_that_waits_is_not_put_off),
                                    TEST(fault_write_over_the_end_leaves_whole_packets),
                                    TEST(fault_segment_over_the_end_sends_what_lies_inside),
                                    TESTS_END};
const struct suite suite_fault = {"fault", tests};
