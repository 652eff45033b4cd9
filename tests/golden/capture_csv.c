/*
 * events.csv, wire.pcap and completions.csv of a capture: what crossed the wire and what completed.
 *
 * Record n of the pcap is row n of the list, which is checked by their lengths.
 */
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/transport/xp.h"
#include "scenarios/run/csv_in.h"
#include "tests/golden/capture.h"

/* A table with the row being read. */
struct rows {
    struct csv_table *t;
    uint32_t row;
};

static const char *cell(const struct rows *r, const char *column)
{
    int i = csv_table_find(r->t, column);
    return i < 0 ? "" : csv_table_at(r->t, r->row, (uint32_t)i);
}

static int64_t whole(const struct rows *r, const char *column)
{
    const char *s = cell(r, column);
    if (!s[0])
        return NONE;
    return s[0] == '-' ? strtoll(s, NULL, 0) : (int64_t)strtoull(s, NULL, 0);
}

static tm_ps time_of(const struct rows *r, const char *column)
{
    int64_t us = whole(r, column);
    return us == NONE ? TM_NEVER : us * TM_US;
}

static bool open_table(struct rows *r, const char *folder, const char *name, struct trouble *why)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    r->row = 0;
    r->t = csv_table_read(path, why->text, sizeof why->text);
    return r->t != NULL;
}

/* ---- packets --------------------------------------------------------------------------------- */

/* The columns that are names; the others are whole numbers. */
static bool read_names(const struct rows *r, struct packet *p, struct trouble *why)
{
    const char *opcode = cell(r, "opcode"), *syndrome = cell(r, "syndrome");
    int action = name_index(action_name, ACTIONS, cell(r, "action"));

    p->col[COL_ACTION] = action;
    if (!opcode_of_name(opcode, &p->col[COL_OPCODE]) || action < 0 ||
        (syndrome[0] && !syndrome_of_name(syndrome, &p->col[COL_SYNDROME])))
        return trouble_say(why, "%s:%u: unknown opcode, syndrome or action: %s %s %s", r->t->path,
                           r->t->line[r->row], opcode, syndrome, cell(r, "action"));
    return true;
}

static bool read_packet(const struct rows *r, struct packet *p, struct trouble *why)
{
    for (int i = 0; i < COLUMNS; i++)
        p->col[i] = i == COL_OPCODE || i == COL_SYNDROME || i == COL_ACTION
                        ? NONE
                        : whole(r, column_name[i]);
    p->from = strcmp(cell(r, "dir"), "a2b") == 0 ? SIDE_A : SIDE_B;
    p->flow = strcmp(cell(r, "flow"), "a") == 0 ? SIDE_A : SIDE_B;
    p->at = time_of(r, "t_us");
    p->out = time_of(r, "out_us");
    p->intact = whole(r, "icrc_ok") == 1 && p->col[COL_ACTION] != ACT_CORRUPTED;
    return read_names(r, p, why);
}

/* The frames' bytes, one behind the other, and where each starts. */
static bool read_pcap(struct capture *c, const char *folder, struct trouble *why)
{
    char path[1024], err[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *h;
    const u_char *bytes;
    uint32_t n = 0;
    size_t used = 0, room = 0;

    snprintf(path, sizeof path, "%s/wire.pcap", folder);
    pcap_t *p = pcap_open_offline(path, err);
    if (!p)
        return trouble_say(why, "%s: %s", path, err);
    while (pcap_next_ex(p, &h, &bytes) == 1) {
        if (used + h->caplen > room) {
            room = 2 * (used + h->caplen);
            c->pcap = realloc(c->pcap, room);
        }
        memcpy(c->pcap + used, bytes, h->caplen);
        if (n < c->packets)
            c->packet[n].frame_bytes = h->caplen;
        n++;
        used += h->caplen;
    }
    pcap_close(p);
    used = 0;
    for (uint32_t i = 0; i < c->packets && i < n; i++) {
        c->packet[i].frame = c->pcap + used;
        used += c->packet[i].frame_bytes;
    }
    return n == c->packets ||
           trouble_say(why, "%s: %u records, but events.csv has %u rows", path, n, c->packets);
}

bool capture_read_packets(struct capture *c, const char *folder, struct trouble *why)
{
    struct rows r;
    if (!open_table(&r, folder, "events.csv", why))
        return false;
    c->packets = r.t->rows;
    c->packet = calloc(c->packets + 1, sizeof *c->packet);
    bool ok = read_pcap(c, folder, why);
    for (r.row = 0; ok && r.row < c->packets; r.row++) {
        struct packet *p = &c->packet[r.row];
        ok = read_packet(&r, p, why);
        if (ok && whole(&r, "len") != p->frame_bytes)
            ok = trouble_say(why, "%s:%u: not the length of its frame in wire.pcap", r.t->path,
                             r.t->line[r.row]);
    }
    csv_table_free(r.t);
    return ok;
}

/* ---- completions ------------------------------------------------------------------------------- */

static bool read_completion(const struct capture *c, const struct rows *r, struct completion *q,
                            struct trouble *why)
{
    enum xp_service_id service;
    int status = -1;
    for (int s = 0; s < XP_WC_STATUSES; s++)
        if (strcmp(xp_status_name((enum xp_status)s), cell(r, "status")) == 0)
            status = s;
    if (status < 0)
        return trouble_say(why, "%s:%u: unknown status \"%s\"", r->t->path, r->t->line[r->row],
                           cell(r, "status"));
    q->side = strcmp(cell(r, "side"), "a") == 0 ? SIDE_A : SIDE_B;
    q->at = time_of(r, "t_us");
    q->field[CQE_CQ] = strcmp(cell(r, "cq"), "recv") == 0 ? CQ_RECV : CQ_SEND;
    q->field[CQE_WR_ID] = whole(r, "wr_id");
    q->field[CQE_STATUS] = status;
    /* Verbs define the rest for successes, length and immediate for receives alone. */
    bool received = status == XP_WC_SUCCESS && q->field[CQE_CQ] == CQ_RECV;
    q->field[CQE_OPCODE] = status == XP_WC_SUCCESS ? completion_op(cell(r, "opcode")) : NONE;
    q->field[CQE_BYTE_LEN] = received ? whole(r, "byte_len") : NONE;
    q->field[CQE_IMM] = received ? whole(r, "imm") : NONE;
    bool paired = !xp_service_parse(c->service, &service) || xp_service_pairs(service);
    q->field[CQE_SRC_OK] =
        received && !paired ? whole(r, "src_qp") == c->recorded[other_side(q->side)].qpn : NONE;
    return true;
}

bool capture_read_completions(struct capture *c, const char *folder, struct trouble *why)
{
    struct rows r;
    if (!open_table(&r, folder, "completions.csv", why))
        return false;
    c->completions = r.t->rows;
    c->completion = calloc(c->completions + 1, sizeof *c->completion);
    bool ok = true;
    for (; ok && r.row < c->completions; r.row++)
        ok = read_completion(c, &r, &c->completion[r.row], why);
    csv_table_free(r.t);
    return ok;
}
