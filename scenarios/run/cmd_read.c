/*
 * `rdmasim read`: a capture as a table, or as a ladder between two of its ends.
 *
 * A retransmission is a request packet whose PSN is not behind the newest of its direction (source,
 * destination, QP; the EE context where there is one).  PSNs wrap: "behind" means within half the space.
 * Not recognised: the rest of a READ asked for again when nothing had been sent since.
 */
#include <arpa/inet.h>
#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "models/wire/pcap.h"
#include "models/wire/text.h"
#include "scenarios/run/cli.h"
#include "scenarios/run/commands.h"
#include "scenarios/run/ladder_out.h"

struct tally {
    uint64_t packets, foreign, bad_header, bad_icrc, again, short_frames;
};

struct reading {
    struct talk *talk;
    GHashTable *newest; /* by direction: PSN of its newest request */
    struct tally n;
    bool table;
};

static void host_name(const struct wire_captured *c, const uint8_t ip[16], char out[64])
{
    if (!inet_ntop(c->is_ipv6 ? AF_INET6 : AF_INET, ip, out, 64))
        g_strlcpy(out, "?", 64);
}

/* ---- retransmissions ------------------------------------------------------------------------------- */

static bool is_again(struct reading *r, const struct talk_item *i, const struct wire_ext *e)
{
    const struct wire_op_row *op = wire_op_row(i->row.h.opcode);
    if (!op || op->response || op->cls == CLASS_CNP)
        return false;
    char *key = e->eec ? g_strdup_printf("%u %u EEC %u", i->host, i->peer, e->eec)
                       : g_strdup_printf("%u %u %u %u", i->host, i->peer, i->qp, i->src_qp);
    gpointer known;
    bool again = false;
    if (g_hash_table_lookup_extended(r->newest, key, NULL, &known)) {
        struct psn24 newest = psn(GPOINTER_TO_UINT(known));
        again = psn_diff(i->row.h.psn, newest) <= 0;
    }
    if (again)
        g_free(key);
    else
        g_hash_table_replace(r->newest, key, GUINT_TO_POINTER(i->row.h.psn.v));
    return again;
}

/* ---- the table ------------------------------------------------------------------------------------- */

static const char *icrc_word(const struct wire_captured *c)
{
    return c->is_cut ? "cut" : c->fault == FRAME_BAD_ICRC ? "BAD" : "ok";
}

static void print_head(void)
{
    printf("%12s  %-33s %-22s %8s %8s %3s %6s %4s  %s\n", "us", "source -> destination", "opcode",
           "PSN", "QP", "req", "bytes", "ICRC", "more");
}

static void print_row(const struct wire_captured *c, const char *src, const char *dst, bool again)
{
    uint16_t set = wire_headers_of(c->h.opcode).set;
    char name[WIRE_OPCODE_NAME_MAX] = "?", time[32], who[160], words[LADDER_WORDS_MAX];

    wire_opcode_name(c->h.opcode, name, sizeof name);
    ladder_time_text(c->at, time);
    g_snprintf(who, sizeof who, "%s -> %s", src, dst);
    printf("%12s  %-33s %-22s %8u %8u %3s %6u %4s", time, who, name, c->h.psn.v, c->h.dest_qp,
           c->h.flags & WIRE_ACKREQ ? "yes" : "", c->h.payload_bytes, icrc_word(c));
    if (again)
        printf("  again");
    if (set & HDR_AETH) {
        ladder_aeth_words(c->h.syndrome, words);
        printf("  %s, MSN %u", words, c->h.msn);
    }
    if (set & (HDR_RETH | HDR_ATOMICETH))
        printf("  va 0x%" PRIx64 " rkey 0x%x", c->h.va, c->h.rkey);
    if (set & HDR_RETH)
        printf(" dmalen %u", c->h.dmalen);
    if (set & HDR_DETH)
        printf("  from QP %u", c->e.src_qp);
    putchar('\n');
}

/* ---- frames ---------------------------------------------------------------------------------------- */

static void take_packet(struct reading *r, const struct wire_captured *c)
{
    char src[64], dst[64];
    host_name(c, c->a.src_ip, src);
    host_name(c, c->a.dst_ip, dst);
    bool spoiled = c->fault == FRAME_BAD_ICRC && !c->is_cut;
    bool deth = wire_headers_of(c->h.opcode).set & HDR_DETH;
    struct talk_item i = {.host = talk_host(r->talk, src),
                          .peer = talk_host(r->talk, dst),
                          .qp = c->h.dest_qp,
                          .src_qp = deth ? c->e.src_qp : 0};
    i.row = (struct ladder_row){.at = c->at,
                                .until = c->at,
                                .h = c->h,
                                .kind = LADDER_PACKET,
                                .fate = spoiled ? LADDER_SPOILED : LADDER_ARRIVED,
                                .text = spoiled ? "wrong ICRC" : NULL};
    i.row.again = !spoiled && is_again(r, &i, &c->e);
    talk_add(r->talk, &i);
    r->n.packets++;
    r->n.bad_icrc += spoiled;
    r->n.again += i.row.again;
    if (r->table)
        print_row(c, src, dst, i.row.again);
}

static void take_frame(struct reading *r, const struct wire_captured *c)
{
    switch (c->fault) {
    case FRAME_OK:
    case FRAME_BAD_ICRC:
        take_packet(r, c);
        break;
    case FRAME_SHORT:
        r->n.short_frames++;
        break;
    case FRAME_NOT_ROCE:
        r->n.foreign++;
        break;
    case FRAME_BAD_HEADER:
        r->n.bad_header++;
        break;
    }
}

static void print_tally(const struct tally *n)
{
    printf("\n%" PRIu64 " RoCEv2 packets, %" PRIu64 " sent again, %" PRIu64 " with a wrong ICRC",
           n->packets, n->again, n->bad_icrc);
    if (n->bad_header)
        printf("; %" PRIu64 " with an unknown opcode or wrong lengths", n->bad_header);
    if (n->short_frames)
        printf("; %" PRIu64 " frames too short", n->short_frames);
    if (n->foreign)
        printf("; %" PRIu64 " other frames", n->foreign);
    putchar('\n');
}

/* false: the file is torn; what was whole has been taken. */
static bool read_frames(struct reading *r, struct wire_pcap_in *in, char *err, size_t err_size)
{
    struct wire_captured c;
    enum wire_pcap_got got;

    while ((got = wire_pcap_next(in, &c, err, err_size)) == WIRE_PCAP_FRAME)
        take_frame(r, &c);
    return got == WIRE_PCAP_END;
}

static int by_time(const void *a, const void *b)
{
    const struct talk_item *x = a, *y = b;
    return x->row.at < y->row.at ? -1 : x->row.at > y->row.at;
}

static int read_file(const char *path, bool ladder, const struct ladder_out *o)
{
    char err[400] = "";
    struct wire_pcap_in *in = wire_pcap_in_new(path, err, sizeof err);
    if (!in) {
        fprintf(stderr, "rdmasim read: %s\n", err);
        return 2;
    }
    struct reading r = {.talk = talk_new(), .table = !ladder};
    r.newest = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (r.table)
        print_head();
    bool whole = read_frames(&r, in, err, sizeof err);
    int code = 0;
    if (r.table)
        print_tally(&r.n);
    g_array_sort(r.talk->item, by_time);
    if (ladder)
        code = ladder_out(o, "read", r.talk, NULL);
    if (!whole) {
        fprintf(stderr, "rdmasim read: %s: ends in the middle: %s\n", path, err);
        code = code ? code : 3;
    }
    g_hash_table_destroy(r.newest);
    talk_free(r.talk);
    wire_pcap_in_free(in);
    return code;
}

static bool is_set(const struct ladder_out *o)
{
    return o->ends || o->qp || o->rows || o->from || o->to || o->format || o->out;
}

int cmd_read(int argc, char **argv)
{
    struct ladder_out o = {0};
    bool ladder = false;
    const struct cli_option options[] = {
        {"--ladder", CLI_FLAG, &ladder, NULL, "draw a ladder instead of the table"},
        LADDER_OUT_OPTIONS(o),
        {0}};
    const struct cli_command command = {
        "read",
        "FILE.pcap",
        "Prints the RoCEv2 packets of a capture, ours or another's; or draws a ladder of it.",
        options,
        1,
        1};
    int words;
    enum cli_parsed parsed = cli_parse(&command, argc, argv, &words);

    if (parsed != CLI_OK)
        return cli_exit_code(parsed);
    if (!ladder && is_set(&o)) {
        fputs("rdmasim read: ends, rows, format and --out are those of a ladder; add --ladder\n",
              stderr);
        return 2;
    }
    return read_file(argv[1], ladder, &o);
}
