/* Connections of two QPs each way: whole runs over initiators, targets and the hosts' shared queues. */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "tests/unit/rig.h"
#include "tests/unit/run_text.h"
#include "tests/unit/sctest.h"

#define XRC                                                                                        \
    "[fabric]\ntopology = pair\nrate = 100Gbps\ndelay = 1us\n[qp]\nservice = xrc\nmtu = 1024\n"    \
    "timeout = 8\n[workload]\npattern = pair\nsize = 4KiB\ndepth = 4\n"

static void delivered(const char *text, int64_t messages, int64_t qps)
{
    struct text_run r;
    run_text(text, 1, NULL, &r);
    TEXT_IS(r.err.text, "");
    INT_IS(r.m.v[METRIC_messages_delivered], messages);
    INT_IS(r.m.v[METRIC_messages_completed], messages);
    INT_IS(r.m.v[METRIC_bytes_delivered], messages * 4096);
    INT_IS(r.m.v[METRIC_qps], qps);
    INT_IS(r.m.v[METRIC_qps_in_error], 0);
}

static void halves_carry_each_operation(void)
{
    static const char *const ops[] = {"send", "send_imm", "write", "write_imm", "read"};
    for (size_t i = 0; i < G_N_ELEMENTS(ops); i++) {
        char *text = g_strdup_printf(XRC "messages = 20\nop = %s\n[fabric]\nloss.rate = 2%%\n", ops[i]);
        delivered(text, 20, 4);
        g_free(text);
    }
    delivered(XRC "messages = 20\nop = send\nbidirectional = on\n", 40, 4);
    delivered(XRC "messages = 20\nop = send\nqps = 3\n", 60, 12);
}

/* The latency of one message is that of RC with the four bytes of XRCETH: 0.32 ns at 100 Gb/s. */
static void halves_cost_four_bytes_a_packet(void)
{
    static const char one[] =
        "[fabric]\ntopology = pair\nrate = 100Gbps\ndelay = 1us\n[workload]\nop = send\n"
        "size = 64B\nmessages = 1\n[qp]\nservice = ";
    struct text_run rc, xrc;
    char *a = g_strconcat(one, "rc\n", NULL), *b = g_strconcat(one, "xrc\n", NULL);
    run_text(a, 1, NULL, &rc);
    run_text(b, 1, NULL, &xrc);
    INT_IS(xrc.m.v[METRIC_latency_max_us] - rc.m.v[METRIC_latency_max_us], 320);
    g_free(a);
    g_free(b);
}

/* A destroyed QP takes both of its halves along, and the connection that is made anew is whole again. */
static void halves_are_destroyed_and_made_anew_together(void)
{
    struct text_run r;
    run_text(XRC "op = send\nmessages = 200\non_error = reconnect\nreconnect_delay = 10us\n"
                 "[inject]\nx = destroy 0:0 20us\ny = destroy 1:0 200us\n",
             1, NULL, &r);
    TEXT_IS(r.err.text, "");
    INT_IS(r.m.v[METRIC_messages_completed], 200);
    CU_ASSERT_TRUE(r.m.v[METRIC_reconnects] >= 2);
    INT_IS(r.m.v[METRIC_qps], 4);
    INT_IS(r.m.v[METRIC_qps_in_error], 0);
}

/* A dead host: the initiators of the other end with status 12. */
static void halves_of_a_dead_host_are_given_up(void)
{
    struct text_run r;
    run_text(XRC "messages = 1\nop = send\n[inject]\nx = kill 1 0us\n", 1, NULL, &r);
    INT_IS(r.m.v[METRIC_completions_12], 1);
    INT_IS(r.m.v[METRIC_messages_delivered], 0);
}

/* The receiver's counters stand in the row of the end whose target has counted them. */
static void halves_count_in_one_row(void)
{
    char *dir = g_dir_make_tmp("rdmasim-XXXXXX", NULL);
    struct text_run r;
    struct run_options o = {.domains = 1, .dir = dir, .qps = true};
    run_text_as(XRC "op = send\nmessages = 1\n[inject]\nx = drop psn=+0 tx=1\n", &o, &r);
    char *text = run_text_file(dir, "qps.csv");
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n0,2,1,xrc_ini,RTS,,,,1,1,1,0,0,0,0,0,0,0,4\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n1,2,0,xrc_ini,RTS,,,,0,0,0,0,0,0,0,3,0,0,0\n"));
    g_free(text);
    CU_ASSERT_EQUAL(g_rmdir(dir), 0);
    g_free(dir);
}

static void halves_do_not_depend_on_domains(void)
{
    static const char text[] =
        "[fabric]\ntopology = star\nhosts = 4\nloss.rate = 1%\n[qp]\nservice = xrc\n"
        "timeout = 6\n[workload]\npattern = all-to-all\nop = send\nsize = 10KB\n"
        "messages = 30\n";
    struct text_run one, cut;
    run_text(text, 1, NULL, &one);
    run_text(text, 3, NULL, &cut);
    for (int i = 0; i < METRICS; i++)
        INT_IS(one.m.v[i], cut.m.v[i]);
    INT_IS(one.m.v[METRIC_messages_delivered], 360);
}

static void halves_are_not_joined_by_connection_management(void)
{
    TEXT_IS(sctest_refusal("[connect]\nmode = simulated\n[qp]\nservice = xrc\n"),
            "t.ini:2: [connect] mode: connection management joins one QP with one other, and a "
            "connection of "
            "xrc is of two each way; leave it out or give another qp.service");
}

static const struct test tests[] = {TEST(halves_carry_each_operation),
                                    TEST(halves_cost_four_bytes_a_packet),
                                    TEST(halves_are_destroyed_and_made_anew_together),
                                    TEST(halves_of_a_dead_host_are_given_up),
                                    TEST(halves_count_in_one_row),
                                    TEST(halves_do_not_depend_on_domains),
                                    TEST(halves_are_not_joined_by_connection_management),
                                    TESTS_END};
const struct suite suite_halves = {"halves", tests};
