/* `rdmasim read`: a capture as a table and as a ladder. */
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <unistd.h>

#include "models/wire/pcap.h"
#include "tests/suite.h"
#include "tests/unit/cli_run.h"

static struct wire_pcap_out *out;

/* Host 1 or 2 sends to the other. */
static size_t frame(uint8_t bytes[2000], uint8_t from, uint32_t qp, enum wire_op op,
                    uint32_t number)
{
    struct wire_hdr h = {.opcode = wire_opcode(WIRE_RC, op), .dest_qp = qp, .flags = WIRE_MIGREQ};
    struct wire_addr a = {
        .src_ip = {10, 0, 0, from}, .dst_ip = {10, 0, 0, (uint8_t)(3 - from)}, .ttl = 9};
    h.psn = psn(number);
    h.payload_bytes = op == OP_SEND_ONLY ? 1024 : 0;
    h.syndrome = op == OP_ACKNOWLEDGE ? 0x2c : 0;
    h.msn = op == OP_ACKNOWLEDGE ? 3 : 0;
    if (op == OP_READ_REQUEST)
        h.va = 0x1000, h.rkey = 0x12, h.dmalen = 4096;
    return wire_frame_build(&h, NULL, NULL, &a, ENCAP_ROCEV2, bytes, 2000);
}

static void put(tm_ps at, uint8_t from, uint32_t qp, enum wire_op op, uint32_t number)
{
    uint8_t bytes[2000];
    wire_pcap_put_frame(out, at, bytes, frame(bytes, from, qp, op, number));
}

/* PSNs wrap; one is sent again; one is spoiled; an ARP request; an opcode that nobody knows. */
static void write_capture(const struct cli_run *r)
{
    uint8_t bytes[2000];
    char *path = g_build_filename(r->dir, "x.pcap", NULL);
    int fd = open(path, O_CREAT | O_WRONLY, 0666);
    out = wire_pcap_out_new(fd);
    put(0, 1, 28, OP_SEND_ONLY, 0xffffff);
    put(1 * TM_US, 1, 28, OP_SEND_ONLY, 0);
    put(2 * TM_US, 2, 17, OP_ACKNOWLEDGE, 0xffffff);
    put(3 * TM_US, 1, 28, OP_SEND_ONLY, 0xffffff);
    put(4 * TM_US, 1, 28, OP_READ_REQUEST, 1);
    size_t len = frame(bytes, 1, 28, OP_SEND_ONLY, 2);
    bytes[200] ^= 1;
    wire_pcap_put_frame(out, 5 * TM_US, bytes, len);
    len = frame(bytes, 1, 28, OP_SEND_ONLY, 2);
    bytes[42] = 0xff;
    wire_pcap_put_frame(out, 6 * TM_US, bytes, len);
    bytes[12] = 0x08, bytes[13] = 0x06;
    wire_pcap_put_frame(out, 7 * TM_US, bytes, len);
    CU_ASSERT_TRUE(wire_pcap_out_free(out));
    close(fd);
    g_free(path);
}

static void has(const struct cli_run *r, const char *text)
{
    CU_ASSERT_PTR_NOT_NULL(strstr(r->out, text));
    if (!strstr(r->out, text))
        fprintf(stderr, "no '%s' in\n%s", text, r->out);
}

static const char table[] =
    "          us  source -> destination             opcode                      PSN       QP req  "
    "bytes ICRC  more\n"
    "       0.000  10.0.0.1 -> 10.0.0.2              RC_SEND_ONLY           16777215       28      "
    " "
    "1024   ok\n"
    "       1.000  10.0.0.1 -> 10.0.0.2              RC_SEND_ONLY                  0       28      "
    " "
    "1024   ok\n"
    "       2.000  10.0.0.2 -> 10.0.0.1              RC_ACKNOWLEDGE         16777215       17      "
    " "
    "   0   ok  RNR NAK 0.64 ms, MSN 3\n"
    "       3.000  10.0.0.1 -> 10.0.0.2              RC_SEND_ONLY           16777215       28      "
    " "
    "1024   ok  again\n"
    "       4.000  10.0.0.1 -> 10.0.0.2              RC_READ_REQUEST               1       28      "
    " "
    "   0   ok  va 0x1000 rkey 0x12 dmalen 4096\n"
    "       5.000  10.0.0.1 -> 10.0.0.2              RC_SEND_ONLY                  2       28      "
    " "
    "1024  BAD\n"
    "\n6 RoCEv2 packets, 1 sent again, 1 with a wrong ICRC; 1 with an unknown opcode or wrong "
    "lengths; 1 other frames\n";

static const char ladder[] =
    "          us 10.0.0.1 QP 17                                               10.0.0.2 QP 28\n"
    "       0.000 |-- SEND_ONLY 16777215, 1024 B ----------------------------------------->|\n"
    "       1.000 |-- SEND_ONLY 0, 1024 B ------------------------------------------------>|\n"
    "             |<------------------------------------ RNR NAK 16777215 0.64 ms, MSN 3 --| "
    "2.000\n"
    "       3.000 |== SEND_ONLY 16777215, 1024 B, again ==================================>|\n"
    "       4.000 |-- READ_REQUEST 1 of 4096 B ------------------------------------------->|\n"
    "       5.000 |-- SEND_ONLY 2, 1024 B (spoiled: wrong ICRC) --------------------------X|\n";

static void cmd_read_prints_a_line_a_packet(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    write_capture(&r);
    CU_ASSERT_EQUAL(cli_run(&r, "read x.pcap"), 0);
    CU_ASSERT_STRING_EQUAL(r.out, table);
    cli_run_done(&r);
}

static void cmd_read_draws_the_ladder(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    write_capture(&r);
    CU_ASSERT_EQUAL(cli_run(&r, "read x.pcap --ladder"), 0);
    CU_ASSERT_STRING_EQUAL(r.out, ladder);
    CU_ASSERT_EQUAL(cli_run(&r, "read x.pcap --ladder --ends 10.0.0.2,10.0.0.1/28"), 2);
    CU_ASSERT_EQUAL(cli_run(&r, "read x.pcap --ladder --ends 10.0.0.2/28,10.0.0.1/17"), 0);
    has(&r, "us 10.0.0.2 QP 28 ");
    CU_ASSERT_EQUAL(cli_run(&r, "read x.pcap --rows 1..2"), 2);
    CU_ASSERT_STRING_EQUAL(
        r.err, "rdmasim read: ends, rows, format and --out are those of a ladder; add --ladder\n");
    cli_run_done(&r);
}

static void cmd_read_torn_files_show_what_is_whole(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    write_capture(&r);
    char *path = g_build_filename(r.dir, "x.pcap", NULL);
    CU_ASSERT_EQUAL(truncate(path, 1500), 0);
    CU_ASSERT_EQUAL(cli_run(&r, "read x.pcap"), 3);
    has(&r, "\n1 RoCEv2 packets, 0 sent again, 0 with a wrong ICRC\n");
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, "rdmasim read: x.pcap: ends in the middle: truncated"));
    CU_ASSERT_EQUAL(cli_run(&r, "read nothing.pcap"), 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, "rdmasim read: nothing.pcap: No such file"));
    g_free(path);
    cli_run_done(&r);
}

static const struct test tests[] = {TEST(cmd_read_prints_a_line_a_packet),
                                    TEST(cmd_read_draws_the_ladder),
                                    TEST(cmd_read_torn_files_show_what_is_whole), TESTS_END};
const struct suite suite_cmd_read = {"cmd_read", tests};
