/*
 * What completions say of QPs.
 */
#include "tests/suite.h"
#include "tests/unit/bed.h"

/* The first SEND turns into a SEND_LAST without a first: NAK invalid request, both QPs in ERR. */
static struct bed_cfg bad_request(void)
{
    struct bed_cfg c = bed_cfg();
    c.load.op = XP_WR_SEND;
    c.load.depth = 4;
    c.rule[c.rule_count++] = bed_rule(INJ_REWRITE, 0, 0, 1);
    c.rule[0].set[0] = (struct inject_set){INJF_OPCODE, OP_SEND_LAST};
    c.rule[0].sets = 1;
    return c;
}

static void poll_first_error_is_the_failing_request(void)
{
    struct bed_cfg c = bad_request();
    struct load_qp_row row;
    struct bed *b = bed_new(&c);
    bed_run(b);
    load_qp_row(b->load, 0, &row);
    CU_ASSERT_EQUAL(row.first_error, XP_WC_REM_INV_REQ_ERR);
    CU_ASSERT_EQUAL(row.first_error_wr, 0);
    CU_ASSERT_EQUAL(row.first_error_ps, b->sum.fail_time.max);
    CU_ASSERT_EQUAL(row.succeeded, 0);
    CU_ASSERT_EQUAL(b->sum.n.messages_failed, 1);
    CU_ASSERT_EQUAL(b->sum.n.messages_flushed, 3);
    CU_ASSERT_EQUAL(b->sum.fail_time.count, 1);
    bed_free(b);
}

/* The responder's receives flush, which is no error of that QP; none is posted again. */
static void poll_flushed_receives_are_no_error(void)
{
    struct bed_cfg c = bad_request();
    struct load_qp_row row;
    struct bed *b = bed_new(&c);
    bed_run(b);
    load_qp_row(b->load, 1, &row);
    CU_ASSERT_EQUAL(row.first_error, 0);
    CU_ASSERT_EQUAL(b->sum.n.status[XP_WC_WR_FLUSH_ERR], 3 + 16);
    CU_ASSERT_EQUAL(b->sum.n.recvs_completed, 0);
    bed_free(b);
}

/* The side whose receives flushed connects anew as well, and everything arrives. */
static void poll_flushed_receives_break_the_connection(void)
{
    struct bed_cfg c = bad_request();
    c.load.retry = (struct load_retry){.on_error = LOAD_RECONNECT, .reconnect_ps = 10000000};
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 10);
    CU_ASSERT_EQUAL(m.n.reconnects, 1);
}

/* Every second request is signalled; that the fourth fails says that the third has succeeded. */
static void poll_failure_implies_success_of_those_before(void)
{
    struct bed_cfg c = bad_request();
    struct load_qp_row row;
    c.load.signal_every = 4;
    c.rule[0].pick.skip = 3;
    struct bed *b = bed_new(&c);
    bed_run(b);
    load_qp_row(b->load, 0, &row);
    CU_ASSERT_EQUAL(row.first_error_wr, 3);
    CU_ASSERT_EQUAL(row.succeeded, 3);
    CU_ASSERT_EQUAL(b->sum.n.messages_completed, 3);
    CU_ASSERT_EQUAL(b->sum.n.messages_failed, 1);
    CU_ASSERT_EQUAL(b->sum.n.messages_posted, 4 + b->sum.n.messages_flushed);
    bed_free(b);
}

static int completions;
static void count(void *self, uint32_t host, uint32_t peer, const struct xp_wc *wc, tm_ps now)
{
    (void)self, (void)now;
    completions += host == 0 && peer == 1 && wc->status == XP_WC_SUCCESS && wc->op == XP_WC_SEND;
}

static void poll_send_completions_are_told(void)
{
    struct bed_cfg c = bed_cfg();
    completions = 0;
    c.load.op = XP_WR_SEND;
    c.load.signal_every = 2;
    c.load.depth = 8;
    c.completed = count;
    bed_result(&c);
    CU_ASSERT_EQUAL(completions, 5);
}

/* One WRITE at a time; each completes 2.42 us after its post, and is seen at the next multiple of 5 us. */
static void poll_every_takes_completions_at_its_multiples(void)
{
    struct bed_cfg c = bed_cfg();
    c.load.depth = 1;
    c.load.poll_every_ps = 5 * TM_US;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_completed, 10);
    CU_ASSERT_EQUAL(m.completion.min, 5 * TM_US);
    CU_ASSERT_EQUAL(m.completion.max, 5 * TM_US);
    CU_ASSERT(m.latency.max < 2 * TM_US);
}

/* The sender sees nothing from 1 to 30 us; the times that it looks at are none in that time. */
static void poll_stands_still_where_nobody_looks(void)
{
    struct bed_cfg c = bed_cfg();
    c.load.depth = 1;
    c.act[c.act_count++] = (struct load_act){
        .kind = LOAD_ACT_NOPOLL, .host = 0, .when = {1 * TM_US, 30 * TM_US, 0, 0}};
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_completed, 10);
    CU_ASSERT_EQUAL(m.completion.max, 30 * TM_US);
    CU_ASSERT(m.completion.min < 4 * TM_US);
    c.load.poll_every_ps = 7 * TM_US;
    m = bed_result(&c);
    CU_ASSERT_EQUAL(m.completion.max, 35 * TM_US);
}

static const struct test tests[] = {TEST(poll_first_error_is_the_failing_request),
                                    TEST(poll_flushed_receives_are_no_error),
                                    TEST(poll_flushed_receives_break_the_connection),
                                    TEST(poll_failure_implies_success_of_those_before),
                                    TEST(poll_send_completions_are_told),
                                    TEST(poll_every_takes_completions_at_its_multiples),
                                    TEST(poll_stands_still_where_nobody_looks), TESTS_END};
const struct suite suite_poll = {"poll", tests};
