/* Fabrics as ibnetdiscover and ibsim write them. */
#include "tests/unit/topofile.h"

/* 4xHDR: 200 Gb/s of data; each cable once, though most stand there twice. */
static void topo_ib_discovered_fabric_is_read(void)
{
    CU_ASSERT_STRING_EQUAL(
        topofile_shipped("two-switches-ib.txt"),
        "3 hosts, 2 switches: 3-0 200000 250000 0, 3-1 100000 250000 0, 3-4 200000 "
        "250000 0, 3-4 200000 250000 0, 4-2 100000 250000 0");
}

static void topo_ib_net_of_ibsim_is_read(void)
{
    CU_ASSERT_STRING_EQUAL(topofile_shipped("one-switch.net"),
                           "2 hosts, 1 switches: 2-0 40000 250000 0, 2-1 40000 250000 0");
}

/* An adapter with two cables is two hosts. */
static void topo_ib_each_port_of_an_adapter_is_a_host(void)
{
    TOPO_READS("Switch 8 \"s\"\n[1] \"a\"[1]\n[2] \"a\"[2] w=4\nHca 2 \"a\"\n",
               "2 hosts, 1 switches: 2-0 40000 250000 0, 2-1 40000 250000 0",
               "ports as ibnetdiscover and ibsim write them, 2 hosts, 1 switches, 2 cables");
}

static void topo_ib_speeds_are_those_of_the_data(void)
{
    static const struct {
        const char *speed, *edge;
    } rows[] = {{"4xSDR", "2-0 8000"},    {"1xDDR", "2-0 4000"},   {"4xQDR", "2-0 32000"},
                {"4xFDR10", "2-0 40000"}, {"4xFDR", "2-0 54545"},  {"12xEDR", "2-0 300000"},
                {"4xNDR", "2-0 400000"},  {"4xXDR", "2-0 800000"}, {"4xABC", "2-0 40000"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[200], want[100];
        snprintf(text, sizeof text,
                 "Switch 8 \"S-1\"\n[1] \"H-1\"[1](2) # \"box x4\" lid 4 %s\n[2] \"H-2\"[1]\n",
                 rows[i].speed);
        snprintf(want, sizeof want, "2 hosts, 1 switches: %s 250000 0, 2-1 40000 250000 0",
                 rows[i].edge);
        CU_ASSERT_STRING_EQUAL(topofile_text(text, NULL, 0), want);
    }
}

static void topo_ib_refuses_what_contradicts_itself(void)
{
    TOPO_REFUSED("vendid=0x2\n[1] \"a\"[1]\n", "x.topo:2: a port comes before the first record");
    TOPO_REFUSED("Switch 8 s\n", "x.topo:1: a record has a name in quotes");
    TOPO_REFUSED("Switch 8 \"s\"\n[x] \"a\"[1]\n",
                 "x.topo:2: a port is missing; write [1] to [65535]");
    TOPO_REFUSED("Switch 8 \"s\"\n[1] a[1]\n",
                 "x.topo:2: a port has its other end's name in quotes");
    TOPO_REFUSED("Switch 8 \"s\"\n[1] \"a\"[1]\n[1] \"b\"[1]\n",
                 "x.topo:3: this port, or the one at the other end, has another cable above");
    TOPO_REFUSED("Switch 8 \"s\"\nSwitch 8 \"s\"\n", "x.topo:2: \"s\" has a record already");
    TOPO_REFUSED("Switch 8 \"s\"\n[1] \"a\"[1]\n",
                 "x.topo:2: a port's other end has no record of its own in the file");
    TOPO_REFUSED("Switch 8 \"s\"\nwhat is this\n",
                 "x.topo:2: 'what is this' is neither a record nor a port");
}

static const struct test tests[] = {
    TEST(topo_ib_discovered_fabric_is_read),         TEST(topo_ib_net_of_ibsim_is_read),
    TEST(topo_ib_each_port_of_an_adapter_is_a_host), TEST(topo_ib_speeds_are_those_of_the_data),
    TEST(topo_ib_refuses_what_contradicts_itself),   TESTS_END};
const struct suite suite_topo_ib = {"topo_ib", tests};
