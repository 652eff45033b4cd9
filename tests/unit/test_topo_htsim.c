/* htsim's topologies: two and three tiers, and numbers that do not fit each other. */
#include "tests/unit/topofile.h"

#define TIER0 "Tier 0\nDownlink_speed_Gbps 400\nRadix_Down 2\nRadix_Up 2\nDownlink_Latency_ns 500\n"
#define TIER1 "Tier 1\nDownlink_speed_Gbps 200\nRadix_Down 2\nDownlink_Latency_ns 700\n"

static void topo_htsim_two_tiers_are_read(void)
{
    TOPO_READS(
        "Nodes 4\nTiers 2\nPodsize 4\n" TIER0 TIER1,
        "4 hosts, 4 switches: 0-4 400000 500000 0, 1-4 400000 500000 0, 2-5 400000 500000 0, "
        "3-5 400000 500000 0, 4-6 200000 700000 0, 4-7 200000 700000 0, 5-6 200000 700000 0, "
        "5-7 200000 700000 0",
        "htsim's topology, 4 hosts, 4 switches, 8 cables");
}

/* Two cables to the only switch above. */
static void topo_htsim_bundles_are_several_cables(void)
{
    TOPO_READS(
        "Nodes 4\nTiers 2\n" TIER0
        "Tier 1\nDownlink_speed_Gbps 200\nRadix_Down 4\nBundle 2\nSwitch_Latency_ns 0\n",
        "4 hosts, 3 switches: 0-4 400000 500000 0, 1-4 400000 500000 0, 2-5 400000 500000 0, "
        "3-5 400000 500000 0, 4-6 200000 0 0, 4-6 200000 0 0, 5-6 200000 0 0, 5-6 200000 0 0",
        "htsim's topology, 4 hosts, 3 switches, 8 cables");
}

/* The fat tree of 4-port switches that the builder makes, too. */
static void topo_htsim_three_tiers_are_a_fat_tree(void)
{
    CU_ASSERT_STRING_EQUAL(
        topofile_shipped("three-tiers.topo"),
        "16 hosts, 20 switches: 0-16 400000 500000 0, 1-16 400000 500000 0, 2-17 400000 500000 0, "
        "3-17 400000 500000 0, 4-18 400000 500000 0, 5-18 400000 500000 0, 6-19 400000 500000 0, "
        "7-19 400000 500000 0, 8-20 400000 500000 0, 9-20 400000 500000 0, 10-21 400000 500000 0, "
        "11-21 400000 500000 0, 12-22 400000 500000 0, 13-22 400000 500000 0, 14-23 400000 500000 "
        "0, "
        "15-23 400000 500000 0, 16-24 400000 500000 0, 16-25 400000 500000 0, 17-24 400000 500000 "
        "0, "
        "17-25 400000 500000 0, 18-26 400000 500000 0, 18-27 400000 500000 0, 19-26 400000 500000 "
        "0, "
        "19-27 400000 500000 0, 20-28 400000 500000 0, 20-29 400000 500000 0, 21-28 400000 500000 "
        "0, "
        "21-29 400000 500000 0, 22-30 400000 500000 0, 22-31 400000 500000 0, 23-30 400000 500000 "
        "0, "
        "23-31 400000 500000 0, 24-32 400000 1000000 0, 24-33 400000 1000000 0, 25-34 400000 "
        "1000000 "
        "0, 25-35 400000 1000000 0, 26-32 400000 1000000 0, 26-33 400000 1000000 0, 27-34 400000 "
        "1000000 0, 27-35 400000 1000000 0, 28-32 400000 1000000 0, 28-33 400000 1000000 0, 29-34 "
        "400000 1000000 0, 29-35 400000 1000000 0, 30-32 400000 1000000 0, 30-33 400000 1000000 0, "
        "31-34 400000 1000000 0, 31-35 400000 1000000 0");
}

static void topo_htsim_refuses_what_does_not_fit(void)
{
    TOPO_REFUSED("Nodes 4\nTiers 4\n", "x.topo:2: Tiers is 2 or 3, not 4");
    TOPO_REFUSED("Nodes 4\nTiers 2\n" TIER0,
                 "x.topo:7: Downlink_speed_Gbps of tier 1 is not 1 to 10000");
    TOPO_REFUSED("Nodes 5\nTiers 2\n" TIER0 TIER1,
                 "x.topo:11: hosts of a pod over Radix_Down of tier 0: 5 do not divide by 2");
    TOPO_REFUSED(
        "Nodes 4\nTiers 2\n" TIER0 TIER1 "Bundle 2\n",
        "x.topo:12: Radix_Up 2 of tier 0 does not fit: 2 switches above, 2 cables to each");
    TOPO_REFUSED("Nodes 4\nTiers 2\n" TIER0 "Podsize 4\n",
                 "x.topo:8: Podsize belongs before the first Tier");
    TOPO_REFUSED("Nodes 4\nRadix_Up 4\n", "x.topo:2: Radix_Up belongs behind a Tier");
    TOPO_REFUSED("Nodes 4\nTier 3\n", "x.topo:2: tier 3 is too much; there are at most 3");
    TOPO_REFUSED("Nodes 4\nHosts 3\n", "x.topo:2: 'Hosts' is not a word of htsim's topologies");
    TOPO_REFUSED("Nodes 4\nTier 0\nSwitch_Latency_ns 7\n",
                 "x.topo:3: Switch_Latency_ns is not taken from the file; give 0 there, and "
                 "fabric.switch_delay");
    TOPO_REFUSED("Nodes 4 5\n", "x.topo:1: a line has 2 fields, a word and a number");
}

static const struct test tests[] = {TEST(topo_htsim_two_tiers_are_read),
                                    TEST(topo_htsim_bundles_are_several_cables),
                                    TEST(topo_htsim_three_tiers_are_a_fat_tree),
                                    TEST(topo_htsim_refuses_what_does_not_fit), TESTS_END};
const struct suite suite_topo_htsim = {"topo_htsim", tests};
