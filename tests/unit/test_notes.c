/* Notes: formats as recognised, settings that surprise, keys that have no effect. */
#include <glib.h>
#include <stdlib.h>

#include "tests/suite.h"
#include "tests/unit/sctest.h"

static const char *notes_of(const char *text)
{
    static char out[600];
    struct sc_error err;
    char *buf = NULL;
    size_t len = 0;
    struct sc_file *f = sctest_load(text, &err);
    FILE *to = open_memstream(&buf, &len);
    if (f)
        sc_notes_print(f, NULL, 0, to);
    fclose(to);
    g_strlcpy(out, buf, sizeof out);
    free(buf);
    sc_file_free(f);
    return out;
}

static void notes_name_the_formats_seen(void)
{
    CU_ASSERT_STRING_EQUAL(notes_of("[workload]\nsize = websearch\n"),
                           "note: websearch.csv: sizes, table size_bytes,cumulative, 12 points\n");
    CU_ASSERT_STRING_EQUAL(notes_of("[workload]\npattern = trace\nfile = sample-flow\n"),
                           "note: sample-flow.txt: HPCC flow file with dport, 4 flows\n");
    CU_ASSERT_STRING_EQUAL(
        notes_of("[qp]\nmin_rnr_timer = 0\n"),
        "note: qp.min_rnr_timer 0 is the longest wait, 655.36 ms for each RNR NAK, "
        "not the shortest (1: 0.01 ms)\n");
    CU_ASSERT_STRING_EQUAL(notes_of("[qp]\ntimeout = 3\n"), "");
}

static void notes_tell_keys_of_another_loss_model(void)
{
    CU_ASSERT_STRING_EQUAL(
        notes_of("[fabric]\nloss.burst = 8\nloss.rate = 1%\n"),
        "note: fabric.loss.burst has no effect with fabric.loss.model = bernoulli\n");
    CU_ASSERT_STRING_EQUAL(
        notes_of("[fabric]\nloss.model = gilbert-elliott\nloss.p = 1%\nloss.r = 10%\n"
                 "loss.rate = 1%\nloss.ber = 1e-9\n"),
        "note: fabric.loss.rate has no effect with fabric.loss.model = gilbert-elliott\n"
        "note: fabric.loss.ber has no effect with fabric.loss.model = gilbert-elliott\n");
    CU_ASSERT_STRING_EQUAL(
        notes_of("[fabric]\nloss.model = gilbert-elliott\nloss.p = 1%\nloss.burst = 4\n"
                 "loss.rate = 1%\n"),
        "note: fabric.loss.p has no effect with fabric.loss.burst = 4\n");
    CU_ASSERT_STRING_EQUAL(notes_of("[fabric]\nloss.model = ber\nloss.ber = 1e-9\n"), "");
}

static void notes_warn_of_more_reads_than_the_responder_keeps(void)
{
    CU_ASSERT_STRING_EQUAL(notes_of("[qp]\nmax_dest_rd_atomic = 8\n[workload]\nop = read\n"),
                           "note: qp.max_rd_atomic 16 is more than qp.max_dest_rd_atomic 8: a READ "
                           "or atomic beyond that many outstanding may end in status 9\n");
    CU_ASSERT_STRING_EQUAL(notes_of("[qp]\nmax_rd_atomic = 8\nmax_dest_rd_atomic = 8\n"
                                    "[workload]\nop = read\n"),
                           "");
}

static void notes_tell_a_long_retry_time(void)
{
    CU_ASSERT_STRING_EQUAL(notes_of("[qp]\ntimeout = 20\n"),
                           "note: a silent peer is reported (status 12) after 34.36 s: "
                           "qp.retry_cnt + 1 = 8 waits of 4.29 s\n");
    CU_ASSERT_STRING_EQUAL(notes_of("[qp]\ntimeout = 20\nretry_cnt = 0\n"),
                           "note: a silent peer is reported (status 12) after 4.29 s: "
                           "qp.retry_cnt + 1 = 1 waits of 4.29 s\n");
    CU_ASSERT_STRING_EQUAL(notes_of("[qp]\ntimeout = 16\n"), "");
    CU_ASSERT_STRING_EQUAL(notes_of("[qp]\ntimeout = 0\n"), "");
}

static void notes_warn_of_a_run_that_may_not_end(void)
{
    CU_ASSERT_STRING_EQUAL(notes_of("[workload]\non_error = reconnect\n"),
                           "note: with on_error = reconnect, no duration and no "
                           "reconnect_give_up, a run in which nothing gets through does not "
                           "end\n");
    CU_ASSERT_STRING_EQUAL(notes_of("[workload]\non_error = reconnect\nreconnect_give_up = 1s\n"),
                           "");
    CU_ASSERT_STRING_EQUAL(
        notes_of("[scenario]\nduration = 1s\n[workload]\non_error = reconnect\n"), "");
}

#define IDLE(text, said) CU_ASSERT_STRING_EQUAL(notes_of(text), "note: " said "\n")
#define QUIET(text) CU_ASSERT_STRING_EQUAL(notes_of(text), "")

static void notes_tell_which_keys_have_no_effect(void)
{
    IDLE("[fabric]\nswitch_delay = 1us\n",
         "fabric.switch_delay has no effect with fabric.topology = pair");
    IDLE("[connect]\nmra = 3\n", "connect.mra has no effect with connect.mode = instantaneous");
    QUIET("[connect]\nmode = simulated\nmra = 3\n");
    IDLE("[connect]\nmode = simulated\ntimewait = 1us\n",
         "connect.timewait has no effect with workload.on_error = stop");
    IDLE("[workload]\ntarget = 1\n", "workload.target has no effect with workload.pattern = pair");
    IDLE("[workload]\npattern = rpc\nsize = 4KiB\n",
         "workload.size has no effect with workload.data = none");
    IDLE("[workload]\nop = write\nrecv_late = 1us\n",
         "workload.recv_late has no effect with workload.op = write");
    IDLE("[workload]\nreconnect_delay = 1us\n",
         "workload.reconnect_delay has no effect with workload.on_error = stop");
    IDLE("[qp]\nservice = uc\ntimeout = 3\n", "qp.timeout has no effect with qp.service = uc");
    IDLE("[fabric]\nloss.class = ack\n",
         "fabric.loss.class has no effect with fabric.loss.rate = 0");
    IDLE("[qp]\nmax_rd_atomic = 4\n", "qp.max_rd_atomic has no effect with workload.op = send");
    IDLE("[udack]\nwindow = 4\n", "udack.window has no effect with qp.service = rc");
    IDLE("[qp]\nservice = ud-ack\n[udack]\nrto_min = 1ms\n",
         "udack.rto_min has no effect with udack.adaptive = off");
    IDLE("[qp]\nservice = ud-ack\n[workload]\nslowdown = on\n",
         "workload.slowdown has no effect with qp.service = ud-ack");
    IDLE("[qp]\nservice = ud-ack\nretry_cnt = 3\n",
         "qp.retry_cnt has no effect with qp.service = ud-ack");
}

static void notes_are_silent_where_keys_have_an_effect(void)
{
    QUIET("[fabric]\ntopology = star\nswitch_delay = 1us\n");
    QUIET("[workload]\npattern = incast\ntarget = 1\n");
    QUIET("[workload]\npattern = rpc\ndata = write\nsize = 4KiB\n");
    QUIET("[workload]\nrecv_late = 1us\n");
    QUIET("[qp]\nservice = ud-ack\n[udack]\nadaptive = on\nrto_min = 1ms\n");
    QUIET("[fabric]\nloss.rate = 1%\nloss.class = ack\n");
    /* the default changes nothing, in whatever unit */
    QUIET("[fabric]\nswitch_delay = 0ns\n[qp]\nservice = uc\npreset = nccl\n");
}

static void notes_ask_every_point_of_a_sweep(void)
{
    QUIET("[qp]\nservice = uc\ntimeout = 3\n[sweep]\nqp.service = uc; rc\n");
    IDLE("[qp]\ntimeout = 3\nservice = uc\n[sweep]\nqp.mtu = 256; 512\n",
         "qp.timeout has no effect with qp.service = uc");
    IDLE("[sweep]\nworkload.target = 0; 1\n",
         "workload.target has no effect with workload.pattern = pair");
}

static const struct test tests[] = {
    TEST(notes_name_the_formats_seen),
    TEST(notes_tell_keys_of_another_loss_model),
    TEST(notes_warn_of_a_run_that_may_not_end),
    TEST(notes_tell_which_keys_have_no_effect),
    TEST(notes_are_silent_where_keys_have_an_effect),
    TEST(notes_ask_every_point_of_a_sweep),
    TEST(notes_warn_of_more_reads_than_the_responder_keeps),
    TEST(notes_tell_a_long_retry_time),
    TESTS_END,
};
const struct suite suite_notes = {"notes", tests};
