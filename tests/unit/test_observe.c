/*
 * Files on request, compared whole for a run small enough to write down.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/run_text.h"

#define TWO_SENDS                                                                                  \
    "[fabric]\ntopology = pair\nrate = 100Gbps\ndelay = 1us\n"                                     \
    "[qp]\nservice = rc\nmtu = 1024\ntimeout = 8\n"                                                \
    "[workload]\npattern = pair\nop = write\nsize = 100B\ndepth = 1\nmessages = 2\n"               \
    "[inject]\nonce = drop dir=a2b psn=+1 count=1\n"

static char *file_of(const char *dir, const char *name)
{
    char *path = g_build_filename(dir, name, NULL), *text = NULL;

    g_file_get_contents(path, &text, NULL, NULL);
    g_unlink(path);
    g_free(path);
    return text ? text : g_strdup("");
}

static void observe_messages_join_delivery_and_completion(void)
{
    struct text_run r;
    char *dir = g_dir_make_tmp("rdmasim-XXXXXX", NULL);

    run_text(TWO_SENDS, 1, dir, &r);
    CU_ASSERT_STRING_EQUAL(r.err.text, "");
    char *text = file_of(dir, "messages.csv");
    /* 198 bytes on the wire: 15.840 ns; ACK 6.880 ns.  The second message is lost once: 4.096 us * 256
       later it is sent again. */
    CU_ASSERT_STRING_EQUAL(
        text, "src,dst,qp,msgno,post_us,bytes,delivered_us,latency_us,completed_us,status\n"
              "0,1,2,0,0.000000,100,1.015840,1.015840,2.022720,0\n"
              "0,1,2,1,2.022720,100,1051.614560,1049.591840,1052.621440,0\n");
    g_free(text);
    g_free(file_of(dir, "qps.csv"));
    g_free(file_of(dir, "packets.csv"));
    CU_ASSERT_EQUAL(g_rmdir(dir), 0);
    g_free(dir);
}

static void observe_qps_name_the_counters(void)
{
    struct text_run r;
    char *dir = g_dir_make_tmp("rdmasim-XXXXXX", NULL);

    run_text(TWO_SENDS, 1, dir, &r);
    char *text = file_of(dir, "qps.csv");
    CU_ASSERT_STRING_EQUAL(
        text,
        "host,qp,peer,service,state,first_error,first_error_wr,first_error_us,posted,succeeded,"
        "packet_seq_err,implied_nak_seq_err,rnr_nak_retry_err,local_ack_timeout_err,roce_adp_retrans,out_of_sequence,duplicate_request,"
        "out_of_buffer,retransmitted\n"
        "0,2,1,rc,RTS,,,,2,2,0,0,0,1,0,0,0,0,1\n"
        "1,2,0,rc,RTS,,,,0,0,0,0,0,0,0,0,0,0,0\n");
    g_free(text);
    g_free(file_of(dir, "messages.csv"));
    g_free(file_of(dir, "packets.csv"));
    CU_ASSERT_EQUAL(g_rmdir(dir), 0);
    g_free(dir);
}

/* A response of a READ is missing: the requester counts that as a NAK, and no other. */
static void observe_qps_count_an_implied_nak(void)
{
    struct text_run r;
    char *dir = g_dir_make_tmp("rdmasim-XXXXXX", NULL);

    run_text("[fabric]\ntopology = pair\nrate = 100Gbps\ndelay = 1us\n[qp]\nmtu = 1024\n"
             "[workload]\npattern = pair\nop = read\nsize = 4KiB\ndepth = 1\nmessages = 1\n"
             "[inject]\nthird = drop dir=b2a psn=+2 tx=1\n",
             1, dir, &r);
    char *text = file_of(dir, "qps.csv");
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n0,2,1,rc,RTS,,,,1,1,0,1,0,0,0,0,0,0,1\n"));
    g_free(text);
    g_free(file_of(dir, "messages.csv"));
    g_free(file_of(dir, "packets.csv"));
    CU_ASSERT_EQUAL(g_rmdir(dir), 0);
    g_free(dir);
}

static void observe_trace_shows_send_drop_timer_and_completion(void)
{
    struct text_run r;
    char *dir = g_dir_make_tmp("rdmasim-XXXXXX", NULL);

    run_text(TWO_SENDS, 1, dir, &r);
    char *text = file_of(dir, "packets.csv");
    CU_ASSERT_PTR_NOT_NULL(
        strstr(text, "\n2.022720,drop,h0-h1,inject,0,,RC_WRITE_ONLY,1,1,0,100,0,"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n1050.598720,timer_fire,,,0,2,"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n1051.614560,arrive,h0-h1,,0,,RC_WRITE_ONLY,1,1,"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n1052.621440,cqe,,SUCCESS,0,2,"));
    g_free(text);
    g_free(file_of(dir, "messages.csv"));
    g_free(file_of(dir, "qps.csv"));
    CU_ASSERT_EQUAL(g_rmdir(dir), 0);
    g_free(dir);
}

static const struct test tests[] = {
    TEST(observe_messages_join_delivery_and_completion),
    TEST(observe_qps_name_the_counters),
    TEST(observe_qps_count_an_implied_nak),
    TEST(observe_trace_shows_send_drop_timer_and_completion),
    TESTS_END,
};
const struct suite suite_observe = {"observe", tests};
