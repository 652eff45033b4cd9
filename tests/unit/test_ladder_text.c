/* A ladder as text, compared whole: a lost packet, its NAK, a wait, the end. */
#include <stdlib.h>
#include <string.h>

#include "analysis/ladder.h"
#include "tests/suite.h"

static struct ladder_row packet(uint8_t end, tm_ps at, tm_ps until, enum wire_op op,
                                uint32_t number)
{
    struct ladder_row r = {.at = at, .until = until, .kind = LADDER_PACKET, .end = end};
    r.h.opcode = wire_opcode(WIRE_RC, op);
    r.h.psn = psn(number);
    r.h.payload_bytes = op == OP_SEND_ONLY ? 64 : 0;
    r.h.syndrome = 0x60;
    return r;
}

static struct ladder_row event(uint8_t end, tm_ps at, enum ladder_kind kind, const char *text)
{
    return (struct ladder_row){
        .at = at, .until = at + 9 * TM_US, .kind = (uint8_t)kind, .end = end, .text = text};
}

static struct ladder_row rows[16];

static uint32_t fill_rows(void)
{
    uint32_t n = 0;
    rows[n] = packet(0, 0, TM_US, OP_SEND_ONLY, 7);
    rows[n].fate = LADDER_LOST;
    rows[n++].text = "by a rule";
    rows[n++] = event(0, 0, LADDER_TIMER_SET, "ACK timer");
    rows[n++] = packet(0, 500 * TM_NS, 1500 * TM_NS, OP_SEND_ONLY, 8);
    rows[n++] = packet(1, 1500 * TM_NS, 2500 * TM_NS, OP_ACKNOWLEDGE, 7);
    rows[n++] = event(0, 60 * TM_US, LADDER_TIMER_FIRED, "ACK timer");
    rows[n] = packet(0, 60 * TM_US, 61 * TM_US, OP_SEND_ONLY, 7);
    rows[n].fate = LADDER_SPOILED;
    rows[n++].again = true;
    rows[n] = packet(1, 61 * TM_US, 0, OP_ACKNOWLEDGE, 7);
    rows[n++].fate = LADDER_LOST;
    rows[n++] = event(1, 61 * TM_US, LADDER_STATE, "ERR");
    rows[n] = event(0, 62 * TM_US, LADDER_DONE, "completion: RETRY_EXC_ERR");
    rows[n++].bad = true;
    rows[n++] = event(0, 63 * TM_US, LADDER_DONE, "completion: SUCCESS");
    return n;
}

static void text_is(struct ladder_cut cut, const char *want)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct ladder l = {
        .title = "One loss", .end = {"a", "b"}, .row = rows, .rows = fill_rows(), .cut = cut};
    ladder_text(&l, out);
    fclose(out);
    CU_ASSERT_STRING_EQUAL(text, want);
    if (strcmp(text, want) != 0)
        fprintf(stderr, "%s", text);
    free(text);
}

static void ladder_text_tells_the_story(void)
{
    text_is(
        (struct ladder_cut){0},
        "One loss\n"
        "          us a                                                                         b\n"
        "       0.000 |-- SEND_ONLY 7, 64 B (lost: by a rule) ---X                             |\n"
        "       0.000 o ACK timer set, ends 9.000                                              |\n"
        "       0.500 |-- SEND_ONLY 8, 64 B -------------------------------------------------->| "
        "1.500\n"
        "       2.500 |<------------------------------------ NAK 7 PSN sequence error, MSN 0 --| "
        "1.500\n"
        "             :                             57.500 us pass                             :\n"
        "      60.000 @ ACK timer fires                                                        |\n"
        "      60.000 |== SEND_ONLY 7, 64 B, again (spoiled) =================================X| "
        "61.000\n"
        "             |                          X--- NAK 7 PSN sequence error, MSN 0 (lost) --| "
        "61.000\n"
        "             |                                                              state ERR # "
        "61.000\n"
        "      62.000 ! completion: RETRY_EXC_ERR                                              |\n"
        "      63.000 * completion: SUCCESS                                                    "
        "|\n");
}

static void ladder_text_cut_says_what_is_missing(void)
{
    text_is(
        (struct ladder_cut){.first = 2, .count = 2},
        "One loss\n"
        "          us a                                                                         b\n"
        "             :                        2 earlier rows left out                         :\n"
        "       0.500 |-- SEND_ONLY 8, 64 B -------------------------------------------------->| "
        "1.500\n"
        "       2.500 |<------------------------------------ NAK 7 PSN sequence error, MSN 0 --| "
        "1.500\n"
        "             :                         6 later rows left out                          "
        ":\n");
}

static const struct test tests[] = {TEST(ladder_text_tells_the_story),
                                    TEST(ladder_text_cut_says_what_is_missing), TESTS_END};
const struct suite suite_ladder_text = {"ladder_text", tests};
