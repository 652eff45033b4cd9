/* Payload that is moved and checked: what is compared, and that a byte in the wrong place is seen. */
#include "tests/unit/rig.h"
#include "tests/unit/run_text.h"
#include "tests/unit/sctest.h"

#define VERIFY                                                                                     \
    "[fabric]\ntopology = pair\nrate = 100Gbps\ndelay = 1us\n[qp]\nmtu = 1024\ntimeout = 8\n"      \
    "[workload]\npattern = pair\npayload = verify\ndepth = 4\n"

static void verified(const char *text, int64_t bytes, int64_t mismatches)
{
    struct text_run r;
    run_text(text, 1, NULL, &r);
    TEXT_IS(r.err.text, "");
    INT_IS(r.m.v[METRIC_payload_verified], bytes);
    INT_IS(r.m.v[METRIC_payload_mismatches], mismatches);
}

static void bytes_of_each_operation_are_compared(void)
{
    verified(VERIFY "op = send\nsize = 10KB, 1B\nmessages = 20\n", 100010, 0);
    verified(VERIFY "op = send_imm\nsize = 10KB, 1B\nmessages = 20\n", 100010, 0);
    verified(VERIFY "op = write\nsize = 10KB, 1B\nmessages = 20\n", 100010, 0);
    verified(VERIFY "op = write_imm\nsize = 10KB, 1B\nmessages = 20\n", 100010, 0);
    verified(VERIFY "op = read\nsize = 10KB, 1B\nmessages = 20\n", 100010, 0);
    verified(VERIFY "op = fetch_add\nsize = 8B\nmessages = 20\n", 160, 0);
    verified(VERIFY "op = cmp_swap\nsize = 8B\nmessages = 20\n", 160, 0);
    verified(VERIFY "op = write\nsize = 0B\nmessages = 20\n", 0, 0);
    verified(VERIFY "op = write\nsize = 10KB\nmessages = 5\nbidirectional = on\n", 100000, 0);
}

/* Losses, copies and packets that others pass change nothing, whatever the recovery. */
#define STORM                                                                                      \
    "[scenario]\nduration = 1s\n[fabric]\nloss.rate = 3%\n[inject]\ncopy = dup every=17\n"         \
    "late = delay 3us every=15\n"                                                                  \
    "[workload]\nsize = 10KB\nmessages = 20\n"

static void bytes_are_right_behind_every_repair(void)
{
    verified(VERIFY "op = send\n" STORM, 200000, 0);
    verified(VERIFY "op = write\n" STORM, 200000, 0);
    verified(VERIFY "op = read\n" STORM, 200000, 0);
    verified(VERIFY "op = send\n" STORM "[qp]\nrecovery = selective-repeat\n", 200000, 0);
    verified(VERIFY "op = write\n" STORM "[qp]\nrecovery = selective-repeat\n", 200000, 0);
    verified(VERIFY "op = read\n" STORM "[qp]\nrecovery = selective-repeat\n", 200000, 0);
    verified(VERIFY "op = write\n" STORM "[qp]\nrecovery = go-back-0\n", 200000, 0);
    verified(VERIFY
             "op = fetch_add\nsize = 8B\nmessages = 40\n"
             "[scenario]\nduration = 1s\n[fabric]\nloss.rate = 3%\n[inject]\ncopy = dup every=7\n",
             320, 0);
}

/* The third message is one byte beside its place; and one that lies in its place has another's bytes. */
static void bytes_in_the_wrong_place_are_noticed(void)
{
    verified(VERIFY
             "op = write\nsize = 512B\nmessages = 10\n[inject]\nx = rewrite va_add=1 psn=+2\n",
             9 * 512, 1);
    verified(VERIFY
             "op = write\nsize = 10KB\nmessages = 4\n[inject]\nx = rewrite va_add=64 psn=+10\n",
             3 * 10000, 1);
    /* a READ of other bytes */
    verified(VERIFY
             "op = read\nsize = 512B\nmessages = 10\n[inject]\nx = rewrite va_add=3 psn=+2\n",
             9 * 512, 1);
}

static void bytes_off_leave_the_metrics_empty(void)
{
    struct text_run r;
    run_text("[fabric]\ntopology = pair\n[workload]\nop = write\nmessages = 2\n", 1, NULL, &r);
    INT_IS(r.m.v[METRIC_payload_verified], METRIC_NONE);
    INT_IS(r.m.v[METRIC_payload_mismatches], METRIC_NONE);
}

/* It costs time on the machine that simulates, and none in the simulation; domains change nothing. */
static void bytes_change_nothing_else(void)
{
    static const char text[] =
        "[fabric]\ntopology = star\nhosts = 4\nloss.rate = 1%\n[qp]\ntimeout = 6\n"
        "[workload]\npattern = all-to-all\nop = send\nsize = 10KB\nmessages = 30\n";
    char with[400];
    struct text_run off, on, cut;
    snprintf(with, sizeof with, "%spayload = verify\n", text);
    run_text(text, 1, NULL, &off);
    run_text(with, 1, NULL, &on);
    run_text(with, 3, NULL, &cut);
    for (int i = 0; i < METRICS; i++) {
        INT_IS(on.m.v[i], cut.m.v[i]);
        if (i != METRIC_payload_verified && i != METRIC_payload_mismatches)
            INT_IS(on.m.v[i], off.m.v[i]);
    }
    INT_IS(on.m.v[METRIC_payload_verified], 12 * 30 * 10000);
}

/* A connection made anew repeats what was not acknowledged: the same bytes in the same places. */
static void bytes_survive_a_reconnection(void)
{
    verified(
        VERIFY
        "op = write\nsize = 10KB\nmessages = 50\non_error = reconnect\nreconnect_delay = 10us\n"
        "[inject]\nx = destroy 0:0 20us\n",
        500000, 0);
}

#define REFUSED(text, why)                                                                         \
    TEXT_IS(sctest_refusal("[workload]\npayload = verify\n" text),                                 \
            "t.ini:2: [workload] payload: " why "; leave it off")

static void bytes_are_refused_where_they_cannot_be_told(void)
{
    REFUSED("pattern = rpc\n", "payload is not moved with pattern rpc");
    REFUSED("op = send\nsize = 1KiB\n[qp]\nservice = ud\n[fabric]\nhosts = 2\n",
            "payload is moved over connections that have receive queues of their own");
    REFUSED("op = send\n[qp]\nsrq = on\n",
            "payload is moved over connections that have receive queues of their own");
    REFUSED("op = fetch_add\nsize = 8B\non_error = reconnect\n",
            "atomics that are repeated over a new connection cannot be verified");
    REFUSED("op = write\nsize = 1GiB\n",
            "the messages that can be outstanding do not fit 8 GiB of memory");
}

static const struct test tests[] = {TEST(bytes_of_each_operation_are_compared),
                                    TEST(bytes_are_right_behind_every_repair),
                                    TEST(bytes_in_the_wrong_place_are_noticed),
                                    TEST(bytes_off_leave_the_metrics_empty),
                                    TEST(bytes_change_nothing_else),
                                    TEST(bytes_survive_a_reconnection),
                                    TEST(bytes_are_refused_where_they_cannot_be_told),
                                    TESTS_END};
const struct suite suite_bytes = {"bytes", tests};
