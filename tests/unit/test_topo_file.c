/* Topology files: our table and the ns-3 family's; which format it is; what is refused. */
#include <glib.h>
#include <string.h>

#include "tests/unit/topofile.h"

static void topo_file_our_table_is_read(void)
{
    TOPO_READS("a,b,rate,delay\nh0,s0,100Gbps,1us\nh1,s0,,\n",
               "2 hosts, 1 switches: 0-2 100000 1000000 0, 1-2 40000 250000 0",
               "our table, 2 hosts, 1 switches, 2 cables");
    CU_ASSERT_STRING_EQUAL(
        topofile_shipped("two-racks.csv"),
        "6 hosts, 4 switches: 0-6 100000 500000 0, 1-6 100000 500000 0, 2-6 100000 "
        "500000 0, 3-7 100000 500000 0, 4-7 100000 500000 0, 5-7 100000 500000 0, "
        "6-8 400000 1000000 0, 6-9 400000 1000000 0, 7-8 400000 1000000 0, 7-9 "
        "400000 1000000 0");
}

static void topo_file_ns3_is_read(void)
{
    /* two files of one network */
    char *ours = g_strdup(topofile_shipped("two-racks.csv"));
    CU_ASSERT_STRING_EQUAL(topofile_shipped("two-racks-ns3.txt"), ours);
    g_free(ours);
    /* switches may have any ids; an error rate is the cable's own: 1/4 of 2^64 */
    TOPO_READS("3 1 2\n0\n1 0 10Gbps 5ns 0.25\n0 2 10Gbps 0.001ms 0\n",
               "2 hosts, 1 switches: 0-2 10000 5000 4611686018427387904, 2-1 10000 1000000 0",
               "a topology of the ns-3 family, 2 hosts, 1 switches, 2 cables");
    TOPO_READS("2 0 1\n0 1 1Gbps 1us 0\n", "2 hosts, 0 switches: 0-1 1000 1000000 0",
               "a topology of the ns-3 family, 2 hosts, 0 switches, 1 cables");
}

static void topo_file_that_is_none_is_refused(void)
{
    TOPO_REFUSED("", "x.topo:0: the file is empty");
    TOPO_REFUSED("graph g {\n",
                 "x.topo:1: 'graph g {' begins no topology; known are our a,b,rate,delay, ns-3's, "
                 "htsim's .topo, ibnetdiscover's and ibsim's");
}

static void topo_file_our_table_refuses_by_line(void)
{
#define HEAD "a,b,rate,delay\n"
    TOPO_REFUSED(HEAD "h0,s0,1Gbps\n", "x.topo:2: a line has 4 fields, a,b,rate,delay, not 3");
    TOPO_REFUSED(HEAD "x0,s0,,\n",
                 "x.topo:2: 'x0' is not a node; hosts are h0, h1 and so on, switches s0, s1");
    TOPO_REFUSED(HEAD "h0,s0,5,1us\n",
                 "x.topo:2: the rate '5' has no unit; give a rate such as 100Gbps");
    TOPO_REFUSED(HEAD "h0,s0,0Gbps,1us\n",
                 "x.topo:2: the rate '0Gbps' is not from 1kbps to 10Tbps");
    TOPO_REFUSED(HEAD "h0,s0,,1hour\n",
                 "x.topo:2: the delay '1hour' has an unknown unit; give a time such as 1us");
    TOPO_REFUSED(HEAD "h0,s0,,11s\n", "x.topo:2: the delay '11s' is not from 0 to 10s");
    TOPO_REFUSED(HEAD "h0,s0,,\n", "x.topo:2: the file has 1 hosts; a fabric has 2 at least");
}

static void topo_file_ns3_refuses_what_contradicts_itself(void)
{
    TOPO_REFUSED("3 1\n", "x.topo:1: the first line has 3 numbers: nodes switches links");
    TOPO_REFUSED("3 2 2\n0\n", "x.topo:2: 1 switches are named, the first line promises 2");
    TOPO_REFUSED("3 2 2\n0 0\n", "x.topo:2: switch 0 stands there twice");
    TOPO_REFUSED("3 1 2\n0\n1 0 10Gbps 5ns\n",
                 "x.topo:3: a line has 5 fields, a b rate delay error_rate, not 4");
    TOPO_REFUSED("3 1 2\n0\n1 0 10Gbps 5ns 2\n",
                 "x.topo:3: the error rate '2' is not a probability from 0 to 1");
    TOPO_REFUSED("3 1 2\n0\n1 0 10Gbps 5ns 0\n",
                 "x.topo:3: the file has 1 links, its first line promises 2");
    TOPO_REFUSED("3 1 2\n0\n1 7 10Gbps 5ns 0\n", "x.topo:3: the node '7' is over 2");
}

static const struct test tests[] = {TEST(topo_file_our_table_is_read),
                                    TEST(topo_file_ns3_is_read),
                                    TEST(topo_file_that_is_none_is_refused),
                                    TEST(topo_file_our_table_refuses_by_line),
                                    TEST(topo_file_ns3_refuses_what_contradicts_itself),
                                    TESTS_END};
const struct suite suite_topo_file = {"topo_file", tests};
