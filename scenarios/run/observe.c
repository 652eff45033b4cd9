/*
 * Files on request: messages.csv, qps.csv, packets.csv; rows of completions.csv: completions.c; captures:
 * capture.c.
 *
 * Messages are kept in memory until the end, where the sender's half and the receiver's half of each are
 * joined and sorted, so the file does not depend on the number of domains.  A trace is written
 * as it happens; it is taken with one domain (the command line sees to that).
 */
#include "scenarios/run/observe.h"

#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "models/hca/gsi.h"
#include "models/wire/text.h"
#include "scenarios/run/capture.h"
#include "scenarios/run/completions.h"
#include "scenarios/run/csv_out.h"

/* Half of a message: `sent` from its completion, else from its delivery. */
struct half {
    uint32_t src, src_qpn; /* of a delivery: the receiving host and QP until they are resolved */
    uint32_t dst;
    uint64_t msgno;
    uint64_t bytes;
    tm_ps post_ps, at_ps;
    uint8_t status;
    bool sent;
    bool own; /* delivered to its sender: a READ or atomic */
};

struct observe {
    char *dir;
    bool messages, qps, trace;
    GArray *half;                    /* struct half */
    struct completions *completions; /* NULL: not asked for */
    struct csv_out packets;
    bool packets_open;
    struct capture *capture; /* NULL: not asked for */
    struct fab_tap fab_tap;
    struct hca_tap hca_tap;
};

static void put_time(struct csv_out *c, tm_ps t)
{
    char text[32];

    metric_text_micro(t, text, sizeof text);
    csv_out_text(c, text);
}

/* ---- packets.csv ------------------------------------------------------------------------------ */

static const char *const packet_columns[] = {
    "t_us", "kind",   "where", "reason",   "host", "qp",   "opcode",    "psn", "ackreq",
    "se",   "paylen", "pad",   "syndrome", "msn",  "roff", "dmalen",    "imm", "dqpn",
    "pkey", "mig",    "fecn",  "becn",     "ecn",  "len",  "retransmit", "dst"};

const char *const *observe_packet_columns(uint32_t *count)
{
    *count = G_N_ELEMENTS(packet_columns);
    return packet_columns;
}

static void put_headers(struct csv_out *c, const struct wire_hdr *h)
{
    struct wire_headers set = wire_headers_of(h->opcode);
    char text[64];

    if (set.set & HDR_AETH) {
        wire_syndrome_text(h->syndrome, text, sizeof text);
        csv_out_text(c, text);
        csv_out_u64(c, h->msn);
    } else {
        csv_out_text(c, "");
        csv_out_text(c, "");
    }
    if (set.set & HDR_RETH) {
        csv_out_u64(c, h->va);
        csv_out_u64(c, h->dmalen);
    } else {
        csv_out_text(c, "");
        csv_out_text(c, "");
    }
    if (set.set & (HDR_IMM | HDR_IETH))
        csv_out_u64(c, h->imm);
    else
        csv_out_text(c, "");
}

static void put_packet(struct csv_out *c, const char *kind, const char *reason,
                       const struct link *where, const struct pkt *p, tm_ps now)
{
    const struct wire_hdr *h = &p->h;
    char name[48] = "";

    put_time(c, now);
    csv_out_text(c, kind);
    csv_out_text(c, where ? link_name(where) : "");
    csv_out_text(c, reason && *reason ? reason : gsi_mad_name(p));
    csv_out_u64(c, p->src_host);
    csv_out_text(c, "");
    if (!wire_opcode_name(h->opcode, name, sizeof name))
        g_snprintf(name, sizeof name, "0x%02x", h->opcode.v);
    csv_out_text(c, name);
    csv_out_u64(c, h->psn.v);
    csv_out_u64(c, (h->flags & WIRE_ACKREQ) != 0);
    csv_out_u64(c, (h->flags & WIRE_SE) != 0);
    csv_out_u64(c, h->payload_bytes);
    csv_out_u64(c, wire_pad(h->payload_bytes));
    put_headers(c, h);
    csv_out_u64(c, h->dest_qp);
    csv_out_u64(c, h->pkey);
    csv_out_u64(c, (h->flags & WIRE_MIGREQ) != 0);
    csv_out_u64(c, (h->flags & WIRE_FECN) != 0);
    csv_out_u64(c, (h->flags & WIRE_BECN) != 0);
    csv_out_u64(c, (uint64_t)((h->flags & WIRE_ECN_LO) != 0) |
                       (uint64_t)((h->flags & WIRE_ECN_HI) != 0) << 1);
    csv_out_u64(c, p->wire_bytes);
    csv_out_u64(c, (p->note & PKT_RETRANSMIT) != 0);
    csv_out_u64(c, p->dst_host);
    csv_out_end_row(c);
}

static void note_packet(void *self, const char *kind, const char *reason, const struct link *where,
                        const struct pkt *p, tm_ps now)
{
    struct observe *ob = self;

    if (ob->trace)
        put_packet(&ob->packets, kind, reason, where, p, now);
    if (ob->capture && p->hops == 0 && strcmp(kind, "send") == 0)
        capture_note(ob->capture, p, now);
}

/* A row about a QP rather than a packet: the packet's columns stay empty. */
static void note_row(struct observe *ob, tm_ps now, const char *kind, const char *reason,
                     uint32_t host, uint32_t qpn)
{
    struct csv_out *c = &ob->packets;

    put_time(c, now);
    csv_out_text(c, kind);
    csv_out_text(c, "");
    csv_out_text(c, reason);
    csv_out_u64(c, host);
    csv_out_u64(c, qpn);
    for (size_t i = 6; i < G_N_ELEMENTS(packet_columns); i++)
        csv_out_text(c, "");
    csv_out_end_row(c);
}

static void note_core(void *self, uint32_t host, const struct xp_note *n)
{
    static const char *const kind[] = {[XP_N_TIMER_SET] = "timer_set",
                                       [XP_N_TIMER_FIRE] = "timer_fire",
                                       [XP_N_STATE] = "state",
                                       [XP_N_RETRY] = "retry",
                                       [XP_N_DROP] = "refused"};
    char reason[64] = "";

    switch (n->kind) {
    case XP_N_TIMER_SET:
        metric_text_micro(n->until, reason, sizeof reason);
        break;
    case XP_N_TIMER_FIRE:
        break;
    case XP_N_STATE:
        g_strlcpy(reason, xp_state_name((enum xp_state)n->value), sizeof reason);
        break;
    case XP_N_RETRY:
        g_snprintf(reason, sizeof reason, "psn %" PRIu32, n->value);
        break;
    case XP_N_DROP:
        g_strlcpy(reason, xp_verdict_name((enum xp_verdict)n->value), sizeof reason);
        break;
    }
    note_row(self, n->at, kind[n->kind], reason, host, n->qpn);
}

/* ---- messages.csv --------------------------------------------------------------------------------- */

static void note_delivered(void *self, uint32_t host, const struct pkt *last, uint32_t qpn,
                           uint32_t bytes, tm_ps now)
{
    struct observe *ob = self;
    bool own = last->src_host == host;
    struct half h = {.src = host,
                     .src_qpn = qpn,
                     .dst = own ? last->dst_host : host,
                     .own = own,
                     .msgno = last->msgno,
                     .bytes = bytes,
                     .post_ps = (tm_ps)last->tag,
                     .at_ps = now};

    g_array_append_val(ob->half, h);
}

static void note_completed(void *self, uint32_t host, uint32_t peer, const struct xp_wc *wc,
                           tm_ps now)
{
    struct observe *ob = self;
    struct half h = {.src = host,
                     .src_qpn = wc->qpn,
                     .dst = peer,
                     .msgno = wc->msgno,
                     .post_ps = (tm_ps)wc->tag,
                     .at_ps = now,
                     .status = wc->status,
                     .sent = true};

    if (ob->messages)
        g_array_append_val(ob->half, h);
    if (ob->completions)
        completions_note(ob->completions, host, peer, wc, now);
    if (ob->trace)
        note_row(ob, now, "cqe", xp_status_name((enum xp_status)wc->status), host, wc->qpn);
}

static void note_received(void *self, uint32_t host, uint32_t peer, const struct xp_wc *wc,
                          tm_ps now)
{
    struct observe *ob = self;

    completions_note(ob->completions, host, peer, wc, now);
}

static int by_message(const void *a, const void *b)
{
    const struct half *x = a, *y = b;

    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    if (x->src_qpn != y->src_qpn)
        return x->src_qpn < y->src_qpn ? -1 : 1;
    if (x->msgno != y->msgno)
        return x->msgno < y->msgno ? -1 : 1;
    if (x->sent != y->sent)
        return x->sent ? 1 : -1;
    return x->at_ps < y->at_ps ? -1 : x->at_ps > y->at_ps;
}

/* Deliveries know the receiving QP; the row of that QP names the sending one. */
static void resolve_senders(struct observe *ob, const struct world *w)
{
    GHashTable *peer = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    uint32_t rows = load_qp_count(w->load);
    struct load_qp_row *row = g_new(struct load_qp_row, rows);

    for (uint32_t i = 0; i < rows; i++) {
        gint64 *key = g_new(gint64, 1);
        load_qp_row(w->load, i, &row[i]);
        *key = (gint64)((uint64_t)row[i].host << 32 | row[i].qpn);
        g_hash_table_insert(peer, key, &row[i]);
    }
    for (guint i = 0; i < ob->half->len; i++) {
        struct half *h = &g_array_index(ob->half, struct half, i);
        gint64 key = (gint64)((uint64_t)h->src << 32 | h->src_qpn);
        const struct load_qp_row *r = h->sent || h->own ? NULL : g_hash_table_lookup(peer, &key);
        if (r) {
            h->src = r->peer;
            h->src_qpn = r->peer_qpn;
        }
    }
    g_hash_table_destroy(peer);
    g_free(row);
}

static bool same_message(const struct half *a, const struct half *b)
{
    return a->src == b->src && a->src_qpn == b->src_qpn && a->msgno == b->msgno;
}

/* One row from the halves [first, end): the first delivery and the last completion. */
static void put_message(struct csv_out *c, const struct half *first, const struct half *end)
{
    const struct half *delivered = first->sent ? NULL : first;
    const struct half *sent = end[-1].sent ? &end[-1] : NULL;

    csv_out_u64(c, first->src);
    csv_out_u64(c, first->dst);
    csv_out_u64(c, first->src_qpn);
    csv_out_u64(c, first->msgno);
    put_time(c, first->post_ps);
    if (delivered) {
        csv_out_u64(c, delivered->bytes);
        put_time(c, delivered->at_ps);
        put_time(c, delivered->at_ps - delivered->post_ps);
    } else {
        for (int i = 0; i < 3; i++)
            csv_out_text(c, "");
    }
    if (sent) {
        put_time(c, sent->at_ps);
        csv_out_u64(c, sent->status);
    } else {
        csv_out_text(c, "");
        csv_out_text(c, "");
    }
    csv_out_end_row(c);
}

static bool write_messages(struct observe *ob, const struct world *w, struct sc_error *err)
{
    static const char *const column[] = {"src",          "dst",   "qp",           "msgno",
                                         "post_us",      "bytes", "delivered_us", "latency_us",
                                         "completed_us", "status"};
    struct csv_out c;
    char *path = g_build_filename(ob->dir, "messages.csv", NULL);
    bool ok = csv_out_open(&c, path, err->text, sizeof err->text);

    g_free(path);
    if (!ok)
        return false;
    resolve_senders(ob, w);
    qsort(ob->half->data, ob->half->len, sizeof(struct half), by_message);
    csv_out_row(&c, column, G_N_ELEMENTS(column));
    const struct half *h = (const struct half *)(void *)ob->half->data, *end = h + ob->half->len;
    while (h < end) {
        const struct half *next = h + 1;
        while (next < end && same_message(h, next))
            next++;
        put_message(&c, h, next);
        h = next;
    }
    return csv_out_commit(&c, err->text, sizeof err->text);
}

/* ---- qps.csv ------------------------------------------------------------------------------------ */

static const char *const qp_columns[] = {"host",
                                         "qp",
                                         "peer",
                                         "service",
                                         "state",
                                         "first_error",
                                         "first_error_wr",
                                         "first_error_us",
                                         "posted",
                                         "succeeded",
                                         "packet_seq_err",
                                         "implied_nak_seq_err",
                                         "rnr_nak_retry_err",
                                         "local_ack_timeout_err",
                                         "roce_adp_retrans",
                                         "out_of_sequence",
                                         "duplicate_request",
                                         "out_of_buffer",
                                         "retransmitted"};

/* What the end's other QP has counted belongs to the end. */
static void add_counts(const struct xp *core, uint32_t qpn, struct xp_qp_counts *to)
{
    struct xp_qp_counts n;
    xp_qp_counts(core, qpn, &n);
    to->out_of_sequence += n.out_of_sequence;
    to->duplicate_request += n.duplicate_request;
    to->out_of_buffer += n.out_of_buffer;
}

static void put_qp(struct csv_out *c, const struct world *w, const struct load_qp_row *r)
{
    const struct xp *core = hca_core(w->hca[r->host]);
    struct xp_qp_query q = {0};
    struct xp_qp_counts n;
    bool there = xp_qp_query(core, r->qpn, &q) == XP_OK;

    xp_qp_counts(core, r->qpn, &n);
    if (r->serving_qpn)
        add_counts(core, r->serving_qpn, &n);
    csv_out_u64(c, r->host);
    csv_out_u64(c, r->qpn);
    csv_out_u64(c, r->peer);
    if (r->is_session) {
        there = true;
        q.state = r->session_state;
    }
    csv_out_text(c, r->is_session ? r->session_service
                    : there       ? xp_service_name(q.service)
                                  : "");
    csv_out_text(c, there ? xp_state_name(q.state) : "destroyed");
    if (r->first_error) {
        csv_out_u64(c, r->first_error);
        csv_out_u64(c, r->first_error_wr);
        put_time(c, r->first_error_ps);
    } else {
        for (int i = 0; i < 3; i++)
            csv_out_text(c, "");
    }
    const uint64_t counter[] = {r->posted,
                                r->succeeded,
                                n.packet_seq_err,
                                n.implied_nak_seq_err,
                                n.rnr_nak_retry_err,
                                n.local_ack_timeout_err,
                                n.roce_adp_retrans,
                                n.out_of_sequence,
                                n.duplicate_request,
                                n.out_of_buffer,
                                n.retransmitted};
    for (size_t i = 0; i < G_N_ELEMENTS(counter); i++)
        csv_out_u64(c, counter[i]);
    csv_out_end_row(c);
}

static bool write_qps(struct observe *ob, const struct world *w, struct sc_error *err)
{
    struct csv_out c;
    char *path = g_build_filename(ob->dir, "qps.csv", NULL);
    bool ok = csv_out_open(&c, path, err->text, sizeof err->text);

    g_free(path);
    if (!ok)
        return false;
    csv_out_row(&c, qp_columns, G_N_ELEMENTS(qp_columns));
    for (uint32_t i = 0; i < load_qp_count(w->load); i++) {
        struct load_qp_row r;
        load_qp_row(w->load, i, &r);
        put_qp(&c, w, &r);
    }
    return csv_out_commit(&c, err->text, sizeof err->text);
}

/* ---- life -------------------------------------------------------------------------------------- */

struct observe *observe_new(const struct run_options *o, enum wire_encap encap, struct sc_error *err)
{
    struct observe *ob = g_new0(struct observe, 1);

    ob->dir = g_strdup(o->dir ? o->dir : "");
    ob->messages = o->dir && o->messages;
    ob->qps = o->dir && o->qps;
    ob->trace = o->dir && o->trace;
    ob->half = g_array_new(FALSE, FALSE, sizeof(struct half));
    ob->completions = o->dir && o->completions ? completions_new() : NULL;
    ob->fab_tap = (struct fab_tap){note_packet, ob};
    ob->hca_tap =
        (struct hca_tap){ob->messages ? note_delivered : NULL, ob->trace ? note_core : NULL, ob};
    if (ob->trace) {
        char *path = g_build_filename(ob->dir, "packets.csv", NULL);
        ob->packets_open = csv_out_open(&ob->packets, path, err->text, sizeof err->text);
        g_free(path);
        if (!ob->packets_open) {
            observe_free(ob);
            return NULL;
        }
        csv_out_row(&ob->packets, packet_columns, G_N_ELEMENTS(packet_columns));
    }
    if (o->pcap) {
        ob->capture = capture_new(o->pcap, encap, err->text, sizeof err->text);
        if (!ob->capture) {
            observe_free(ob);
            return NULL;
        }
    }
    return ob;
}

void observe_free(struct observe *ob)
{
    if (ob->packets_open)
        csv_out_drop(&ob->packets);
    if (ob->capture)
        capture_drop(ob->capture);
    g_array_free(ob->half, TRUE);
    completions_free(ob->completions);
    g_free(ob->dir);
    g_free(ob);
}

const struct fab_tap *observe_fab_tap(struct observe *ob)
{
    return ob->trace || ob->capture ? &ob->fab_tap : NULL;
}

const struct hca_tap *observe_hca_tap(struct observe *ob)
{
    return ob->trace || ob->messages ? &ob->hca_tap : NULL;
}

void observe_load(struct observe *ob, struct load_env *env)
{
    if (!ob->messages && !ob->trace && !ob->completions)
        return;
    env->completed = note_completed;
    env->received = ob->completions ? note_received : NULL;
    env->delivered = ob->messages ? note_delivered : NULL;
    env->self = ob;
}

bool observe_finish(struct observe *ob, const struct world *w, struct sc_error *err)
{
    if (ob->packets_open) {
        ob->packets_open = false;
        if (!csv_out_commit(&ob->packets, err->text, sizeof err->text))
            return false;
    }
    struct capture *capture = ob->capture;
    ob->capture = NULL;
    if (capture && !capture_commit(capture, err->text, sizeof err->text))
        return false;
    if (ob->messages && !write_messages(ob, w, err))
        return false;
    if (ob->completions && !completions_write(ob->completions, ob->dir, err))
        return false;
    return !ob->qps || write_qps(ob, w, err);
}
