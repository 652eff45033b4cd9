/* Selective repeat of READs and atomics: what is asked for again. */
#include <string.h>

#include "tests/unit/srbed.h"

/* The missing response alone is asked for again, and not what came behind it; it costs no retry. */
static void sr_read_lost_response_is_asked_for_alone(void)
{
    struct rig *r = srbed_to_read(600, 0);
    srbed_read(r, 1, 600, 0);
    srbed_write(r, 2, 256);
    srbed_lose_response(r, 1);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "READ_REQUEST.100+0@4096:600 WRITE_ONLY.103+256@4096:256 READ_RESP_FIRST.100+256/2 "
            "READ_RESP_MIDDLE.101+256x READ_RESP_LAST.102+88/2 ack.103/3 "
            "READ_REQUEST.101+0@4352:256r READ_RESP_ONLY.101+256/3");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 16384, 4096, 600));
    struct xp_qp_counts n;
    xp_qp_counts(r->loop->end[A].core, r->qp[A], &n);
    INT_IS(n.implied_nak_seq_err, 1);
    INT_IS(n.retransmitted, 1);
    rig_free(r);
}

static void sr_read_lost_responses_are_asked_for_by_runs(void)
{
    struct rig *r = srbed_to_read(2500, 0);
    srbed_read(r, 1, 2500, 0);
    srbed_lose_response(r, 0);
    srbed_lose_response(r, 3);
    srbed_lose_response(r, 4);
    srbed_lose_response(r, 7);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "READ_REQUEST.100+0@4096:2500 READ_REQUEST.100+0@4096:256r "
            "READ_REQUEST.103+0@4864:512r READ_REQUEST.107+0@5888:256r");
    TEXT_IS(rig_wcs(r, A), "1:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 16384, 4096, 2500));
    INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, 0);
    rig_free(r);
}

/* The answer to a later request shows that the one before got lost once more. */
static void sr_read_answer_lost_twice_is_asked_for_again_at_once(void)
{
    struct rig *r = srbed_to_read(1536, 0);
    srbed_read(r, 1, 1536, 0);
    srbed_lose_response(r, 0);
    srbed_lose_response(r, 3);
    srbed_lose_response(r, 6);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "READ_REQUEST.100+0@4096:1536 READ_REQUEST.100+0@4096:256r "
            "READ_REQUEST.103+0@4864:256r READ_REQUEST.100+0@4096:256r");
    INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, 0);
    TEXT_IS(rig_wcs(r, A), "1:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 16384, 4096, 1536));
    rig_free(r);
}

/* Of the last response nothing that comes behind it tells. */
static void sr_read_lost_last_response_is_the_timers(void)
{
    struct rig *r = srbed_to_read(1024, 1);
    srbed_read(r, 1, 1024, 0);
    srbed_lose_response(r, 1);
    srbed_lose_response(r, 3);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "READ_REQUEST.100+0@4096:1024 READ_REQUEST.101+0@4352:256r "
            "READ_REQUEST.103+0@4864:256r");
    INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, 1);
    TEXT_IS(rig_wcs(r, A), "1:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 16384, 4096, 1024));
    rig_free(r);
}

/* Its own responses alone prove that a READ was executed: until then all of it is asked for. */
static void sr_read_read_without_responses_is_asked_for_whole(void)
{
    struct rig *r = srbed_to_read(1024, 0);
    srbed_read(r, 1, 512, 0);
    srbed_read(r, 2, 512, 512);
    srbed_lose_response(r, 0);
    srbed_lose_response(r, 1);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "READ_REQUEST.100+0@4096:512 READ_REQUEST.102+0@4608:512 "
            "READ_REQUEST.100+0@4096:512r");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 16384, 4096, 1024));
    rig_free(r);
}

/* Bits are by PSN modulo 256: those of the responses kept say nothing of a READ that reaches as far again. */
static void sr_read_longer_than_the_bits_is_asked_for_whole(void)
{
    struct rig *r = srbed_to_read(1024, 7);
    srbed_lose_response(r, 0);
    srbed_drop(r, A, 5);
    srbed_read(r, 1, 2560, 0);
    srbed_read(r, 2, 300 * 256, 2560);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "READ_REQUEST.100+0@4096:2560 READ_REQUEST.110+0@6656:76800x "
            "READ_REQUEST.100+0@4096:256r READ_REQUEST.110+0@6656:76800r");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    rig_free(r);
}

/* Both are lost together with the request of the second: the timer asks for both. */
static void sr_read_not_executed_is_asked_for_whole_by_the_timer(void)
{
    struct rig *r = srbed_to_read(1024, 7);
    srbed_lose_response(r, 0);
    srbed_drop(r, A, 5);
    srbed_drop(r, A, 6);
    srbed_read(r, 1, 2560, 0);
    srbed_read(r, 2, 300 * 256, 2560);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "READ_REQUEST.100+0@4096:2560 READ_REQUEST.110+0@6656:76800x "
            "READ_REQUEST.100+0@4096:256rx READ_REQUEST.100+0@4096:256r "
            "READ_REQUEST.110+0@6656:76800r");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    rig_free(r);
}

/* The READ behind it has been named, and waits at the other end. */
static void sr_read_lost_read_request_is_the_only_one_again(void)
{
    struct rig *r = srbed_to_read(1024, 0);
    srbed_drop(r, A, 4);
    srbed_read(r, 1, 512, 0);
    srbed_read(r, 2, 512, 512);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "READ_REQUEST.100+0@4096:512x READ_REQUEST.102+0@4608:512 nak0.100/102 "
            "READ_REQUEST.100+0@4096:512r READ_RESP_FIRST.100+256/2 READ_RESP_LAST.101+256/2 "
            "READ_RESP_FIRST.102+256/3 READ_RESP_LAST.103+256/3");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 16384, 4096, 1024));
    rig_free(r);
}

static void sr_read_lost_atomic_answer_is_given_again_and_added_once(void)
{
    struct rig *r = srbed_to_read(16, 0);
    for (uint32_t i = 0; i < 3; i++)
        srbed_fetch_add(r, 1 + i, 8 * i);
    srbed_lose_response(r, 0);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "FETCH_ADD.100+0 FETCH_ADD.101+0 FETCH_ADD.102+0 "
                                      "ATOMIC_ACK.100/2x ATOMIC_ACK.101/3 ATOMIC_ACK.102/4 "
                                      "FETCH_ADD.100+0r ATOMIC_ACK.100/4");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t found;
        memcpy(&found, r->loop->end[A].arena + RIG_BASE + 32768 + 8 * i, sizeof found);
        INT_IS(found, 2 * i);
    }
    rig_free(r);
}

static void sr_read_numbers_of_responses_wrap(void)
{
    struct rig_spec s = srbed_spec();
    s.psn_a = 0xfffffd;
    struct rig *r = rig_new(&s);
    srbed_read(r, 1, 1536, 0);
    srbed_drop(r, B, 2);
    srbed_drop(r, B, 3);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "READ_REQUEST.16777213+0@4096:1536 READ_REQUEST.16777215+0@4608:512r");
    TEXT_IS(rig_wcs(r, A), "1:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 16384, 4096, 1536));
    rig_free(r);
}

/* The NAK passes the missing response: what it refuses and names is heard all the same. */
static void sr_read_nak_behind_a_lost_response_is_heard(void)
{
    struct rig *r = srbed_to_read(256, 0);
    srbed_read(r, 1, 256, 0);
    srbed_write(r, 2, 768);
    srbed_lose_response(r, 0);
    srbed_drop(r, A, 2);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "READ_REQUEST.100+0@4096:256 WRITE_FIRST.101+256@4096:768x WRITE_MIDDLE.102+256 "
            "WRITE_LAST.103+256 READ_REQUEST.100+0@4096:256r WRITE_FIRST.101+256@4096:768r");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, 0);
    rig_free(r);
}

/* So is the RNR NAK: what it turned away, and what was dropped behind it, comes again. */
static void sr_read_rnr_nak_behind_a_lost_response_is_heard(void)
{
    struct rig *r = srbed_to_read(256, 0);
    srbed_read(r, 1, 256, 0);
    rig_sends(r, 2, 2, 16);
    srbed_lose_response(r, 0);
    rig_run_for(r, 1500 * TM_NS);
    rig_recvs(r, 11, 2, 64);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "READ_REQUEST.100+0@4096:256 SEND_ONLY.101+16 SEND_ONLY.102+16 "
            "READ_REQUEST.100+0@4096:256r SEND_ONLY.101+16r SEND_ONLY.102+16r");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    TEXT_IS(rig_rcs(r, B), "11:0/16 12:0/16");
    INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, 0);
    rig_free(r);
}

/* An answer to a part of a READ: its end is not the READ's. */
static struct wire_hdr part(const struct rig *r, uint32_t psn, uint16_t len)
{
    struct wire_hdr h = rig_answer(r, 0x1f, psn, 1);
    h.opcode = wire_opcode(WIRE_RC, OP_READ_RESP_ONLY);
    h.payload_bytes = len;
    return h;
}

static void sr_read_part_is_not_the_whole(void)
{
    struct rig *r = srbed_to_read(600, 0);
    srbed_read(r, 1, 600, 0);
    rig_run_for(r, 1000);
    CU_ASSERT_FALSE(rig_inject(r, A, part(r, 100, 256)).read_done);
    CU_ASSERT_FALSE(rig_inject(r, A, part(r, 101, 256)).read_done);
    TEXT_IS(rig_wcs(r, A), "");
    CU_ASSERT_TRUE(rig_inject(r, A, part(r, 102, 88)).read_done);
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_free(r);
}

/* A part ends with a whole packet, or where the READ does. */
static void sr_read_part_of_another_length_is_a_length_error(void)
{
    struct rig *r = srbed_to_read(600, 0);
    srbed_read(r, 1, 600, 0);
    rig_run_for(r, 1000);
    rig_inject(r, A, part(r, 100, 200));
    TEXT_IS(rig_wcs(r, A), "1:1");
    rig_free(r);
}

static const struct test tests[] = {TEST(sr_read_lost_response_is_asked_for_alone),
                                    TEST(sr_read_lost_responses_are_asked_for_by_runs),
                                    TEST(sr_read_answer_lost_twice_is_asked_for_again_at_once),
                                    TEST(sr_read_lost_last_response_is_the_timers),
                                    TEST(sr_read_longer_than_the_bits_is_asked_for_whole),
                                    TEST(sr_read_not_executed_is_asked_for_whole_by_the_timer),
                                    TEST(sr_read_read_without_responses_is_asked_for_whole),
                                    TEST(sr_read_lost_read_request_is_the_only_one_again),
                                    TEST(sr_read_lost_atomic_answer_is_given_again_and_added_once),
                                    TEST(sr_read_numbers_of_responses_wrap),
                                    TEST(sr_read_nak_behind_a_lost_response_is_heard),
                                    TEST(sr_read_rnr_nak_behind_a_lost_response_is_heard),
                                    TEST(sr_read_part_is_not_the_whole),
                                    TEST(sr_read_part_of_another_length_is_a_length_error),
                                    TESTS_END};
const struct suite suite_sr_read = {"sr_read", tests};
