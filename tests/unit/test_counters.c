/*
 * counters.csv: signatures that are known of real adapters, with one request outstanding, and the truth
 * beside them.  A test names what is not 0; all other counters of the row are.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "tests/unit/rig.h"
#include "tests/unit/run_text.h"

static char *counters_of(const char *scenario, uint32_t domains, struct text_run *r)
{
    char *dir = g_dir_make_tmp("rdmasim-XXXXXX", NULL);
    struct run_options o = {.domains = domains, .dir = dir, .counters = true};
    run_text_as(scenario, &o, r);
    CU_ASSERT_STRING_EQUAL(r->err.text, "");
    char *text = run_text_file(dir, "counters.csv");
    CU_ASSERT_EQUAL(g_rmdir(dir), 0);
    g_free(dir);
    return text;
}

/* "out_of_buffer 1 truth_packets_lost 2": what is not 0 in a host's row. */
static void row_is(const char *text, uint32_t host, const char *wanted)
{
    char **row = g_strsplit(text, "\n", -1), **name = g_strsplit(row[0], ",", -1),
         **cell = g_strsplit(row[1 + host], ",", -1);
    GString *found = g_string_new("");
    CU_ASSERT_EQUAL_FATAL(g_strv_length(name), g_strv_length(cell));
    for (uint32_t i = 1; name[i]; i++)
        if (strcmp(cell[i], "0") != 0)
            g_string_append_printf(found, "%s%s %s", found->len ? " " : "", name[i], cell[i]);
    TEXT_IS(found->str, wanted);
    g_string_free(found, TRUE);
    g_strfreev(cell);
    g_strfreev(name);
    g_strfreev(row);
}

#define ONE(op, more)                                                                              \
    "[fabric]\ntopology = pair\nrate = 100Gbps\ndelay = 1us\n[qp]\nmtu = 1024\n"                   \
    "[workload]\npattern = pair\nop = " op "\nsize = 4KiB\nmessages = 1\n" more

static void both(const char *scenario, const char *a, const char *b)
{
    struct text_run r;
    char *text = counters_of(scenario, 1, &r);
    row_is(text, 0, a);
    row_is(text, 1, b);
    g_free(text);
}

static void counters_of_a_run_without_trouble_are_requests(void)
{
    both(ONE("write", ""), "truth_requests_sent 4", "rx_write_requests 1");
    both(ONE("read", ""), "truth_requests_sent 1", "rx_read_requests 1");
    both(ONE("send", ""), "truth_requests_sent 4", "");
}

/* One packet is lost, three claim to have come out of sequence, one NAK says so. */
static void counters_of_a_gap_and_what_was_lost(void)
{
    both(ONE("write", "[inject]\nx = drop psn=+0 tx=1\n"),
         "packet_seq_err 1 truth_requests_sent 8 truth_requests_sent_again 4 truth_packets_lost 1",
         "rx_write_requests 1 out_of_sequence 3");
}

/* The lost packet is the answer: the other end sees the request again. */
static void counters_of_a_lost_ack_are_a_timeout_and_duplicates(void)
{
    both(ONE("write", "[inject]\nx = drop dir=b2a count=1\n"),
         "local_ack_timeout_err 1 truth_requests_sent 8 truth_requests_sent_again 4",
         "rx_write_requests 1 duplicate_request 4 truth_packets_lost 1");
}

static void counters_of_a_missing_receive(void)
{
    both(ONE("send", "recv_late = 1s\n[qp]\nrnr_retry = 0\n"),
         "rnr_nak_retry_err 1 req_cqe_error 1 req_rnr_retries_exceeded 1 truth_requests_sent 4",
         "out_of_buffer 1 out_of_sequence 3"); /* the message's other packets */
}

/* Eight expiries. */
static void counters_of_a_dead_peer(void)
{
    both(ONE("write", "[inject]\nx = kill 1 0us\n"),
         "local_ack_timeout_err 8 req_cqe_error 1 req_transport_retries_exceeded 1 "
         "truth_requests_sent 32 truth_requests_sent_again 28",
         "");
}

/* Adapters that retransmit early have shown six of them here, and four to seven early ones. */
static void counters_of_a_dead_peer_tell_early_retransmissions_apart(void)
{
    both(ONE("write", "[hca]\ntimer_factor = 2\ntimer_floor = 268435456ns\ntimer_ladder = 20.7ms, "
                      "37.7ms, 71.4ms, 138.4ms, 239.1ms, 440.4ms, 977.27ms\n"
                      "[inject]\nx = kill 1 0us\n"),
         "local_ack_timeout_err 6 roce_adp_retrans 6 req_cqe_error 1 "
         "req_transport_retries_exceeded 1 truth_requests_sent 48 truth_requests_sent_again 44",
         "");
}

static void counters_of_a_wrong_icrc(void)
{
    both(ONE("write", "[inject]\nx = corrupt psn=+3 tx=1\n"),
         "local_ack_timeout_err 1 truth_requests_sent 8 truth_requests_sent_again 4",
         "rx_write_requests 1 duplicate_request 3 rx_icrc_encapsulated 1");
}

/* A NAK for a bad key moves no error counter of the responder: the truth has it. */
static void counters_of_a_refused_key_are_the_requesters(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = 600});
    wr.rkey += 256;
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, 0) == XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 2, .op = XP_WR_WRITE, .len = 16}) == XP_OK);
    rig_run(r);
    CHECK(rig_post(r, (struct rig_op){.id = 3, .op = XP_WR_WRITE, .len = 16}) == XP_OK);
    const struct xp_counts *a = xp_counts(r->loop->end[A].core),
                           *b = xp_counts(r->loop->end[B].core);
    INT_IS(a->sends_ended[XP_WC_REM_ACCESS_ERR], 1);
    INT_IS(a->sends_ended[XP_WC_WR_FLUSH_ERR], 2);
    INT_IS(a->sends_to_dead, 1);
    INT_IS(b->accepted[CLASS_WRITE], 1);
    INT_IS(b->key_refused, 1);
    INT_IS(b->recvs_ended[XP_WC_WR_FLUSH_ERR], 0);
    rig_free(r);
}

static uint64_t sum_of(const char *text, uint32_t hosts, const char *column)
{
    char **row = g_strsplit(text, "\n", -1), **name = g_strsplit(row[0], ",", -1);
    uint64_t total = 0;
    uint32_t at = 0;
    while (name[at] && strcmp(name[at], column) != 0)
        at++;
    CU_ASSERT_PTR_NOT_NULL_FATAL(name[at]);
    for (uint32_t h = 0; h < hosts; h++) {
        char **cell = g_strsplit(row[1 + h], ",", -1);
        total += strtoull(cell[at], NULL, 10);
        g_strfreev(cell);
    }
    g_strfreev(name);
    g_strfreev(row);
    return total;
}

#define STORM                                                                                      \
    "[scenario]\nduration = 300us\nseed = 3\n[fabric]\ntopology = star\nhosts = 4\n"               \
    "rate = 100Gbps\ndelay = 1us\nbuffer = 40KB\nloss.rate = 1%\n[qp]\nmtu = 1024\ntimeout = 3\n"  \
    "[workload]\npattern = incast\nop = write\nsize = 10KB\ndepth = 8\n"

static void counters_add_up_to_the_metrics_whatever_the_domains(void)
{
    struct text_run r, d;
    char *text = counters_of(STORM, 1, &r), *cut = counters_of(STORM, 3, &d);
    CU_ASSERT_STRING_EQUAL(text, cut);
    INT_IS(sum_of(text, 4, "truth_packets_lost"), r.m.v[METRIC_packets_dropped]);
    INT_IS(sum_of(text, 4, "truth_requests_sent_again"), r.m.v[METRIC_packets_retransmitted]);
    INT_IS(sum_of(text, 4, "local_ack_timeout_err"), r.m.v[METRIC_ack_timeouts]);
    CU_ASSERT_TRUE(r.m.v[METRIC_packets_dropped] > 100);
    g_free(cut);
    g_free(text);
}

static const struct test tests[] = {TEST(counters_of_a_run_without_trouble_are_requests),
                                    TEST(counters_of_a_gap_and_what_was_lost),
                                    TEST(counters_of_a_lost_ack_are_a_timeout_and_duplicates),
                                    TEST(counters_of_a_missing_receive),
                                    TEST(counters_of_a_dead_peer),
                                    TEST(counters_of_a_dead_peer_tell_early_retransmissions_apart),
                                    TEST(counters_of_a_wrong_icrc),
                                    TEST(counters_of_a_refused_key_are_the_requesters),
                                    TEST(counters_add_up_to_the_metrics_whatever_the_domains),
                                    TESTS_END};
const struct suite suite_counters = {"counters", tests};
