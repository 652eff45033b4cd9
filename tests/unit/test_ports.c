/* ports.csv: literals of small runs, and its sums against the metrics of large ones. */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/run_text.h"

#define HEAD                                                                                       \
    "link,node,peer,port_xmit_packets,port_xmit_data,port_rcv_packets,port_rcv_data,"              \
    "port_xmit_discards,port_rcv_errors,dropped_loss,dropped_inject,dropped_link_down,duplicated," \
    "in_flight,queue_bytes_max,utilisation\n"

/* 198 bytes on the wire, 132 from BTH to ICRC; ACKs: 86 and 20.  The second write is lost once. */
#define TWO_WRITES                                                                                 \
    "[fabric]\ntopology = pair\nrate = 100Gbps\ndelay = 1us\n"                                     \
    "[qp]\nservice = rc\nmtu = 1024\ntimeout = 8\n"                                                \
    "[workload]\npattern = pair\nop = write\nsize = 100B\ndepth = 1\nmessages = 2\n"               \
    "[inject]\nonce = drop dir=a2b psn=+1 count=1\n"

/* Three hosts overflow a port, every reason to drop a packet is there. */
#define INCAST                                                                                     \
    "[scenario]\nduration = 400us\nwarmup = 50us\nseed = 3\n"                                      \
    "[fabric]\ntopology = star\nhosts = 4\nrate = 100Gbps\ndelay = 1us\nbuffer = 40KB\n"           \
    "loss.rate = 1%\n"                                                                             \
    "[qp]\nservice = rc\nmtu = 1024\ntimeout = 3\n"                                                \
    "[workload]\npattern = incast\nop = write\nsize = 10KB\ndepth = 8\n"                           \
    "[inject]\ntwice = dup from=1 every=7\nbad = corrupt at=20 from=2 every=9\n"                   \
    "gone = drop from=3 every=11\noff = link h1-s0 down 100us..120us\n"

static char *ports_of(const char *scenario, uint32_t domains, struct text_run *r)
{
    char *dir = g_dir_make_tmp("rdmasim-XXXXXX", NULL);
    struct run_options o = {.domains = domains, .dir = dir, .ports = true};

    run_text_as(scenario, &o, r);
    CU_ASSERT_STRING_EQUAL(r->err.text, "");
    char *text = run_text_file(dir, "ports.csv");
    CU_ASSERT_EQUAL(g_rmdir(dir), 0);
    g_free(dir);
    return text;
}

static void ports_of_a_pair(void)
{
    struct text_run r;
    char *text = ports_of(TWO_WRITES, 1, &r);

    /* The last packet leaves at 1051.614560 us: 3 * 15.84 ns and 2 * 6.88 ns of it. */
    CU_ASSERT_STRING_EQUAL(text, HEAD "h0-h1,h0,h1,3,99,2,10,0,0,0,1,0,0,0,,0.000045\n"
                                      "h1-h0,h1,h0,2,10,2,66,0,0,0,0,0,0,0,,0.000013\n");
    g_free(text);
}

/* The sum of a column over all rows. */
static uint64_t sum(const char *text, const char *column)
{
    char **row = g_strsplit(text, "\n", -1), **name = g_strsplit(row[0], ",", -1);
    uint64_t total = 0;
    uint32_t at = 0;

    while (name[at] && strcmp(name[at], column) != 0)
        at++;
    CU_ASSERT_PTR_NOT_NULL_FATAL(name[at]);
    for (uint32_t i = 1; row[i] && *row[i]; i++) {
        char **cell = g_strsplit(row[i], ",", -1);
        total += strtoull(cell[at], NULL, 10);
        g_strfreev(cell);
    }
    g_strfreev(name);
    g_strfreev(row);
    return total;
}

static void ports_add_up_to_the_metrics(void)
{
    static const struct {
        const char *column;
        enum metric metric;
        uint64_t least;
    } row[] = {{"port_xmit_discards", METRIC_dropped_buffer, 10},
               {"port_rcv_errors", METRIC_dropped_icrc, 10},
               {"dropped_loss", METRIC_dropped_loss, 10},
               {"dropped_inject", METRIC_dropped_inject, 10},
               {"dropped_link_down", METRIC_dropped_link_down, 10}};
    struct text_run r;
    char *text = ports_of(INCAST, 1, &r);

    for (size_t i = 0; i < G_N_ELEMENTS(row); i++) {
        CU_ASSERT_EQUAL(sum(text, row[i].column), (uint64_t)r.m.v[row[i].metric]);
        CU_ASSERT_TRUE(sum(text, row[i].column) >= row[i].least);
    }
    CU_ASSERT_EQUAL(sum(text, "port_rcv_packets") - sum(text, "port_rcv_errors"),
                    (uint64_t)r.m.v[METRIC_packet_hops]);
    CU_ASSERT_EQUAL(sum(text, "port_xmit_packets") + sum(text, "duplicated"),
                    sum(text, "port_rcv_packets") + sum(text, "dropped_loss") +
                        sum(text, "dropped_inject") + sum(text, "dropped_link_down") +
                        sum(text, "in_flight"));
    CU_ASSERT_TRUE(sum(text, "duplicated") > 10);
    g_free(text);
}

static void ports_of_a_star_are_the_same_in_three_domains(void)
{
    struct text_run r;
    char *one = ports_of(INCAST, 1, &r), *three = ports_of(INCAST, 3, &r);

    CU_ASSERT_TRUE(g_str_has_prefix(one, HEAD "h0-s0,h0,s0,"));
    CU_ASSERT_STRING_EQUAL(one, three);
    g_free(one);
    g_free(three);
}

/* A port under more load than it carries is busy all the time, and never more than that. */
static void ports_of_an_overloaded_star(void)
{
    struct text_run r;
    char *text = ports_of("[scenario]\nduration = 20us\n"
                          "[fabric]\ntopology = star\nhosts = 3\nrate = 100Gbps\ndelay = 0ns\n"
                          "[qp]\nservice = uc\nmtu = 1024\n"
                          "[workload]\npattern = incast\nop = write\nsize = 1MB\ndepth = 2\n",
                          1, &r);

    /* The first packet of 1122 bytes reaches the switch at 89.76 ns: the rest is 99.5512 %. */
    CU_ASSERT_STRING_EQUAL(text, HEAD "h0-s0,h0,s0,0,0,224,58248,0,0,0,0,0,0,0,,0.000000\n"
                                      "s0-h0,s0,h0,452,117528,0,0,0,0,0,0,0,0,228,251094,0.995512\n"
                                      "h1-s0,h1,s0,227,59024,0,0,0,0,0,0,0,0,1,,1.000000\n"
                                      "s0-h1,s0,h1,0,0,226,58764,0,0,0,0,0,0,0,0,0.000000\n"
                                      "h2-s0,h2,s0,227,59024,0,0,0,0,0,0,0,0,1,,1.000000\n"
                                      "s0-h2,s0,h2,0,0,226,58764,0,0,0,0,0,0,0,0,0.000000\n");
    g_free(text);
}

static const struct test tests[] = {TEST(ports_of_a_pair), TEST(ports_add_up_to_the_metrics),
                                    TEST(ports_of_a_star_are_the_same_in_three_domains),
                                    TEST(ports_of_an_overloaded_star), TESTS_END};
const struct suite suite_ports = {"ports", tests};
