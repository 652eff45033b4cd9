/* Which QPs talk to each other, and the rows between two of them. */
#include <string.h>

#include "scenarios/run/talk.h"
#include "tests/suite.h"

static struct talk *t;

static void packet(const char *from, const char *to, uint32_t qp, tm_ps at, enum wire_op op,
                   uint32_t number)
{
    struct talk_item i = {.host = talk_host(t, from), .peer = talk_host(t, to), .qp = qp};
    i.row = (struct ladder_row){.at = at, .until = at + TM_US, .kind = LADDER_PACKET};
    i.row.h.opcode = wire_opcode(WIRE_RC, op);
    i.row.h.psn = psn(number);
    i.row.h.syndrome = 0x1f;
    talk_add(t, &i);
}

static void event(const char *host, uint32_t qp, tm_ps at, enum ladder_kind kind, const char *text)
{
    struct talk_item i = {.host = talk_host(t, host), .peer = TALK_NOBODY, .qp = qp};
    i.row = (struct ladder_row){.at = at, .kind = (uint8_t)kind, .text = text};
    talk_add(t, &i);
}

static struct talk_end any(void) { return (struct talk_end){TALK_NOBODY, 0}; }

static void picked(struct talk_end a, struct talk_end b, const char *left, const char *right)
{
    struct talk_end end[2] = {a, b};
    CU_ASSERT_TRUE_FATAL(talk_pick(t, end));
    char *l = talk_end_name(t, end[0]), *r = talk_end_name(t, end[1]);
    CU_ASSERT_STRING_EQUAL(l, left);
    CU_ASSERT_STRING_EQUAL(r, right);
    g_free(l);
    g_free(r);
}

/* Two connections between the same hosts, crossed: 17 talks to 28, 18 to 27. */
static void cross_connections(void)
{
    t = talk_new();
    for (uint32_t i = 0; i < 6; i++) {
        tm_ps at = i * TM_US;
        packet("h0", "h1", 28, at, OP_SEND_ONLY, 100 + i);
        packet("h0", "h1", 27, at, OP_SEND_ONLY, 900 + i);
        packet("h1", "h0", 17, at + 2, OP_ACKNOWLEDGE, 100 + i);
        packet("h1", "h0", 18, at + 2, OP_ACKNOWLEDGE, 900 + i);
    }
    packet("h0", "h1", 27, 9 * TM_US, OP_SEND_ONLY, 906);
}

static void talk_busiest_pair_is_found_by_its_psns(void)
{
    cross_connections();
    picked(any(), any(), "h0 QP 18", "h1 QP 27");
    picked((struct talk_end){TALK_NOBODY, 17}, any(), "h0 QP 17", "h1 QP 28");
    picked(any(), (struct talk_end){talk_host(t, "h1"), 28}, "h0 QP 17", "h1 QP 28");
    picked((struct talk_end){talk_host(t, "h1"), 0}, any(), "h1 QP 27", "h0 QP 18");
    struct talk_end end[2] = {{TALK_NOBODY, 99}, any()};
    CU_ASSERT_FALSE(talk_pick(t, end));
    talk_free(t);
}

/* All connections count PSNs from 0; when timers start tells them apart. */
static void talk_timers_tell_equal_connections_apart(void)
{
    t = talk_new();
    for (uint32_t i = 0; i < 4; i++) {
        tm_ps at = i * TM_US;
        packet("h0", "h1", 28, at, OP_SEND_ONLY, i);
        event("h0", 17, at, LADDER_TIMER_SET, "timer");
        packet("h0", "h1", 27, at + 5, OP_SEND_ONLY, i);
        event("h0", 18, at + 5, LADDER_TIMER_SET, "timer");
        packet("h1", "h0", 17, at + 9, OP_ACKNOWLEDGE, i);
        packet("h1", "h0", 18, at + 9, OP_ACKNOWLEDGE, i);
    }
    picked(any(), (struct talk_end){TALK_NOBODY, 28}, "h0 QP 17", "h1 QP 28");
    picked(any(), (struct talk_end){TALK_NOBODY, 27}, "h0 QP 18", "h1 QP 27");
    talk_free(t);
}

static const struct ladder_row *at(const GArray *row, uint32_t i)
{
    return &g_array_index(row, struct ladder_row, i);
}

static void talk_rows_leave_out_what_explains_nothing(void)
{
    t = talk_new();
    event("h0", 17, 0, LADDER_STATE, "RTS");
    packet("h0", "h1", 28, 0, OP_SEND_ONLY, 5);
    packet("h0", "h2", 28, 0, OP_SEND_ONLY, 5);
    event("h0", 17, 0, LADDER_TIMER_SET, "timer");
    event("h0", 17, 2, LADDER_TIMER_SET, "timer");
    event("h0", 99, 2, LADDER_DONE, "completion: SUCCESS");
    packet("h1", "h0", 17, 2, OP_ACKNOWLEDGE, 5);
    talk_at(t, 6)->row.h.syndrome = 0x21;
    event("h0", 17, 2 + TM_US, LADDER_TIMER_SET, "timer");
    event("h0", 17, 5 * TM_US, LADDER_TIMER_FIRED, "timer");
    event("h0", 17, 6 * TM_US, LADDER_DONE, "completion: SUCCESS");
    event("h0", 17, 6 * TM_US, LADDER_DONE, "completion: SUCCESS");
    event("h1", 28, 6 * TM_US, LADDER_STATE, "ERR");
    struct talk_end end[2] = {{0, 17}, {1, 28}};
    GArray *row = talk_rows(t, end);
    CU_ASSERT_EQUAL_FATAL(row->len, 6);
    CU_ASSERT_EQUAL(at(row, 0)->kind, LADDER_PACKET);
    CU_ASSERT_EQUAL(at(row, 1)->end, 1);
    CU_ASSERT_EQUAL(at(row, 2)->at, 2 + TM_US);
    CU_ASSERT_STRING_EQUAL(at(row, 2)->text, "RNR timer");
    CU_ASSERT_STRING_EQUAL(at(row, 3)->text, "RNR timer");
    CU_ASSERT_STRING_EQUAL(at(row, 4)->text, "completion: SUCCESS, 2 times");
    CU_ASSERT_STRING_EQUAL(at(row, 5)->text, "ERR");
    g_array_free(row, TRUE);
    talk_free(t);
}

static void talk_ends_are_named_by_host_and_qp(void)
{
    struct talk_end e;
    char err[200] = "";
    cross_connections();
    CU_ASSERT_TRUE(talk_end_parse(t, "h1/28", &e, err, sizeof err));
    CU_ASSERT_EQUAL(e.host, 1);
    CU_ASSERT_EQUAL(e.qp, 28);
    CU_ASSERT_TRUE(talk_end_parse(t, "/17", &e, err, sizeof err));
    CU_ASSERT_EQUAL(e.host, TALK_NOBODY);
    CU_ASSERT_TRUE(talk_end_parse(t, "h0", &e, err, sizeof err));
    CU_ASSERT_EQUAL(e.qp, 0);
    CU_ASSERT_FALSE(talk_end_parse(t, "h7/1", &e, err, sizeof err));
    CU_ASSERT_STRING_EQUAL(err, "'h7/1': no packet of a host 'h7' is there");
    CU_ASSERT_FALSE(talk_end_parse(t, "h1/x", &e, err, sizeof err));
    CU_ASSERT_STRING_EQUAL(err,
                           "'h1/x': a QP number from 1 to 16777215 was expected behind the '/'");
    talk_free(t);
}

static const struct test tests[] = {TEST(talk_busiest_pair_is_found_by_its_psns),
                                    TEST(talk_timers_tell_equal_connections_apart),
                                    TEST(talk_rows_leave_out_what_explains_nothing),
                                    TEST(talk_ends_are_named_by_host_and_qp), TESTS_END};
const struct suite suite_talk = {"talk", tests};
