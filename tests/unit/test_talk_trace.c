/* Rows of packets.csv become packets with a way and an end. */
#include <glib.h>
#include <string.h>

#include "scenarios/run/talk.h"
#include "tests/suite.h"
#include "tests/unit/cli_run.h"

#define HEAD                                                                                       \
    "t_us,kind,where,reason,host,qp,opcode,psn,ackreq,paylen,syndrome,msn,dmalen,dqpn,retransmit," \
    "dst\n"

static struct cli_run run;

/* talk_free */
static struct talk *talk_of(const char *text)
{
    char err[300] = "", *path;
    cli_run_begin(&run);
    cli_run_write(&run, "packets.csv", text);
    path = g_build_filename(run.dir, "packets.csv", NULL);
    struct talk *t = talk_from_trace(path, err, sizeof err);
    if (!t)
        g_strlcpy(run.err, err, sizeof run.err);
    g_free(path);
    cli_run_done(&run);
    return t;
}

static const struct ladder_row *row_of(const struct talk *t, uint32_t i)
{
    return &talk_at(t, i)->row;
}

static void talk_trace_follows_a_packet_through_a_switch(void)
{
    struct talk *t =
        talk_of(HEAD "0.000000,send,h0-s0,,0,,RC_SEND_ONLY,5,1,64,,,,18,0,1\n"
                     "0.010001,send,h0-s0,,0,,RC_SEND_ONLY,6,1,64,,,,18,1,1\n"
                     "1.000000,arrive,h0-s0,,0,,RC_SEND_ONLY,5,1,64,,,,18,0,1\n"
                     "1.000000,send,s0-h1,,0,,RC_SEND_ONLY,5,1,64,,,,18,0,1\n"
                     "1.010001,arrive,h0-s0,,0,,RC_SEND_ONLY,6,1,64,,,,18,1,1\n"
                     "1.010001,send,s0-h1,,0,,RC_SEND_ONLY,6,1,64,,,,18,1,1\n"
                     "1.010001,drop,s0-h1,buffer,0,,RC_SEND_ONLY,6,1,64,,,,18,1,1\n"
                     "2.000000,arrive,s0-h1,,0,,RC_SEND_ONLY,5,1,64,,,,18,0,1\n"
                     "2.000000,send,h1-s0,,1,,RC_ACKNOWLEDGE,5,0,0,NAK:PSN_SEQ,3,,17,0,0\n");
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    CU_ASSERT_EQUAL_FATAL(t->item->len, 3);
    CU_ASSERT_EQUAL(row_of(t, 0)->until, 2 * TM_US);
    CU_ASSERT_EQUAL(row_of(t, 0)->fate, LADDER_ARRIVED);
    CU_ASSERT_EQUAL(row_of(t, 1)->at, 10001);
    CU_ASSERT_EQUAL(row_of(t, 1)->fate, LADDER_LOST);
    CU_ASSERT_STRING_EQUAL(row_of(t, 1)->text, "buffer full");
    CU_ASSERT_TRUE(row_of(t, 1)->again);
    CU_ASSERT_EQUAL(row_of(t, 2)->fate, LADDER_ON_THE_WAY);
    CU_ASSERT_EQUAL(row_of(t, 2)->h.syndrome, 0x60);
    CU_ASSERT_EQUAL(row_of(t, 2)->h.msn, 3);
    CU_ASSERT_EQUAL(talk_at(t, 2)->qp, 17);
    CU_ASSERT_STRING_EQUAL(t->host->pdata[talk_at(t, 2)->peer], "h0");
    talk_free(t);
}

static void talk_trace_copies_and_spoiled_packets_are_told_apart(void)
{
    struct talk *t = talk_of(HEAD "0.000000,send,h0-h1,,0,,UC_SEND_ONLY,5,0,64,,,,18,0,1\n"
                                  "0.000000,dup,h0-h1,,0,,UC_SEND_ONLY,5,0,64,,,,18,0,1\n"
                                  "1.000000,drop,h0-h1,icrc,0,,UC_SEND_ONLY,5,0,64,,,,18,0,1\n"
                                  "1.000001,arrive,h0-h1,,0,,UC_SEND_ONLY,5,0,64,,,,18,0,1\n"
                                  "1.000001,refused,,out_of_order,1,18,,,,,,,,,,\n");
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    CU_ASSERT_EQUAL_FATAL(t->item->len, 3);
    CU_ASSERT_EQUAL(row_of(t, 0)->fate, LADDER_SPOILED);
    CU_ASSERT_EQUAL(row_of(t, 0)->until, TM_US);
    CU_ASSERT_EQUAL(row_of(t, 1)->fate, LADDER_ARRIVED);
    CU_ASSERT_STRING_EQUAL(row_of(t, 1)->text, "a copy");
    CU_ASSERT_STRING_EQUAL(row_of(t, 2)->text, "refused: out of order");
    talk_free(t);
}

/* The trace's rows about a cause stand behind the packet that it has sent again. */
static void talk_trace_causes_stand_before_what_they_cause(void)
{
    struct talk *t = talk_of(HEAD "0.000000,timer_set,,9.000000,0,17,,,,,,,,,,\n"
                                  "9.000000,send,h0-h1,,0,,RC_SEND_ONLY,5,1,64,,,,18,1,1\n"
                                  "9.000000,timer_fire,,,0,17,,,,,,,,,,\n"
                                  "9.000000,retry,,psn 5,0,17,,,,,,,,,,\n"
                                  "9.000000,cqe,,RETRY_EXC_ERR,0,17,,,,,,,,,,\n"
                                  "9.500000,arrive,h0-h1,,0,,RC_SEND_ONLY,5,1,64,,,,18,1,1\n");
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    CU_ASSERT_EQUAL_FATAL(t->item->len, 5);
    CU_ASSERT_EQUAL(row_of(t, 0)->until, 9 * TM_US);
    CU_ASSERT_EQUAL(row_of(t, 1)->kind, LADDER_TIMER_FIRED);
    CU_ASSERT_STRING_EQUAL(row_of(t, 2)->text, "goes back to PSN 5");
    CU_ASSERT_EQUAL(row_of(t, 3)->kind, LADDER_PACKET);
    CU_ASSERT_EQUAL(row_of(t, 3)->until, 9500 * TM_NS);
    CU_ASSERT_TRUE(row_of(t, 4)->bad);
    CU_ASSERT_STRING_EQUAL(row_of(t, 4)->text, "completion: RETRY_EXC_ERR");
    talk_free(t);
}

/* The MADs of QP 1 to QP 1, apart from a connection's packets. */
static void talk_trace_mads_come_from_qp_1(void)
{
    struct talk *t =
        talk_of(HEAD "0.000000,send,h0-h1,REQ,0,,UD_SEND_ONLY,0,0,256,,,,1,0,1\n"
                     "1.000000,arrive,h0-h1,REQ,0,,UD_SEND_ONLY,0,0,256,,,,1,0,1\n"
                     "1.000000,send,h1-h0,,1,,RC_ACKNOWLEDGE,0,0,0,ACK:credit31,1,,17,0,0\n");
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    struct talk_end end[2] = {{TALK_NOBODY, 1}, {TALK_NOBODY, 0}};
    CU_ASSERT_TRUE(talk_pick(t, end));
    CU_ASSERT_EQUAL(end[0].qp, 1);
    CU_ASSERT_EQUAL_FATAL(end[1].qp, 1);
    GArray *row = talk_rows(t, end);
    CU_ASSERT_EQUAL_FATAL(row->len, 1);
    CU_ASSERT_STRING_EQUAL(g_array_index(row, struct ladder_row, 0).text, "REQ");
    g_array_free(row, TRUE);
    talk_free(t);
}

static void talk_trace_other_tables_are_refused(void)
{
    CU_ASSERT_PTR_NULL(talk_of("t_us,kind\n1,send\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(run.err, "packets.csv: has no column 'where'"));
}

static const struct test tests[] = {TEST(talk_trace_follows_a_packet_through_a_switch),
                                    TEST(talk_trace_copies_and_spoiled_packets_are_told_apart),
                                    TEST(talk_trace_causes_stand_before_what_they_cause),
                                    TEST(talk_trace_mads_come_from_qp_1),
                                    TEST(talk_trace_other_tables_are_refused),
                                    TESTS_END};
const struct suite suite_talk_trace = {"talk_trace", tests};
