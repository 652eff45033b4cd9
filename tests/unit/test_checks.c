/* What does not fit together, in the words that a user reads. */
#include <glib.h>

#include "tests/suite.h"
#include "tests/unit/sctest.h"

#define REFUSED(text, message) CU_ASSERT_STRING_EQUAL(sctest_refusal(text), message)
#define TAKEN(text) CU_ASSERT_STRING_EQUAL(sctest_refusal(text), "")

#define CHAIN "[fabric]\nloss.model = gilbert-elliott\n"

static void checks_bursts_can_be(void)
{
    REFUSED(CHAIN "loss.burst = 1\nloss.rate = 60%\n",
            "t.ini:4: [fabric] loss.rate: so much loss leaves no room between bursts that are so "
            "short; give it between fabric.loss.good and fabric.loss.bad, or a longer "
            "fabric.loss.burst");
    REFUSED(CHAIN "loss.burst = 8\nloss.rate = 1%\nloss.good = 2%\n",
            "t.ini:4: [fabric] loss.rate: less is lost on the whole than in the good state; give it "
            "between fabric.loss.good and fabric.loss.bad, or a longer fabric.loss.burst");
    REFUSED(CHAIN "loss.p = 1%\nloss.r = 0\n",
            "t.ini:4: [fabric] loss.r: nothing ends the bad state; give more than 0");
    TAKEN(CHAIN "loss.burst = 2\nloss.rate = 60%\n");
    TAKEN("[fabric]\nloss.burst = 1\nloss.rate = 60%\n");
}

static void checks_times_leave_something_to_measure(void)
{
    REFUSED("[scenario]\nwarmup = 2ms\nduration = 2ms\n",
            "t.ini:2: [scenario] warmup: 2ms leaves nothing to measure; give less than "
            "scenario.duration (2ms)");
    REFUSED(
        "[scenario]\nduration = 1500us\n[workload]\nstart = 2ms\n",
        "t.ini:4: [workload] start: 2ms is not before the end; give less than scenario.duration "
        "(1500us)");
    REFUSED("[scenario]\nduration = 1s\n[workload]\npattern = trace\nfile = sample-flow.txt\n",
            "t.ini:2: [scenario] duration: the run ends at 1s, before the first flow of the trace "
            "starts (2s); give more");
    TAKEN("[scenario]\nduration = 2ms\nwarmup = 1ms\n");
}

static void checks_runs_end(void)
{
    REFUSED("[workload]\nload = 60%\n",
            "t.ini:2: [workload] load: an open load never ends by itself; "
            "give scenario.duration");
    REFUSED("[workload]\nmessages = unlimited\n",
            "t.ini:2: [workload] messages: unlimited messages never end by themselves; give "
            "scenario.duration");
    TAKEN("[scenario]\nduration = 1ms\n[workload]\nload = 60%\n");
}

static void checks_timers_do_what_an_adapter_does(void)
{
    REFUSED("[hca]\ntimer_ladder = 10ms, 20ms\n[qp]\nretry_cnt = 0\n",
            "t.ini:4: [qp] retry_cnt: what adapters with early retransmissions do with 0 is not "
            "known (those that were measured sent seven more); give 1 to 7, or hca.timer_ladder = "
            "none");
    REFUSED("[hca]\ntimer_ladder = 10ms\ntimer_first = 0.5..1.16\n",
            "t.ini:3: [hca] timer_first: an adapter with early retransmissions has no silent first "
            "expiry; give hca.timer_first = none or hca.timer_ladder = none");
    REFUSED("[hca]\ntimer_ladder = 10ms\nrnr_timer = runs\n",
            "t.ini:3: [hca] rnr_timer: an ACK timer that runs during RNR waits has no beginning of "
            "its own; give stops, or none for hca.timer_ladder and hca.timer_first");
    TAKEN("[hca]\ntimer_ladder = 10ms\n[qp]\nretry_cnt = 1\n");
    TAKEN("[hca]\ntimer_ladder = 10ms\n[qp]\nretry_cnt = 0\ntimeout = 0\n");
    TAKEN("[hca]\ntimer_ladder = 10ms\n[qp]\nretry_cnt = 0\nservice = uc\n");
    TAKEN("[hca]\ntimer_first = 0.5..1.16\n[qp]\nretry_cnt = 0\n");
}

static void checks_queues_hold_what_is_asked(void)
{
    REFUSED(
        "[workload]\ndepth = 129\n",
        "t.ini:2: [workload] depth: 129 messages outstanding do not fit a send queue of 128; lower "
        "it or raise qp.sq_depth");
    REFUSED(
        "[qp]\nsq_depth = 8\n",
        "t.ini: [workload] depth (default): 16 messages outstanding do not fit a send queue of 8; "
        "lower it or raise qp.sq_depth");
    REFUSED("[qp]\nsq_depth = 16385\n",
            "t.ini:2: [qp] sq_depth: 16385 is over the adapter's limit; give at most 16384 "
            "(hca.max_qp_wr)");
    REFUSED("[qp]\nservice = ud\n[workload]\nop = send\nsize = 1025B\n",
            "t.ini:5: [workload] size: a message of ud is one packet; give sizes from 1 to qp.mtu "
            "(1024), or another qp.service");
    TAKEN("[qp]\nservice = ud\n[workload]\nop = send\nsize = 1024B\n");
    REFUSED("[qp]\nservice = ud-ack\nsrq = on\n",
            "t.ini:3: [qp] srq: QPs of ud-ack are not connected and have receives of their own; "
            "leave it out or give another qp.service");
    REFUSED("[qp]\nrq_depth = 65\n[hca]\nmax_qp_wr = 64\n",
            "t.ini:4: [hca] max_qp_wr: 64 is less than qp.sq_depth (128); give at least that, or "
            "lower qp.sq_depth");
    REFUSED(
        "[qp]\nrq_depth = 65\nsq_depth = 64\n[hca]\nmax_qp_wr = 64\n",
        "t.ini:2: [qp] rq_depth: 65 is over the adapter's limit; give at most 64 (hca.max_qp_wr)");
    REFUSED(
        "[workload]\ndepth = 4\nsignal_every = 5\n",
        "t.ini:3: [workload] signal_every: with 5 requests to a completion the sender would wait "
        "for ever; give at most workload.depth (4)");
    REFUSED(
        "[fabric]\ntopology = star\nhosts = 45000\n[workload]\npattern = all-to-all\nqps = 400\n",
        "t.ini:6: [workload] qps: 400 connections to each of 44999 hosts are more than the "
        "16777214 "
        "QPs that fit one host; give fewer");
    TAKEN("[qp]\nsq_depth = 256\n[workload]\ndepth = 256\nsignal_every = 256\n");
}

static void checks_loop_is_open_or_closed(void)
{
    REFUSED("[scenario]\nduration = 1ms\n[workload]\nload = 60%\ndepth = 16\n",
            "t.ini:5: [workload] depth: depth belongs to the closed loop and workload.load asks "
            "for the "
            "open one; give one of them");
    REFUSED("[scenario]\nduration = 1ms\n[workload]\nload = 60%\nsize = 4KiB, 0\n",
            "t.ini:5: [workload] size: messages of 0 bytes offer no load; give a size, or leave "
            "workload.load out");
    TAKEN("[workload]\nsize = 0\n");
}

static void checks_patterns_get_what_belongs_to_them(void)
{
    REFUSED(
        "[workload]\ntarget = 2\npattern = incast\n",
        "t.ini:2: [workload] target: 2 is not a host of this fabric; give a number from 0 to 1");
    REFUSED("[workload]\npattern = trace\n",
            "t.ini:2: [workload] pattern: a trace needs its flows; give workload.file");
    REFUSED(
        "[workload]\nfile = sample.cm\n",
        "t.ini:2: [workload] file: a trace file belongs to pattern = trace, not pair; leave it out "
        "or change the pattern");
    REFUSED(
        "[scenario]\nduration = 3s\n[workload]\npattern = trace\nfile = sample-flow\nload = 1%\n",
        "t.ini:6: [workload] load: the flows of a trace have their own starts; leave the load out");
    REFUSED(
        "[workload]\npattern = incast\nbidirectional = on\n",
        "t.ini:3: [workload] bidirectional: it belongs to pair, permutation and ring, not incast; "
        "leave it out");
    REFUSED("[workload]\nbuckets = 10KB\n",
            "t.ini:2: [workload] buckets: size classes are for slowdown; give slowdown = on too");
    TAKEN("[workload]\npattern = trace\nfile = sample-flow\n[qp]\nsq_depth = 2\n");
    TAKEN("[workload]\npattern = ring\nbidirectional = on\n");
}

static void checks_rpc_is_made_of_sends(void)
{
    REFUSED("[workload]\npattern = rpc\nop = write\n",
            "t.ini:3: [workload] op: requests and responses of rpc are sends; give op = send, and "
            "workload.data = write or read for a WRITE or READ");
    REFUSED("[workload]\ndata = write\n",
            "t.ini:2: [workload] data: it belongs to pattern = rpc, not pair; leave it out");
    REFUSED(
        "[workload]\nservice = 1us\n",
        "t.ini:2: [workload] service: it belongs to pattern = rpc, not pair; leave it out, or say "
        "qp.service if the transport is meant");
    REFUSED("[workload]\npattern = rpc\ndata = read\n[qp]\nmax_rd_atomic = 0\n",
            "t.ini:5: [qp] max_rd_atomic: with 0 no READ or atomic can be posted; give 1 or more");
    REFUSED("[workload]\nop = read\n[qp]\nservice = uc\n",
            "t.ini:2: [workload] op: uc does not offer read; give another, or another qp.service");
    REFUSED("[workload]\nop = fetch_add\nsize = 16B\n",
            "t.ini:3: [workload] size: atomics are of 8 bytes; give size = 8B");
    TAKEN("[workload]\nop = fetch_add\nsize = 8B\n");
    REFUSED("[workload]\npattern = rpc\n[qp]\nservice = uc\n",
            "t.ini:4: [qp] service: pattern = rpc needs a service that acknowledges, and uc does "
            "not; give rc, xrc, rd or ud-ack, or another workload.pattern");
    TAKEN("[workload]\npattern = rpc\ndata = write\nservice = 1us\n");
}

static void checks_ud_ack_is_made_of_sends(void)
{
    REFUSED("[qp]\nservice = ud-ack\n[workload]\nop = write\n",
            "t.ini:4: [workload] op: ud-ack does not offer write; give another, or another "
            "qp.service");
    REFUSED("[qp]\nservice = ud-ack\n[workload]\npattern = rpc\ndata = write\n",
            "t.ini:5: [workload] data: ud-ack does not offer write; give none");
    REFUSED("[udack]\nrto_min = 2s\n",
            "t.ini:2: [udack] rto_min: it is above udack.rto_max; lower it or raise that");
    REFUSED("[qp]\nservice = ud-ack\n[inject]\nr = destroy 0:0 1us\n",
            "t.ini:4: [inject] r: connections of ud-ack have no QP of their own to destroy");
    TAKEN("[qp]\nservice = ud-ack\n[workload]\npattern = rpc\n");
}

static void checks_destroy_names_a_qp_that_is_there(void)
{
    REFUSED("[inject]\nr = destroy 1:9 1us\n",
            "t.ini:2: [inject] r: host 1 has no QP 9; give a number from 0 to 0");
    REFUSED("[fabric]\ntopology = star\nhosts = 3\n[inject]\nr = destroy 2:0 1us\n",
            "t.ini:5: [inject] r: host 2 has no QP; give another host");
    REFUSED("[fabric]\ntopology = star\nhosts = 4\n[workload]\npattern = incast\nqps = 2\n"
            "[inject]\nr = destroy 0:6 1us\n",
            "t.ini:8: [inject] r: host 0 has no QP 6; give a number from 0 to 5");
    TAKEN("[fabric]\ntopology = star\nhosts = 4\n[workload]\npattern = incast\nqps = 2\n"
          "[inject]\nr = destroy 0:5 1us\ns = destroy 3:1 1us\n");
    TAKEN("[fabric]\ntopology = star\nhosts = 4\n[workload]\npattern = permutation\n"
          "[inject]\nr = destroy 3:1 1us\n");
}

static void checks_reconnecting_takes_time(void)
{
    REFUSED("[workload]\non_error = reconnect\nreconnect_delay = 0\n",
            "t.ini:3: [workload] reconnect_delay: '0' is out of range; give a time from 1ps to "
            "1000s, such as 1us (units: ps, ns, us, ms, s)");
}

/* Whatever services there are: those whose QPs have no peer cannot be managed. */
static void checks_managed_connections_need_a_service_that_connects(void)
{
    for (uint32_t i = 0; i < LOAD_SERVICES; i++) {
        char text[200], want[200] = "";
        struct load_qp_cfg qp = {0};
        if (!load_service_is_offered(i))
            continue;
        load_service_store(&qp, i);
        if (load_qp_halves(&qp) > 1 || load_qp_is_joined(&qp))
            continue; /* test_halves, test_contexts */
        g_snprintf(text, sizeof text, "[qp]\nservice = %s\n[connect]\nmode = simulated\n",
                   load_service_name(i));
        if (!load_is_connected(qp.service))
            g_snprintf(want, sizeof want,
                       "t.ini:4: [connect] mode: QPs of %s are not connected; leave it out or give "
                       "another qp.service",
                       load_service_name(i));
        CU_ASSERT_STRING_EQUAL(sctest_refusal(text), want);
    }
}

static const struct test tests[] = {
    TEST(checks_bursts_can_be),
    TEST(checks_times_leave_something_to_measure),
    TEST(checks_runs_end),
    TEST(checks_timers_do_what_an_adapter_does),
    TEST(checks_queues_hold_what_is_asked),
    TEST(checks_loop_is_open_or_closed),
    TEST(checks_patterns_get_what_belongs_to_them),
    TEST(checks_rpc_is_made_of_sends),
    TEST(checks_ud_ack_is_made_of_sends),
    TEST(checks_destroy_names_a_qp_that_is_there),
    TEST(checks_reconnecting_takes_time),
    TEST(checks_managed_connections_need_a_service_that_connects),
    TESTS_END,
};
const struct suite suite_checks = {"checks", tests};
