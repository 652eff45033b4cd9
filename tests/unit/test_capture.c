/* trace.pcap of a run against its packets.csv. */
#include <glib.h>
#include <string.h>

#include "models/fabric/side.h"
#include "models/wire/pcap.h"
#include "scenarios/run/capture.h"
#include "tests/suite.h"
#include "tests/unit/cli_run.h"

static void capture_hosts_have_addresses_of_their_own(void)
{
    struct pkt p = {.src_host = 0, .dst_host = 0xfffe, .entropy = 0xffff};
    struct wire_addr a;
    capture_addr(&p, ENCAP_ROCEV2, &a);
    CU_ASSERT_EQUAL(memcmp(a.src_ip, "\x0a\0\0\1", 4), 0);
    CU_ASSERT_EQUAL(memcmp(a.dst_ip, "\x0a\0\xff\xff", 4), 0);
    CU_ASSERT_EQUAL(memcmp(a.dst_mac, "\2\0\0\0\xff\xff", 6), 0);
    CU_ASSERT_EQUAL(a.src_port, 0xffff);
    capture_addr(&p, ENCAP_ROCEV2_IPV6, &a);
    CU_ASSERT_EQUAL(memcmp(a.dst_ip, "\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff", 16), 0);
}

/* Moved are a datagram's first bytes (its header); the rest is zeros of the right length. */
static void capture_headers_and_payload_beside_the_packet_are_in_the_frame(void)
{
    const struct wire_ext e = {.qkey = 0x11111111, .src_qp = 7};
    struct cli_run r;
    struct wire_captured c;
    char err[300] = "";
    struct pkt p = {.dst_host = 1,
                    .h = {.opcode = wire_opcode(WIRE_UD, OP_SEND_ONLY), .payload_bytes = 200}};
    cli_run_begin(&r);
    char *path = g_build_filename(r.dir, "x.pcap", NULL);
    struct capture *out = capture_new(path, ENCAP_ROCEV2, err, sizeof err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(out);
    side_attach(&p, &e, "0123456789abcdef", SIDE_HEAD_BYTES);
    capture_note(out, &p, 3 * TM_US);
    side_drop(&p);
    CU_ASSERT_FALSE(cli_run_exists(&r, "x.pcap"));
    CU_ASSERT_TRUE(capture_commit(out, err, sizeof err));
    struct wire_pcap_in *in = wire_pcap_in_new(path, err, sizeof err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(in);
    CU_ASSERT_EQUAL(wire_pcap_next(in, &c, err, sizeof err), WIRE_PCAP_FRAME);
    CU_ASSERT_EQUAL(c.fault, FRAME_OK);
    CU_ASSERT_EQUAL(c.at, 3 * TM_US);
    CU_ASSERT_EQUAL(c.h.payload_bytes, 200);
    CU_ASSERT_EQUAL(memcmp(&c.e, &e, sizeof e), 0);
    CU_ASSERT_EQUAL(memcmp(c.payload, "0123456789abcdef\0\0", 18), 0);
    wire_pcap_in_free(in);
    g_free(path);
    cli_run_done(&r);
}

static const char scenario[] =
    "[fabric]\ntopology = star\nhosts = 3\ndelay = 1us\n"
    "[qp]\nservice = rc\n[workload]\npattern = ring\nop = write\nsize = 5000B\n"
    "messages = 2\n[inject]\nlost = drop every=5\ncopy = dup delay 1us every=7\n";

/* Rows of packets.csv that are hosts' own sending. */
static uint32_t sent_rows(const char *csv)
{
    uint32_t n = 0;
    char **line = g_strsplit(csv, "\n", -1);
    for (char **l = line; *l; l++)
        n += strstr(*l, ",send,h") != NULL;
    g_strfreev(line);
    return n;
}

static void capture_holds_what_hosts_send_and_nothing_else(void)
{
    struct cli_run r;
    char want[80];
    cli_run_begin(&r);
    cli_run_write(&r, "ring.ini", scenario);
    CU_ASSERT_EQUAL(cli_run(&r, "run ring.ini --trace --pcap --domains 3 --out o"), 0);
    char *csv = cli_run_read(&r, "o/packets.csv");
    uint32_t sent = sent_rows(csv);
    CU_ASSERT_TRUE(sent > 20);
    CU_ASSERT_EQUAL(cli_run(&r, "read o/trace.pcap"), 0);
    g_snprintf(want, sizeof want, "\n%u RoCEv2 packets, ", sent);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, want));
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, ", 0 with a wrong ICRC\n"));
    g_free(csv);
    cli_run_done(&r);
}

/* Every host numbers what it sends, repetitions too, and a rule that asks for the number finds it. */
static void capture_numbers_the_packets_of_each_host(void)
{
    struct cli_run r;
    struct wire_captured c;
    char err[300] = "";
    uint32_t next[4] = {0}, frames = 0;
    cli_run_begin(&r);
    cli_run_write(&r, "ring.ini", scenario);
    CU_ASSERT_EQUAL(cli_run(&r, "run ring.ini --pcap --domains 2 --out o"), 0);
    char *path = g_build_filename(r.dir, "o/trace.pcap", NULL);
    struct wire_pcap_in *in = wire_pcap_in_new(path, err, sizeof err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(in);
    for (; wire_pcap_next(in, &c, err, sizeof err) == WIRE_PCAP_FRAME; frames++)
        CU_ASSERT_EQUAL(c.a.ip_id, next[c.a.src_ip[3] & 3]++);
    CU_ASSERT(frames > 20 && next[1] > 5 && next[2] > 5 && next[3] > 5);
    wire_pcap_in_free(in);
    g_free(path);
    cli_run_done(&r);
}

static void capture_goes_where_it_is_sent_and_repeats_itself(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "ring.ini", scenario);
    CU_ASSERT_EQUAL(cli_run(&r, "run ring.ini --pcap mine.pcap --out o"), 0);
    CU_ASSERT_TRUE(cli_run_exists(&r, "mine.pcap"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "o/trace.pcap"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "o/packets.csv"));
    CU_ASSERT_EQUAL(cli_run(&r, "run --pcap ring.ini --out o"), 0);
    CU_ASSERT_EQUAL(cli_run(&r, "read mine.pcap"), 0);
    char *first = g_strdup(r.out);
    CU_ASSERT_EQUAL(cli_run(&r, "read o/trace.pcap"), 0);
    CU_ASSERT_STRING_EQUAL(r.out, first);
    CU_ASSERT_EQUAL(cli_run(&r, "run ring.ini --out o"), 0);
    CU_ASSERT_FALSE(cli_run_exists(&r, "o/trace.pcap"));
    g_free(first);
    cli_run_done(&r);
}

static void capture_that_cannot_be_is_refused(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "ring.ini", scenario);
    CU_ASSERT_EQUAL(cli_run(&r, "run ring.ini --pcap --set fabric.encap=infiniband --out o"), 2);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(r.err, "a capture holds RoCEv2 frames; fabric.encap = infiniband"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "o/manifest.ini"));
    CU_ASSERT_EQUAL(cli_run(&r, "run ring.ini --pcap nowhere/x.pcap --out o"), 3);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, "nowhere/x.pcap: cannot be written: No such file"));
    r.file_bytes_max = 20000;
    CU_ASSERT_EQUAL(cli_run(&r, "run ring.ini --pcap --out o"), 3);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, "o/trace.pcap: cannot be written: File too large"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "o/trace.pcap"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "o/trace.pcap.part"));
    cli_run_done(&r);
}

static const struct test tests[] = {
    TEST(capture_hosts_have_addresses_of_their_own),
    TEST(capture_headers_and_payload_beside_the_packet_are_in_the_frame),
    TEST(capture_holds_what_hosts_send_and_nothing_else),
    TEST(capture_numbers_the_packets_of_each_host),
    TEST(capture_goes_where_it_is_sent_and_repeats_itself),
    TEST(capture_that_cannot_be_is_refused),
    TESTS_END};
const struct suite suite_capture = {"capture", tests};
