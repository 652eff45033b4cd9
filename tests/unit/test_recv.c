/*
 * Receivers: early, late, slow, one at a time, stalled.
 *
 * A SEND of 4096 bytes is 4178 bytes on the wire: 334 240 ps; it arrives after 1 334 240 ps.
 * min_rnr_timer 1 is 10 us: a SEND that finds no receive comes again 10 us after the NAK's arrival.
 */
#include "tests/suite.h"
#include "tests/unit/bed.h"

static struct bed_cfg sends(uint64_t messages, uint32_t depth)
{
    struct bed_cfg c = bed_cfg();
    c.load.op = XP_WR_SEND;
    c.load.messages = messages;
    c.load.depth = depth;
    return c;
}

static void recv_enough_receives_never_make_it_wait(void)
{
    struct bed_cfg c = sends(100, 16);
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.last_delivery_ps, 100 * 334240 + 1000000);
    CU_ASSERT_EQUAL(m.n.recvs_completed, 100);
}

/*
 * Receives from 15 us on.  SEND at 0 arrives at 1.334 240 us; its RNR NAK (86 bytes) is back at
 * 2.341 120 us; again at 12.341 120, NAK at 14.682 240; at 24.682 240 the third try goes through.
 */
static void recv_late_receiver_is_waited_for(void)
{
    struct bed_cfg c = sends(1, 1);
    c.load.receiver.late_ps = 15000000;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 1);
    CU_ASSERT_EQUAL(m.last_delivery_ps, 24682240 + 1334240);
    c.load.receiver.late_ps = 13000000;
    CU_ASSERT_EQUAL(bed_result(&c).last_delivery_ps, 12341120 + 1334240);
}

static void recv_late_receiver_ends_a_finite_patience(void)
{
    struct bed_cfg c = sends(1, 1);
    c.load.receiver.late_ps = 15000000;
    c.qp.rnr_retry = 1;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.status[XP_WC_RNR_RETRY_EXC_ERR], 1);
    CU_ASSERT_EQUAL(m.fail_time.max, 14682240);
    c.qp.min_rnr_timer = 2; /* 20 us */
    CU_ASSERT_EQUAL(bed_result(&c).n.messages_delivered, 1);
}

/* One receive, replaced 5 us after its use: the second SEND finds none and waits for its RNR timer. */
static void recv_slow_consumer_starves_the_sender(void)
{
    struct bed_cfg c = sends(2, 1);
    c.qp.rq_depth = 1;
    c.load.receiver.repost_ps = 5000000;
    CU_ASSERT_EQUAL(bed_result(&c).last_delivery_ps, 2341120 + 12341120 + 1334240);
    c.load.receiver.repost_ps = 1000000;
    CU_ASSERT_EQUAL(bed_result(&c).last_delivery_ps, 2341120 + 1334240);
}

/* 16 SENDs need 12 replacements: in parallel four take 8 us, one after the other all take 96 us. */
static void recv_serial_receiver_replaces_one_at_a_time(void)
{
    struct bed_cfg c = sends(16, 8);
    c.qp.rq_depth = 4;
    c.load.receiver.repost_ps = 8000000;
    tm_ps parallel = bed_result(&c).last_delivery_ps;
    c.load.receiver.serial = true;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 16);
    CU_ASSERT(parallel < 60000000);
    CU_ASSERT(m.last_delivery_ps > 1334240 + 12 * 8000000);
}

static void recv_rq_depth_is_what_waits(void)
{
    struct bed_cfg c = sends(8, 8);
    c.load.receiver.late_ps = 0;
    c.load.receiver.repost_ps = 1000000000;
    c.duration_ps = 900000000;
    c.qp.rq_depth = 3;
    CU_ASSERT_EQUAL(bed_result(&c).n.messages_delivered, 3);
    c.qp.rq_depth = 5;
    CU_ASSERT_EQUAL(bed_result(&c).n.messages_delivered, 5);
}

/* Stalled from 3 us to 40 us: what is used meanwhile is replaced at 40 us. */
static void recv_stall_holds_replacements_back(void)
{
    struct bed_cfg c = sends(4, 1);
    c.qp.rq_depth = 1;
    c.act[c.act_count++] = (struct load_act){
        .kind = LOAD_ACT_STALL, .host = 1, .when.from_ps = 3000000, .when.until_ps = 40000000};
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 4);
    /* The third SEND, posted at 4.682 240, is refused until a try at 40 us or later. */
    CU_ASSERT(m.last_delivery_ps > 40000000 + 1334240);
    CU_ASSERT(m.io_stall_max_ps > 35000000);
    c.act[0].host = 0;
    CU_ASSERT_EQUAL(bed_result(&c).last_delivery_ps, 3 * 2341120 + 1334240);
}

/* A stall over the start holds back the first receives, too. */
static void recv_stall_at_the_start_delays_first_receives(void)
{
    struct bed_cfg c = sends(1, 1);
    c.act[c.act_count++] =
        (struct load_act){.kind = LOAD_ACT_STALL, .host = 1, .when.from_ps = 0, .when.until_ps = 15000000};
    CU_ASSERT_EQUAL(bed_result(&c).last_delivery_ps, 24682240 + 1334240);
}

/* Two senders of 8 SENDs each; nothing is replaced while the run lasts. */
static void recv_shared_queue_is_what_all_qps_of_a_host_have(void)
{
    struct bed_cfg c = bed_star(3, LOAD_INCAST);
    c.load.op = XP_WR_SEND;
    c.load.messages = c.load.depth = 8;
    c.load.receiver.repost_ps = 1000000000;
    c.duration_ps = 900000000;
    c.qp.rq_depth = 3;
    c.qp.srq_depth = 5;
    CU_ASSERT_EQUAL(bed_result(&c).n.messages_delivered, 6);
    c.qp.srq = true;
    CU_ASSERT_EQUAL(bed_result(&c).n.messages_delivered, 5);
    c.qp.service = XP_UC;
    CU_ASSERT_EQUAL(bed_result(&c).n.messages_delivered, 5);
}

/* 16 packets; the sender's QP goes at the 4th or so, and with the connection made anew the receiver's is reset. */
static void recv_shared_queue_gets_back_what_a_reset_qp_held(void)
{
    struct bed_cfg c = sends(4, 1);
    c.bytes = 65536;
    c.qp.srq = true;
    c.qp.srq_depth = 1;
    c.load.retry = (struct load_retry){.on_error = LOAD_RECONNECT, .reconnect_ps = 100000000};
    c.duration_ps = 10000000000;
    c.act[c.act_count++] =
        (struct load_act){.kind = LOAD_ACT_DESTROY, .host = 0, .when.from_ps = 3000000};
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 4);
    CU_ASSERT_EQUAL(m.n.recvs_completed, 4);
    CU_ASSERT_EQUAL(m.n.reconnects, 1);
}

/* Whichever of two senders loses its QP at the receiver, the other finds a receive. */
static void recv_shared_queue_outlives_a_destroyed_qp(void)
{
    for (uint32_t qp = 0; qp < 2; qp++) {
        struct bed_cfg c = bed_star(3, LOAD_INCAST);
        c.load.op = XP_WR_SEND;
        c.load.messages = 4;
        c.bytes = 65536;
        c.qp.srq = true;
        c.qp.srq_depth = 1;
        c.duration_ps = 10000000000;
        c.act[c.act_count++] =
            (struct load_act){.kind = LOAD_ACT_DESTROY, .qp = qp, .when.from_ps = 4000000};
        CU_ASSERT_EQUAL(bed_result(&c).n.messages_delivered, 4);
    }
}

/* A server shared by two clients: each request takes a receive of the one queue. */
static void recv_shared_queue_serves_rpc(void)
{
    struct bed_cfg c = bed_star(3, LOAD_RPC);
    c.load.rpc = (struct load_rpc){.request_bytes = 100, .response_bytes = 200};
    c.qp.srq = true;
    c.qp.srq_depth = 1;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 40);
    CU_ASSERT_EQUAL(m.n.recvs_completed, 40);
}

static const struct test tests[] = {TEST(recv_enough_receives_never_make_it_wait),
                                    TEST(recv_late_receiver_is_waited_for),
                                    TEST(recv_late_receiver_ends_a_finite_patience),
                                    TEST(recv_slow_consumer_starves_the_sender),
                                    TEST(recv_serial_receiver_replaces_one_at_a_time),
                                    TEST(recv_rq_depth_is_what_waits),
                                    TEST(recv_stall_holds_replacements_back),
                                    TEST(recv_stall_at_the_start_delays_first_receives),
                                    TEST(recv_shared_queue_is_what_all_qps_of_a_host_have),
                                    TEST(recv_shared_queue_gets_back_what_a_reset_qp_held),
                                    TEST(recv_shared_queue_outlives_a_destroyed_qp),
                                    TEST(recv_shared_queue_serves_rpc),
                                    TESTS_END};
const struct suite suite_recv = {"recv", tests};
