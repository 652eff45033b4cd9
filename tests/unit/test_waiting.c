/* Packets that come before their QP is RTR: dropped, or kept while there is room. */
#include "tests/unit/rig.h"
#include "tests/unit/run_text.h"

/* The side that is asked moves to RTR 20 us after its REP; eight WRITEs of a packet are there long before. */
#define LATE                                                                                       \
    "[fabric]\ntopology = pair\n[connect]\nmode = simulated\nrtr_late = 20us\n[workload]\n"        \
    "op = write\nsize = 1KiB\ndepth = 8\nmessages = 8\n"

static void ran(const char *text, int64_t delivered, int64_t retransmitted, int64_t naks)
{
    struct text_run r;
    run_text(text, 1, NULL, &r);
    TEXT_IS(r.err.text, "");
    INT_IS(r.m.v[METRIC_messages_delivered], delivered);
    INT_IS(r.m.v[METRIC_packets_retransmitted], retransmitted);
    INT_IS(r.m.v[METRIC_naks], naks);
    INT_IS(r.m.v[METRIC_messages_failed], 0);
}

static void waiting_packets_without_room_are_dropped(void)
{
    ran(LATE "[qp]\ntimeout = 4\n", 8, 8, 0);
}

/* In their order: a gap would be NAKed. */
static void waiting_packets_are_taken_when_the_qp_can(void)
{
    ran(LATE "[hca]\nearly_packets = 64\n[qp]\ntimeout = 4\n", 8, 0, 0);
    ran(LATE "[hca]\nearly_packets = 8\nunits = 2\nunit_time = 300ns\n[qp]\ntimeout = 4\n", 8, 0,
        0);
}

/* Three are kept; the timer brings the other five. */
static void waiting_packets_over_the_room_are_dropped(void)
{
    ran(LATE "[hca]\nearly_packets = 3\n[qp]\ntimeout = 4\n", 8, 5, 0);
}

/* Atomics have a block of their own, which goes with the run if nobody takes it. */
static void waiting_packets_of_a_host_that_dies_are_gone(void)
{
    struct text_run r;
    run_text(
        "[scenario]\nduration = 1ms\n[fabric]\ntopology = pair\n[hca]\nearly_packets = "
        "8\n[connect]\n"
        "mode = simulated\nrtr_late = 20us\n[workload]\nop = fetch_add\nsize = 8B\nmessages = 4\n"
        "[inject]\nk = kill h1 12us\n",
        1, NULL, &r);
    TEXT_IS(r.err.text, "");
    INT_IS(r.m.v[METRIC_messages_delivered], 0);
}

static const struct test tests[] = {TEST(waiting_packets_without_room_are_dropped),
                                    TEST(waiting_packets_are_taken_when_the_qp_can),
                                    TEST(waiting_packets_over_the_room_are_dropped),
                                    TEST(waiting_packets_of_a_host_that_dies_are_gone), TESTS_END};
const struct suite suite_waiting = {"waiting", tests};
