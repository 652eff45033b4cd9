/* Traces of flows: HPCC's and htsim's files, and what is refused. */
#include <glib.h>
#include <string.h>

#include "scenarios/reader/traffic.h"
#include "tests/suite.h"
#include "tests/unit/sctest.h"

struct got {
    struct load_flow *flow;
    uint32_t count;
    char seen[TRAFFIC_SEEN_MAX];
};

static bool load(const char *path, uint32_t hosts, struct got *g)
{
    struct sc_error err;
    bool ok = traffic_flows(path, hosts, &g->flow, &g->count, g->seen, &err);
    if (!ok)
        printf("%s\n", err.text);
    return ok;
}

static const char *refusal_of(const char *data, size_t len)
{
    static struct sc_error err;
    struct got g;
    if (!traffic_flows(sctest_write("x.flow", data, len), 4, &g.flow, &g.count, g.seen, &err))
        return sctest_said(&err);
    g_free(g.flow);
    return "";
}
#define REFUSED(text, message) CU_ASSERT_STRING_EQUAL(refusal_of(text, sizeof(text) - 1), message)

static void check_flow(const struct load_flow *f, uint32_t src, uint32_t dst, uint64_t bytes,
                       tm_ps start_ps)
{
    CU_ASSERT_EQUAL(f->src, src);
    CU_ASSERT_EQUAL(f->dst, dst);
    CU_ASSERT_EQUAL(f->bytes, bytes);
    CU_ASSERT_EQUAL(f->start_ps, start_ps);
}

static void flows_hpcc_with_dport(void)
{
    struct got g;
    CU_ASSERT_FATAL(load("scenarios/traffic/sample-flow.txt", 2, &g));
    CU_ASSERT_STRING_EQUAL(g.seen, "HPCC flow file with dport, 4 flows");
    CU_ASSERT_EQUAL_FATAL(g.count, 4);
    check_flow(&g.flow[0], 0, 1, 20000, 2 * TM_S);
    check_flow(&g.flow[1], 1, 0, 1000, 2000000250000);
    check_flow(&g.flow[3], 1, 0, 500, 2000012345000);
    g_free(g.flow);
}

static void flows_hpcc_without_dport(void)
{
    struct got g;
    CU_ASSERT_FATAL(load("scenarios/traffic/sample-flow-nodport.txt", 2, &g));
    CU_ASSERT_STRING_EQUAL(g.seen, "HPCC flow file without dport, 3 flows");
    CU_ASSERT_EQUAL_FATAL(g.count, 3);
    check_flow(&g.flow[2], 0, 1, 64000, 2000010000000);
    g_free(g.flow);
}

static void flows_htsim_matrix_comes_out_by_start(void)
{
    struct got g;
    CU_ASSERT_FATAL(load("scenarios/traffic/sample.cm", 4, &g));
    CU_ASSERT_STRING_EQUAL(g.seen, "htsim connection matrix, 3 flows");
    CU_ASSERT_EQUAL_FATAL(g.count, 3);
    check_flow(&g.flow[0], 0, 1, 2000000, 0);
    check_flow(&g.flow[1], 3, 0, 4096, 250000);
    check_flow(&g.flow[2], 2, 1, 1000000, 500000);
    g_free(g.flow);
}

static void flows_of_one_start_keep_the_file_order(void)
{
    static const char text[] = "3\n3 0 3 10 1.0\n1 0 3 20 1.0\n2 0 3 30 1.0\n";
    struct got g;
    CU_ASSERT_FATAL(load(sctest_write("z", text, sizeof text - 1), 4, &g));
    CU_ASSERT_EQUAL(g.flow[0].src, 3);
    CU_ASSERT_EQUAL(g.flow[1].src, 1);
    CU_ASSERT_EQUAL(g.flow[2].src, 2);
    g_free(g.flow);
}

static void flows_hpcc_mistakes_name_their_line(void)
{
    REFUSED("2\n0 1 3 100 5 0.1\n",
            "x.flow:1: the number of flows announced is 2, but there are 1");
    REFUSED("1\n0 1 3 100 5 0.1\n1 0 3 100 5 0.1\n",
            "x.flow:1: the number of flows announced is 1, but there are 2");
    REFUSED("1\n0 4 3 100 5 0.1\n", "x.flow:2: host 4 is not one of the 4 hosts of the fabric");
    REFUSED("1\n1 1 3 100 5 0.1\n", "x.flow:2: host 1 sends to itself; give two hosts");
    REFUSED("1\n0 1 3 100 0 0.1\n", "x.flow:2: a flow of 0 bytes has no end; give its size");
    REFUSED("1\n0 1 3 100 3000000000 0.1\n", "x.flow:2: the size '3000000000' is over 2147483648");
    REFUSED("1\n0 1 3 100 5 -1\n", "x.flow:2: the start '-1' is negative");
    REFUSED("1\n0 1 3 100 5 0.1234567890123\n",
            "x.flow:2: the start '0.1234567890123' is not a whole number of the smallest unit");
    REFUSED("1\n0 1 3\n",
            "x.flow:2: a line has 5 or 6 fields, src dst priority [dport] bytes start_s, not 3");
    REFUSED("2\n0 1 3 100 5 0.1\n0 1 3 5 0.1\n",
            "x.flow:3: a line has 6 fields, src dst priority [dport] bytes start_s, not 5");
    REFUSED("0\n", "x.flow: the file holds no flows");
    REFUSED("", "x.flow: the file holds no flows");
}

static void flows_htsim_mistakes_name_their_line(void)
{
    REFUSED("Nodes 4\nConnections 1\n0>1 id 1 start 0 size 5\n",
            "x.flow:3: '0>1' is not a connection; write 0->4");
    REFUSED("Nodes 4\nConnections 1\n0->1 id 1 size 5 trigger 3\n",
            "x.flow:3: 'trigger' is not offered yet; a connection has id, start and size");
    REFUSED("Nodes 4\nConnections 1\nTriggers 1\n0->1 id 1 start 0 size 5\n",
            "x.flow:3: trigger lines are not offered yet; give each connection its start");
    REFUSED("Nodes 4\nConnections 1\n0->1 id 1 start 0 size 5\ntrigger id 1 oneshot\n",
            "x.flow:4: trigger lines are not offered yet; give each connection its start");
    REFUSED("Nodes 4\nConnections 1\n0->1 id 1 size 5\n",
            "x.flow:3: the connection lacks its start");
    REFUSED("Nodes 4\nConnections 1\n0->1 id 1 start 0\n",
            "x.flow:3: the connection lacks its size");
    REFUSED("Nodes 4\nConnections 1\n0->1 id 1 start\n",
            "x.flow:3: a connection has words in pairs: id, start and size with their numbers");
    REFUSED("Nodes 4\nConnections 2\n0->1 id 1 start 0 size 5\n",
            "x.flow:2: the number of flows announced is 2, but there are 1");
    REFUSED("Nodes 4\n0->1 id 1 start 0 size 5\n",
            "x.flow:2: the line 'Connections N' is missing here");
    REFUSED("Nodes 4\n", "x.flow:1: the line 'Connections N' is missing here");
}

static void flows_unknown_format_says_what_is_known(void)
{
    REFUSED(
        "src,dst,bytes\n",
        "x.flow:1: no known trace begins like this; HPCC's with the number of flows, htsim's with "
        "Nodes N");
    REFUSED("\x89PNG\r\n\x1a\n", "x.flow:1: the line is not text");
}

static const struct test tests[] = {
    TEST(flows_hpcc_with_dport),
    TEST(flows_hpcc_without_dport),
    TEST(flows_htsim_matrix_comes_out_by_start),
    TEST(flows_of_one_start_keep_the_file_order),
    TEST(flows_hpcc_mistakes_name_their_line),
    TEST(flows_htsim_mistakes_name_their_line),
    TEST(flows_unknown_format_says_what_is_known),
    TESTS_END,
};
const struct suite suite_flows = {"flows", tests};
