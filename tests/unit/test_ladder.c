/* How ladders call packets, and which rows they draw. */
#include <string.h>

#include "analysis/ladder_part.h"
#include "tests/suite.h"

static struct wire_hdr header(enum wire_op op, uint32_t number, uint8_t syndrome, uint32_t msn)
{
    struct wire_hdr h = {.opcode = wire_opcode(WIRE_RC, op), .syndrome = syndrome, .msn = msn};
    h.psn = psn(number);
    return h;
}

static void words_are(struct wire_hdr h, const char *want)
{
    char words[LADDER_WORDS_MAX];
    ladder_words(&h, words);
    CU_ASSERT_STRING_EQUAL(words, want);
}

static void ladder_packets_have_words(void)
{
    struct wire_hdr h = header(OP_SEND_ONLY, 1003, 0, 0);
    h.payload_bytes = 1024;
    h.flags = WIRE_ACKREQ;
    words_are(h, "SEND_ONLY 1003, 1024 B, AckReq");
    h = header(OP_READ_REQUEST, 9, 0, 0);
    h.dmalen = 4096;
    words_are(h, "READ_REQUEST 9 of 4096 B");
    h = header(OP_READ_RESP_FIRST, 9, 0x1f, 3);
    h.payload_bytes = 256;
    words_are(h, "READ_RESP_FIRST 9, 256 B, MSN 3");
    words_are(header(OP_ATOMIC_ACK, 5, 0x1f, 2), "ATOMIC_ACK 5, MSN 2");
    h.opcode.v = 0xff;
    words_are(h, "opcode 0xff 9");
}

static void ladder_answers_have_words(void)
{
    words_are(header(OP_ACKNOWLEDGE, 7, 0x1f, 4), "ACK 7, MSN 4");
    words_are(header(OP_ACKNOWLEDGE, 7, 0x05, 4), "ACK 7, credits code 5, MSN 4");
    words_are(header(OP_ACKNOWLEDGE, 8, 0x60, 4), "NAK 8 PSN sequence error, MSN 4");
    words_are(header(OP_ACKNOWLEDGE, 8, 0x62, 4), "NAK 8 remote access error, MSN 4");
    words_are(header(OP_ACKNOWLEDGE, 8, 0x69, 4), "NAK 8 reserved 9, MSN 4");
    words_are(header(OP_ACKNOWLEDGE, 8, 0x2c, 4), "RNR NAK 8 0.64 ms, MSN 4");
}

/* IBA table 45. */
static void ladder_rnr_codes_are_those_of_the_table(void)
{
    CU_ASSERT_EQUAL(ladder_rnr_wait_ps(0), 655360 * TM_US);
    CU_ASSERT_EQUAL(ladder_rnr_wait_ps(1), 10 * TM_US);
    CU_ASSERT_EQUAL(ladder_rnr_wait_ps(13), 960 * TM_US);
    CU_ASSERT_EQUAL(ladder_rnr_wait_ps(31), 491520 * TM_US);
}

static void ladder_lengths_have_the_unit_that_reads_best(void)
{
    char text[32];
    ladder_length_text(256 * TM_NS, text);
    CU_ASSERT_STRING_EQUAL(text, "0.256 us");
    ladder_length_text(67108864 * TM_NS, text);
    CU_ASSERT_STRING_EQUAL(text, "67.108 ms");
    ladder_length_text(4 * TM_S, text);
    CU_ASSERT_STRING_EQUAL(text, "4.000 s");
}

static struct ladder_row rows[10];

static struct ladder ten_rows(struct ladder_cut cut)
{
    for (uint32_t i = 0; i < 10; i++)
        rows[i] = (struct ladder_row){.at = i * TM_US, .until = i * TM_US + 400 * TM_NS};
    return (struct ladder){.end = {"a", "b"}, .row = rows, .rows = 10, .cut = cut};
}

static void span_is(struct ladder_cut cut, uint32_t first, uint32_t end)
{
    struct ladder l = ten_rows(cut);
    struct ladder_span s = ladder_span(&l);
    CU_ASSERT_EQUAL(s.first, first);
    CU_ASSERT_EQUAL(s.end, end);
}

static void ladder_cut_takes_times_then_rows(void)
{
    span_is((struct ladder_cut){0}, 0, 10);
    span_is((struct ladder_cut){.from = 2 * TM_US, .to = 5 * TM_US}, 2, 6);
    span_is((struct ladder_cut){.first = 3, .count = 4}, 3, 7);
    span_is((struct ladder_cut){.from = 2 * TM_US, .first = 1, .count = 2}, 3, 5);
    span_is((struct ladder_cut){.first = 99}, 10, 10);
}

static void ladder_silence_is_eight_of_the_usual(void)
{
    struct ladder l = ten_rows((struct ladder_cut){0});
    struct ladder_span s = ladder_span(&l);
    CU_ASSERT_EQUAL(ladder_flight_ps(&l, s), 400 * TM_NS);
    CU_ASSERT_EQUAL(ladder_silence_ps(&l, s), 8 * TM_US);
    s.end = s.first;
    CU_ASSERT_EQUAL(ladder_silence_ps(&l, s), TM_NEVER);
}

static const struct test tests[] = {TEST(ladder_packets_have_words),
                                    TEST(ladder_answers_have_words),
                                    TEST(ladder_rnr_codes_are_those_of_the_table),
                                    TEST(ladder_lengths_have_the_unit_that_reads_best),
                                    TEST(ladder_cut_takes_times_then_rows),
                                    TEST(ladder_silence_is_eight_of_the_usual),
                                    TESTS_END};
const struct suite suite_ladder = {"ladder", tests};
