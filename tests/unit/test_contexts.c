/* Reliable datagrams in loads: QPs that send through the contexts of their hosts. */
#include <glib.h>
#include <string.h>

#include "tests/unit/rig.h"
#include "tests/unit/run_text.h"
#include "tests/unit/sctest.h"

#define RD                                                                                         \
    "[fabric]\ntopology = pair\nrate = 100Gbps\ndelay = 1us\n[qp]\nservice = rd\nmtu = 1024\n"     \
    "timeout = 8\n[workload]\npattern = pair\nsize = 4KiB\ndepth = 4\n"

static void contexts_carry_each_operation(void)
{
    static const char *const ops[] = {"send", "send_imm", "write", "write_imm", "read"};
    for (size_t i = 0; i < G_N_ELEMENTS(ops); i++) {
        struct text_run r;
        char *text = g_strdup_printf(
            RD "messages = 20\npayload = verify\nop = %s\n[fabric]\nloss.rate = 2%%\n", ops[i]);
        run_text(text, 1, NULL, &r);
        TEXT_IS(r.err.text, "");
        INT_IS(r.m.v[METRIC_messages_completed], 20);
        INT_IS(r.m.v[METRIC_payload_verified], 20 * 4096);
        INT_IS(r.m.v[METRIC_payload_mismatches], 0);
        INT_IS(r.m.v[METRIC_qps], 2);
        g_free(text);
    }
}

/* One message is under way per context: of eight QPs and of one, the same goes through, a round trip each. */
static void contexts_carry_one_message_at_a_time(void)
{
    struct text_run one, eight;
    run_text(RD "op = write\nmessages = 80\n", 1, NULL, &one);
    run_text(RD "op = write\nmessages = 10\nqps = 8\n", 1, NULL, &eight);
    INT_IS(one.m.v[METRIC_messages_completed], 80);
    INT_IS(eight.m.v[METRIC_messages_completed], 80);
    INT_IS(eight.m.v[METRIC_goodput_gbps], one.m.v[METRIC_goodput_gbps]);
    INT_IS(eight.m.v[METRIC_qps], 16);
    INT_IS(eight.m.v[METRIC_jain_index], 1000000);
}

/* The context ends with status 12, the other QP's message with that of a context that is not ready. */
static void contexts_to_a_dead_host_fail_all_their_qps(void)
{
    struct text_run r;
    run_text(RD "op = write\nqps = 3\nmessages = 1\n[inject]\nx = kill 1 0us\n", 1, NULL, &r);
    INT_IS(r.m.v[METRIC_completions_12], 1);
    INT_IS(r.m.v[METRIC_messages_failed], 3);
    INT_IS(r.m.v[METRIC_messages_delivered], 0);
}

/* A receiver that is late keeps its own messages waiting, and no other's. */
static void contexts_wait_for_receives_and_go_on(void)
{
    struct text_run r;
    run_text(RD "op = send\nqps = 3\nmessages = 5\nrecv_late = 50us\n[qp]\nmin_rnr_timer = 1\n", 1,
             NULL, &r);
    INT_IS(r.m.v[METRIC_messages_completed], 15);
    CU_ASSERT_TRUE(r.m.v[METRIC_rnr_naks] > 3);
}

static void contexts_do_not_depend_on_domains(void)
{
    static const char text[] =
        "[fabric]\ntopology = star\nhosts = 4\nloss.rate = 1%\n[qp]\nservice = rd\n"
        "timeout = 6\n[workload]\npattern = all-to-all\nop = send\nsize = 10KB\n"
        "messages = 30\n";
    struct text_run one, cut;
    run_text(text, 1, NULL, &one);
    run_text(text, 3, NULL, &cut);
    for (int i = 0; i < METRICS; i++)
        INT_IS(one.m.v[i], cut.m.v[i]);
    INT_IS(one.m.v[METRIC_messages_delivered], 360);
}

static void contexts_refuse_what_they_cannot(void)
{
    TEXT_IS(sctest_refusal("[connect]\nmode = simulated\n[qp]\nservice = rd\n"),
            "t.ini:2: [connect] mode: connection management does not join EE contexts, which rd "
            "sends through; "
            "leave it out or give another qp.service");
    TEXT_IS(sctest_refusal("[qp]\nservice = rd\nsrq = on\n"),
            "t.ini:3: [qp] srq: QPs of rd have receives of their own; leave it out");
    TEXT_IS(sctest_refusal("[qp]\nservice = rd\n[workload]\non_error = reconnect\n"),
            "t.ini:4: [workload] on_error: QPs of rd share connections, and none can be made anew "
            "alone; leave it out");
}

static const struct test tests[] = {TEST(contexts_carry_each_operation),
                                    TEST(contexts_carry_one_message_at_a_time),
                                    TEST(contexts_to_a_dead_host_fail_all_their_qps),
                                    TEST(contexts_wait_for_receives_and_go_on),
                                    TEST(contexts_do_not_depend_on_domains),
                                    TEST(contexts_refuse_what_they_cannot),
                                    TESTS_END};
const struct suite suite_contexts = {"contexts", tests};
