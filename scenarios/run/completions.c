/*
 * Rows of completions.csv.  A cell is empty where verbs leave the field undefined: byte_len of
 * requests and of errors, imm without an immediate.
 */
#include "scenarios/run/completions.h"

#include <glib.h>
#include <stdlib.h>

#include "scenarios/run/csv_out.h"
#include "scenarios/run/metrics.h"

struct row {
    tm_ps at_ps;
    uint32_t host, peer, order;
    struct xp_wc wc;
};

struct completions {
    GArray *row; /* struct row */
};

static const char *const columns[] = {"t_us", "host",   "qp",          "peer",     "queue", "wr_id",
                                      "op",   "status", "status_name", "byte_len", "imm"};

static const char *const op_names[] = {
    [XP_WC_SEND] = "SEND",     [XP_WC_WRITE] = "WRITE", [XP_WC_READ] = "READ",
    [XP_WC_ATOMIC] = "ATOMIC", [XP_WC_RECV] = "RECV",   [XP_WC_RECV_WRITE_IMM] = "RECV_WRITE_IMM",
    [XP_WC_BIND_MW] = "BIND_MW",   [XP_WC_LOCAL_INV] = "LOCAL_INV"};

const char *const *completions_columns(uint32_t *count)
{
    *count = G_N_ELEMENTS(columns);
    return columns;
}

struct completions *completions_new(void)
{
    struct completions *c = g_new0(struct completions, 1);

    c->row = g_array_new(FALSE, FALSE, sizeof(struct row));
    return c;
}

void completions_free(struct completions *c)
{
    if (!c)
        return;
    g_array_free(c->row, TRUE);
    g_free(c);
}

void completions_note(struct completions *c, uint32_t host, uint32_t peer, const struct xp_wc *wc,
                      tm_ps now)
{
    struct row r = {.at_ps = now, .host = host, .peer = peer, .order = c->row->len, .wc = *wc};

    g_array_append_val(c->row, r);
}

static int by_time(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->at_ps != y->at_ps)
        return x->at_ps < y->at_ps ? -1 : 1;
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    if (x->wc.qpn != y->wc.qpn)
        return x->wc.qpn < y->wc.qpn ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void put_if(struct csv_out *c, bool is_there, uint64_t cell)
{
    if (is_there)
        csv_out_u64(c, cell);
    else
        csv_out_text(c, "");
}

static void put_row(struct csv_out *c, const struct row *r)
{
    const struct xp_wc *wc = &r->wc;
    bool recv = wc->op == XP_WC_RECV || wc->op == XP_WC_RECV_WRITE_IMM;
    bool good = wc->status == XP_WC_SUCCESS;
    char time[32];

    metric_text_micro(r->at_ps, time, sizeof time);
    csv_out_text(c, time);
    csv_out_u64(c, r->host);
    csv_out_u64(c, wc->qpn);
    csv_out_u64(c, r->peer);
    csv_out_text(c, recv ? "recv" : "send");
    csv_out_u64(c, wc->wr_id);
    csv_out_text(c, op_names[wc->op]);
    csv_out_u64(c, wc->status);
    csv_out_text(c, xp_status_name((enum xp_status)wc->status));
    put_if(c, recv && good, wc->byte_len);
    put_if(c, recv && good && (wc->flags & XP_WC_WITH_IMM), wc->imm);
    csv_out_end_row(c);
}

bool completions_write(struct completions *c, const char *dir, struct sc_error *err)
{
    struct csv_out out;
    char *path = g_build_filename(dir, "completions.csv", NULL);
    bool ok = csv_out_open(&out, path, err->text, sizeof err->text);

    g_free(path);
    if (!ok)
        return false;
    if (c->row->len)
        qsort(c->row->data, c->row->len, sizeof(struct row), by_time);
    csv_out_row(&out, columns, G_N_ELEMENTS(columns));
    for (guint i = 0; i < c->row->len; i++)
        put_row(&out, &g_array_index(c->row, struct row, i));
    return csv_out_commit(&out, err->text, sizeof err->text);
}
