/*
 * The receiver of acknowledged datagrams: order, copies, what is held, when it acknowledges.
 */
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/udbed.h"

static struct udbed b;

#define IS(text, expected) CU_ASSERT_STRING_EQUAL(text, expected)

/* d0 comes after d1 and d2: both are held, then all three are handed over. */
static void udack_recv_early_ones_are_held(void)
{
    struct udack_cfg cfg = udbed_cfg();
    udbed_init(&b, 2, &cfg);
    b.late = 1;
    b.late_ps = 5 * TM_US;
    udbed_post(&b, 0, 1, 10);
    udbed_post(&b, 0, 1, 20);
    udbed_post(&b, 0, 1, 30);
    udbed_run(&b, TM_US);
    CU_ASSERT_EQUAL(b.buffers, 2);
    udbed_settle(&b);
    IS(b.wire, "0 AB d0 m0.0 L? a0\n"
               "0 AB d1 m1.0 L? a0\n"
               "0 AB d2 m2.0 L? a0\n"
               "1 BA a0 s1 !\n"
               "1 BA a0 s3 !\n"
               "6 BA a3\n");
    IS(b.got, "6 B m0 10\n6 B m1 20\n6 B m2 30\n7 A 0 done\n7 A 1 done\n7 A 2 done\n");
    CU_ASSERT_EQUAL(b.buffers, 0);
    CU_ASSERT_EQUAL(udack_counts(b.end[1])->verdict[UDACK_HELD], 2);
    udbed_fini(&b);
}

/* Room for one early datagram: the second is refused and sent again. */
static void udack_recv_too_early_is_refused(void)
{
    struct udack_cfg cfg = udbed_cfg();
    cfg.reorder = 1;
    cfg.fast_after = 1;
    udbed_init(&b, 2, &cfg);
    b.drop = 1;
    udbed_post(&b, 0, 1, 2500);
    udbed_settle(&b);
    IS(b.wire, "0 AB d0 m0.0 - a0 x\n"
               "0 AB d1 m0.1 - a0\n"
               "0 AB d2 m0.2 L? a0\n"
               "1 BA a0 s1 !\n"
               "1 BA a0 s1 !\n"
               "2 AB d0 m0.0 -?* a0\n"
               "3 BA a2\n"
               "4 AB d2 m0.2 L?* a0\n"
               "5 BA a3\n");
    CU_ASSERT_EQUAL(udack_counts(b.end[1])->verdict[UDACK_TOO_EARLY], 1);
    udbed_fini(&b);
}

static void udack_recv_copies_are_suppressed(void)
{
    struct udack_cfg cfg = udbed_cfg();
    udbed_init(&b, 2, &cfg);
    b.copy = 3; /* both */
    b.late = 1;
    b.late_ps = 2 * TM_US;
    udbed_post(&b, 0, 1, 1500);
    udbed_settle(&b);
    IS(b.got, "3 B m0 1500\n4 A 0 done\n");
    CU_ASSERT_EQUAL(udack_counts(b.end[1])->verdict[UDACK_DUPLICATE], 2);
    CU_ASSERT_EQUAL(b.buffers, 0);
    udbed_fini(&b);
}

static void udack_recv_acknowledges_every_nth(void)
{
    struct udack_cfg cfg = udbed_cfg();
    cfg.ack_every = 3;
    cfg.ack_delay_ps = 20 * TM_US;
    cfg.ask_last = false;
    udbed_init(&b, 2, &cfg);
    udbed_post(&b, 0, 1, 4500);
    udbed_settle(&b);
    IS(b.wire, "0 AB d0 m0.0 - a0\n"
               "0 AB d1 m0.1 - a0\n"
               "0 AB d2 m0.2 - a0\n"
               "0 AB d3 m0.3 - a0\n"
               "0 AB d4 m0.4 L a0\n"
               "1 BA a3\n"
               "21 BA a5\n"); /* two wait out the delay */
    udbed_fini(&b);
}

/* Late, not lost: whoever closes the gap is acknowledged at once, that nothing is sent again. */
static void udack_recv_closed_gap_is_acknowledged_at_once(void)
{
    struct udack_cfg cfg = udbed_cfg();
    cfg.ack_every = 16;
    cfg.ack_delay_ps = 20 * TM_US;
    cfg.ask_last = false;
    udbed_init(&b, 2, &cfg);
    b.late = 1;
    b.late_ps = 5 * TM_US;
    udbed_post(&b, 0, 1, 1500);
    udbed_settle(&b);
    IS(b.wire, "0 AB d0 m0.0 - a0\n"
               "0 AB d1 m0.1 L a0\n"
               "1 BA a0 s1 !\n"
               "6 BA a2\n");
    udbed_fini(&b);
}

/* B answers within the delay: its data carries the acknowledgement. */
static void udack_recv_acknowledgement_rides_on_data(void)
{
    struct udack_cfg cfg = udbed_cfg();
    cfg.ack_every = 8;
    cfg.ack_delay_ps = 20 * TM_US;
    cfg.ask_last = false;
    udbed_init(&b, 2, &cfg);
    udbed_post(&b, 0, 1, 100);
    udbed_run(&b, 3 * TM_US);
    udbed_post(&b, 1, 0, 200);
    udbed_settle(&b);
    IS(b.wire, "0 AB d0 m0.0 L a0\n"
               "3 BA d0 m0.0 L a1\n"
               "24 AB a1\n");
    CU_ASSERT_EQUAL(udack_counts(b.end[1])->acks_riding, 1);
    CU_ASSERT_EQUAL(udack_counts(b.end[1])->acks_alone, 0);
    udbed_fini(&b);
}

/* What lies more than 16 behind the gap does not fit into a data header: it goes ahead alone. */
static void udack_recv_long_sack_goes_ahead_of_data(void)
{
    struct udack_cfg cfg = udbed_cfg();
    cfg.window = 32;
    cfg.reorder = 31;
    cfg.ask_last = false;
    udbed_init(&b, 2, &cfg);
    b.drop = 1;
    udbed_post(&b, 0, 1, 18000);
    udbed_run(&b, 0);
    udbed_post(&b, 1, 0, 10);
    b.wire[0] = 0;
    udack_expire(b.end[1], 0);
    for (uint32_t i = 1; i < 18; i++) {
        struct udack_hdr h = {.seq = i, .fragment = i, .flags = i == 17 ? UDACK_LAST : 0};
        udbed_arrive(&b, 0, 1, h, 1000);
    }
    struct udack_tx tx;
    CU_ASSERT_TRUE(udack_pull(b.end[1], 0, &tx));
    CU_ASSERT_TRUE(tx.hdr.flags == (UDACK_ACK | UDACK_GAP) && tx.hdr.sack == 0x1ffff && tx.more);
    CU_ASSERT_TRUE(udack_pull(b.end[1], 0, &tx));
    CU_ASSERT_TRUE(tx.hdr.flags == UDACK_LAST && tx.hdr.sack == 0xffff && !tx.more);
    udbed_fini(&b);
}

static void udack_recv_strangers_are_ignored(void)
{
    struct udack_cfg cfg = udbed_cfg();
    struct udack_hdr h = {.session = 0, .flags = UDACK_LAST};
    udbed_init(&b, 3, &cfg);
    CU_ASSERT_EQUAL(udbed_arrive(&b, 2, 0, h, 10).verdict, UDACK_STRANGER); /* session 0 is B's */
    h.session = 2;
    CU_ASSERT_EQUAL(udbed_arrive(&b, 1, 0, h, 10).verdict, UDACK_STRANGER);
    CU_ASSERT_EQUAL(udack_outstanding(b.end[0]), 0);
    udbed_fini(&b);
}

static void udack_recv_malformed_are_ignored(void)
{
    static const struct {
        struct udack_hdr h;
        uint32_t bytes;
    } row[] = {
        {{.flags = UDACK_ACK}, 4},                       /* an acknowledgement carries nothing */
        {{.flags = UDACK_LAST}, 1001},                   /* over the MTU */
        {{.flags = 0}, 999},                             /* short, and not the last */
        {{.flags = UDACK_LAST, .fragment = 1}, 0},       /* empty behind another */
        {{.flags = UDACK_LAST, .fragment = 2147484}, 1}, /* ends beyond 2^31 */
    };
    struct udack_cfg cfg = udbed_cfg();
    udbed_init(&b, 2, &cfg);
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        CU_ASSERT_EQUAL(udbed_arrive(&b, 0, 1, row[i].h, row[i].bytes).verdict, UDACK_MALFORMED);
    CU_ASSERT_EQUAL(udack_outstanding(b.end[1]), 0);
    udbed_fini(&b);
}

/* An acknowledgement of what was never sent moves nothing. */
static void udack_recv_acknowledgement_of_the_future_is_ignored(void)
{
    struct udack_cfg cfg = udbed_cfg();
    struct udack_query q;
    struct udack_hdr h = {.flags = UDACK_ACK, .ack = 2};
    udbed_init(&b, 2, &cfg);
    b.drop = UINT64_MAX;
    udbed_post(&b, 0, 1, 10);
    udbed_run(&b, 0);
    CU_ASSERT_EQUAL(udbed_arrive(&b, 1, 0, h, 0).verdict, UDACK_HEARD);
    CU_ASSERT_EQUAL(udack_query(b.end[0], 0, &q), UDACK_OK);
    CU_ASSERT_EQUAL(q.outstanding, 1);
    udbed_fini(&b);
}

static struct udack_piece pieces[8];
static uint32_t piece_count;

static void note_piece(void *self, uint32_t end, const struct udack_piece *p)
{
    if (piece_count < 8)
        pieces[piece_count++] = *p;
}

static void udack_recv_pieces_tell_their_place(void)
{
    struct udack_cfg cfg = udbed_cfg();
    udbed_init(&b, 2, &cfg);
    b.piece = note_piece;
    piece_count = 0;
    udbed_post(&b, 0, 1, 0);
    udbed_post(&b, 0, 1, 1001);
    udbed_settle(&b);
    CU_ASSERT_EQUAL_FATAL(piece_count, 3);
    CU_ASSERT_TRUE(pieces[0].message == 0 && pieces[0].bytes == 0 && pieces[0].last &&
                   pieces[0].message_bytes == 0);
    CU_ASSERT_TRUE(pieces[1].message == 1 && pieces[1].offset == 0 && pieces[1].bytes == 1000 &&
                   !pieces[1].last);
    CU_ASSERT_TRUE(pieces[2].message == 1 && pieces[2].offset == 1000 && pieces[2].bytes == 1 &&
                   pieces[2].last && pieces[2].message_bytes == 1001);
    udbed_fini(&b);
}

static const struct test tests[] = {TEST(udack_recv_early_ones_are_held),
                                    TEST(udack_recv_too_early_is_refused),
                                    TEST(udack_recv_copies_are_suppressed),
                                    TEST(udack_recv_acknowledges_every_nth),
                                    TEST(udack_recv_closed_gap_is_acknowledged_at_once),
                                    TEST(udack_recv_acknowledgement_rides_on_data),
                                    TEST(udack_recv_long_sack_goes_ahead_of_data),
                                    TEST(udack_recv_strangers_are_ignored),
                                    TEST(udack_recv_malformed_are_ignored),
                                    TEST(udack_recv_acknowledgement_of_the_future_is_ignored),
                                    TEST(udack_recv_pieces_tell_their_place),
                                    TESTS_END};
const struct suite suite_udack_recv = {"udack_recv", tests};
