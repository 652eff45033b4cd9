/* Topologies in scenarios: shapes, files, what does not fit. */
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/sctest.h"

#define REFUSED(text, message) CU_ASSERT_STRING_EQUAL(sctest_refusal(text), message)
#define TAKEN(text) CU_ASSERT_STRING_EQUAL(sctest_refusal(text), "")

static void check_fabric_hosts_fit_the_topology(void)
{
    REFUSED("[fabric]\nhosts = 3\n",
            "t.ini:2: [fabric] hosts: a pair has 2 hosts, not 3; give topology = star for more");
    REFUSED(
        "[fabric]\ntopology = dumbbell\nhosts = 7\n",
        "t.ini:3: [fabric] hosts: a dumbbell has as many hosts left as right; give an even number, "
        "not 7");
    TAKEN("[fabric]\ntopology = dumbbell\nhosts = 8\ntrunk_rate = 10Gbps\n");
    TAKEN("[fabric]\ntopology = star\nhosts = 7\n");
}

static void check_fabric_shapes_fit_the_hosts(void)
{
    TAKEN("[fabric]\ntopology = leaf-spine\nshape = 4x2\nhosts = 16\n");
    TAKEN("[fabric]\ntopology = torus\nshape = 3x3x3\nhosts = 27\npaths = up-down\n");
    REFUSED("[fabric]\ntopology = leaf-spine\nhosts = 16\n",
            "t.ini:2: [fabric] topology: give leaves x spines, such as 8x4");
    REFUSED("[fabric]\ntopology = leaf-spine\nshape = 3x2\nhosts = 16\n",
            "t.ini:3: [fabric] shape: 16 hosts do not fit 3 leaves; give a multiple of 3");
    REFUSED("[fabric]\ntopology = fat-tree\nshape = 4\nhosts = 20\n",
            "t.ini:3: [fabric] shape: a fat tree of 4-port switches has 16 hosts (k^3/4), not 20");
    REFUSED("[fabric]\ntopology = ring\nshape = four\nhosts = 4\n",
            "t.ini:3: [fabric] shape: 'four' is no shape; give switches, such as 4");
    REFUSED("[fabric]\ntopology = torus\nshape = 9x9x9x9\nhosts = 4\n",
            "t.ini:3: [fabric] shape: '9x9x9x9' is no shape; give switches along each side, such "
            "as 4x4 or 3x3x3");
    REFUSED("[fabric]\ntopology = star\nshape = 4\nhosts = 4\n",
            "t.ini:3: [fabric] shape: this topology takes no shape");
    REFUSED("[fabric]\ntopology = torus\nshape = 1000x1000\nhosts = 1000\n",
            "t.ini:3: [fabric] shape: 1000000 switches with 2000000 cables between them are more "
            "than this program holds (131072 hosts and switches, 1048576 cables)");
}

static void check_fabric_ways_have_an_end(void)
{
    TAKEN("[fabric]\ntopology = ring\nshape = 246\nhosts = 246\n");
    REFUSED("[fabric]\ntopology = ring\nshape = 250\nhosts = 250\n",
            "t.ini:2: [fabric] topology: some hosts may be more than 250 links apart");
    REFUSED("[fabric]\ntopology = torus\nshape = 120x120\nhosts = 28800\n",
            "t.ini:2: [fabric] topology: 14400 switches and 28800 hosts are more than this program "
            "has routes for");
}

static void check_fabric_trunks_are_for_those_who_have_some(void)
{
    REFUSED("[fabric]\ntrunk_rate = 10Gbps\n",
            "t.ini:2: [fabric] trunk_rate: there are no links between switches; leave it out or "
            "give another topology");
    REFUSED("[fabric]\ntopology = star\ntrunk_delay = 10us\n",
            "t.ini:3: [fabric] trunk_delay: there are no links between switches; leave it out or "
            "give another topology");
    REFUSED("[fabric]\ntopology = file\nfile = two-racks\ntrunk_delay = 10us\n",
            "t.ini:4: [fabric] trunk_delay: the file has rates and delays of its own; leave it "
            "out");
}

static void check_fabric_file_says_who_is_there(void)
{
    struct scenario s;
    CU_ASSERT_STRING_EQUAL(
        sctest_resolve("[fabric]\ntopology = file\nfile = two-racks\n[workload]\npattern = "
                       "all-to-all\nmessages = 1\n",
                       &s),
        "");
    CU_ASSERT_EQUAL(s.fabric.hosts, 6);
    CU_ASSERT_PTR_NOT_NULL_FATAL(s.fabric.given);
    CU_ASSERT_EQUAL(s.fabric.given->switches, 4);
    scenario_clear(&s);
    REFUSED("[fabric]\ntopology = file\n",
            "t.ini:2: [fabric] topology: give fabric.file, the file's name");
    REFUSED("[fabric]\nfile = two-racks\n",
            "t.ini:2: [fabric] file: only topology = file reads one; leave it out");
    REFUSED("[fabric]\ntopology = file\nshape = 4\nfile = two-racks\n",
            "t.ini:3: [fabric] shape: a file has its own shape; leave it out");
    CU_ASSERT_PTR_NOT_NULL(
        strstr(sctest_refusal("[fabric]\ntopology = file\nfile = two-racks\nhosts = 5\n"),
               "two-racks.csv has 6 hosts, fabric.hosts says 5; leave that out"));
}

static void check_fabric_file_that_falls_apart_is_refused(void)
{
    static const char text[] = "a,b,rate,delay\nh0,s0,,\nh1,s1,,\n";
    sctest_write("apart.csv", text, sizeof text - 1);
    REFUSED("[fabric]\ntopology = file\nfile = apart\n",
            "t.ini:3: [fabric] file: apart.csv: no way leads from h0 to h1");
}

static const struct test tests[] = {TEST(check_fabric_hosts_fit_the_topology),
                                    TEST(check_fabric_shapes_fit_the_hosts),
                                    TEST(check_fabric_ways_have_an_end),
                                    TEST(check_fabric_trunks_are_for_those_who_have_some),
                                    TEST(check_fabric_file_says_who_is_there),
                                    TEST(check_fabric_file_that_falls_apart_is_refused),
                                    TESTS_END};
const struct suite suite_check_fabric = {"check_fabric", tests};
