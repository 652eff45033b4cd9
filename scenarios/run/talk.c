/*
 * Who talks to whom.
 */
#include "scenarios/run/talk.h"

#include <stdlib.h>
#include <string.h>

#include "models/wire/op.h"

struct talk *talk_new(void)
{
    struct talk *t = g_new0(struct talk, 1);

    t->item = g_array_new(FALSE, FALSE, sizeof(struct talk_item));
    t->host = g_ptr_array_new();
    t->text = g_string_chunk_new(4096);
    return t;
}

void talk_free(struct talk *t)
{
    if (!t)
        return;
    g_array_free(t->item, TRUE);
    g_ptr_array_free(t->host, TRUE);
    g_string_chunk_free(t->text);
    g_free(t);
}

static bool find_host(const struct talk *t, const char *name, uint32_t *out)
{
    for (guint i = 0; i < t->host->len; i++)
        if (strcmp(t->host->pdata[i], name) == 0) {
            *out = i;
            return true;
        }
    return false;
}

uint32_t talk_host(struct talk *t, const char *name)
{
    uint32_t i;

    if (find_host(t, name, &i))
        return i;
    g_ptr_array_add(t->host, g_string_chunk_insert(t->text, name));
    return t->host->len - 1;
}

struct talk_item *talk_add(struct talk *t, const struct talk_item *item)
{
    g_array_append_val(t->item, *item);
    return talk_at(t, t->item->len - 1);
}

struct talk_item *talk_at(const struct talk *t, uint32_t i)
{
    return &g_array_index(t->item, struct talk_item, i);
}

/* ---- which two ends ------------------------------------------------------------------------------ */

/* Packets of one direction: from a host to a QP of another. */
struct flow {
    uint32_t host, peer, qp;
    uint32_t packets;
};

static bool is_packet(const struct talk_item *i) { return i->row.kind == LADDER_PACKET; }

static bool fits(struct talk_end want, uint32_t host, uint32_t qp)
{
    return (want.host == TALK_NOBODY || want.host == host) &&
           (want.qp == 0 || qp == 0 || want.qp == qp);
}

/* May the packet go from a to b?  A packet does not tell the QP that it comes from. */
static bool may_be(const struct talk_item *i, struct talk_end a, struct talk_end b)
{
    return is_packet(i) && fits(a, i->host, i->src_qp) && fits(b, i->peer, i->qp);
}

static int by_flow(const void *a, const void *b)
{
    const struct flow *x = a, *y = b;
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    if (x->peer != y->peer)
        return x->peer < y->peer ? -1 : 1;
    return x->qp < y->qp ? -1 : x->qp > y->qp;
}

/* All directions, sorted. */
static GArray *find_flows(const struct talk *t)
{
    GArray *flow = g_array_new(FALSE, FALSE, sizeof(struct flow));

    for (guint i = 0; i < t->item->len; i++) {
        const struct talk_item *it = talk_at(t, i);
        struct flow f = {it->host, it->peer, it->qp, 1};
        if (is_packet(it))
            g_array_append_val(flow, f);
    }
    qsort(flow->data, flow->len, sizeof(struct flow), by_flow);
    guint kept = 0;
    for (guint i = 0; i < flow->len; i++) {
        struct flow *f = &g_array_index(flow, struct flow, i);
        struct flow *last = kept ? &g_array_index(flow, struct flow, kept - 1) : NULL;
        if (last && by_flow(last, f) == 0)
            last->packets++;
        else
            g_array_index(flow, struct flow, kept++) = *f;
    }
    g_array_set_size(flow, kept);
    return flow;
}

/* What a direction shows of the QP that it comes from. */
struct traces {
    GHashTable *psn;  /* (PSN, is it an answer) */
    GHashTable *time; /* when packets left */
    GHashTable *back; /* when timers of the QP that it goes to were set */
};

static gpointer psn_key(const struct talk_item *i, bool swap)
{
    const struct wire_op_row *op = wire_op_row(i->row.h.opcode);
    bool answer = op && op->response;
    return GUINT_TO_POINTER((i->row.h.psn.v << 1 | (answer != swap)) + 1);
}

static bool is_of(const struct talk_item *i, const struct flow *f)
{
    return is_packet(i) && i->host == f->host && i->peer == f->peer && i->qp == f->qp;
}

static struct traces find_traces(const struct talk *t, const struct flow *f)
{
    struct traces s = {g_hash_table_new(NULL, NULL), g_hash_table_new(g_int64_hash, g_int64_equal),
                       g_hash_table_new(g_int64_hash, g_int64_equal)};

    for (guint i = 0; i < t->item->len; i++) {
        struct talk_item *it = talk_at(t, i);
        if (it->row.kind == LADDER_TIMER_SET && it->host == f->peer && it->qp == f->qp)
            g_hash_table_add(s.back, &it->row.at);
        if (!is_of(it, f))
            continue;
        g_hash_table_add(s.psn, psn_key(it, false));
        g_hash_table_add(s.time, &it->row.at);
    }
    return s;
}

#define TIMER_SPEAKS (UINT64_C(1) << 20)

/*
 * How much an item speaks for its QP as the one that f comes from: timers above PSNs.  A
 * timer is set when a packet leaves: one of f, or, of the QP that f goes to, one of the way back.
 */
static uint64_t evidence(const struct traces *s, const struct talk_item *it)
{
    if (is_packet(it))
        return g_hash_table_contains(s->psn, psn_key(it, true)) +
               (g_hash_table_contains(s->back, &it->row.at) ? TIMER_SPEAKS : 0);
    return it->row.kind == LADDER_TIMER_SET && g_hash_table_contains(s->time, &it->row.at)
               ? TIMER_SPEAKS
               : 0;
}

/* May the QP of this item be the one that f comes from? */
static bool is_candidate(const struct flow *f, const struct talk_item *it)
{
    return is_packet(it) ? it->host == f->peer && it->peer == f->host : it->host == f->host;
}

static uint32_t infer_sender(const struct talk *t, const struct flow *f)
{
    struct traces s = find_traces(t, f);
    GHashTable *score = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    uint64_t most = 0;
    uint32_t best = 0;

    for (guint i = 0; i < t->item->len; i++) {
        const struct talk_item *it = talk_at(t, i);
        if (!is_candidate(f, it))
            continue;
        uint64_t *n = g_hash_table_lookup(score, GUINT_TO_POINTER(it->qp));
        if (!n) {
            n = g_new0(uint64_t, 1);
            g_hash_table_insert(score, GUINT_TO_POINTER(it->qp), n);
        }
        *n += 1 + 2 * evidence(&s, it);
        /* Of equals the one with the number of the peer's QP: what sets up in step numbers in step. */
        if (*n > most || (*n == most && it->qp == f->qp)) {
            most = *n;
            best = it->qp;
        }
    }
    g_hash_table_destroy(score);
    g_hash_table_destroy(s.psn);
    g_hash_table_destroy(s.time);
    g_hash_table_destroy(s.back);
    return best;
}

/* The QP that the first DETH names, if there is one; else what the traces say. */
static uint32_t sender_of(const struct talk *t, const struct flow *f)
{
    for (guint i = 0; i < t->item->len; i++)
        if (is_of(talk_at(t, i), f) && talk_at(t, i)->src_qp)
            return talk_at(t, i)->src_qp;
    return infer_sender(t, f);
}

/* May the direction be from end e to the other? */
static bool flow_fits(const struct talk *t, const struct flow *f, const struct talk_end end[2],
                      unsigned e)
{
    return f->host != f->peer && fits(end[e], f->host, 0) && fits(end[!e], f->peer, f->qp) &&
           (end[e].qp == 0 || sender_of(t, f) == end[e].qp);
}

/* The busiest direction that may be from one of the ends to the other; *from tells which. */
static const struct flow *busiest(const struct talk *t, const GArray *flow,
                                  const struct talk_end end[2], unsigned *from)
{
    const struct flow *best = NULL;

    for (guint i = 0; i < flow->len; i++) {
        const struct flow *f = &g_array_index(flow, struct flow, i);
        for (unsigned e = 0; e < 2; e++)
            if ((!best || f->packets > best->packets) && flow_fits(t, f, end, e)) {
                best = f;
                *from = e;
            }
    }
    return best;
}

bool talk_pick(const struct talk *t, struct talk_end end[2])
{
    GArray *flow = find_flows(t);
    unsigned from = 0;
    const struct flow *f = busiest(t, flow, end, &from);

    if (f) {
        bool free_choice = end[0].host == TALK_NOBODY && end[1].host == TALK_NOBODY;
        uint32_t sender = end[from].qp ? end[from].qp : sender_of(t, f);
        struct talk_end a = {f->host, sender}, b = {f->peer, f->qp};
        end[from] = a;
        end[!from] = b;
        if (free_choice && end[0].host > end[1].host) {
            struct talk_end first = end[1];
            end[1] = end[0];
            end[0] = first;
        }
    }
    g_array_free(flow, TRUE);
    return f != NULL;
}

/* ---- ends as text -------------------------------------------------------------------------------- */

bool talk_end_parse(const struct talk *t, const char *text, struct talk_end *out, char *err,
                    uint32_t err_size)
{
    const char *slash = strchr(text, '/');
    char *name = slash ? g_strndup(text, (gsize)(slash - text)) : g_strdup(text);
    guint64 qp = 0;

    *out = (struct talk_end){TALK_NOBODY, 0};
    bool ok = !slash || g_ascii_string_to_unsigned(slash + 1, 10, 1, 0xffffff, &qp, NULL);
    if (!ok)
        g_snprintf(err, err_size,
                   "'%s': a QP number from 1 to 16777215 was expected behind the '/'", text);
    else if (*name && !find_host(t, name, &out->host)) {
        g_snprintf(err, err_size, "'%s': no packet of a host '%s' is there", text, name);
        ok = false;
    }
    out->qp = (uint32_t)qp;
    g_free(name);
    return ok;
}

char *talk_end_name(const struct talk *t, struct talk_end e)
{
    const char *host = t->host->pdata[e.host];
    return e.qp ? g_strdup_printf("%s QP %u", host, e.qp) : g_strdup(host);
}

/* ---- rows ---------------------------------------------------------------------------------------- */

/* Which of the two ends a row belongs to; 2: to neither. */
static unsigned end_of(const struct talk_item *i, const struct talk_end end[2])
{
    for (unsigned e = 0; e < 2; e++) {
        if (is_packet(i) && may_be(i, end[e], end[!e]))
            return e;
        if (!is_packet(i) && i->host == end[e].host && i->qp == end[e].qp)
            return e;
    }
    return 2;
}

static bool is_setup(const struct ladder_row *r)
{
    static const char *const state[] = {"RESET", "INIT", "RTR", "RTS"};

    for (size_t i = 0; i < G_N_ELEMENTS(state); i++)
        if (r->kind == LADDER_STATE && strcmp(r->text, state[i]) == 0)
            return true;
    return false;
}

/* A timer that was set again, or never fired, explains nothing. */
static bool fires(const GArray *row, guint i)
{
    const struct ladder_row *set = &g_array_index(row, struct ladder_row, i);

    for (guint k = i + 1; k < row->len; k++) {
        const struct ladder_row *r = &g_array_index(row, struct ladder_row, k);
        if (r->end == set->end && (r->kind == LADDER_TIMER_SET || r->kind == LADDER_TIMER_FIRED))
            return r->kind == LADDER_TIMER_FIRED;
    }
    return false;
}

static void drop_idle_timers(GArray *row)
{
    guint kept = 0;
    for (guint i = 0; i < row->len; i++) {
        const struct ladder_row *r = &g_array_index(row, struct ladder_row, i);
        if (r->kind != LADDER_TIMER_SET || fires(row, i))
            g_array_index(row, struct ladder_row, kept++) = *r;
    }
    g_array_set_size(row, kept);
}

/* An RNR NAK that arrives at this very time starts the RNR timer, everything else the ACK timer. */
static const char *timer_name(const GArray *row, const struct ladder_row *set)
{
    for (guint k = row->len; k-- > 0;) {
        const struct ladder_row *r = &g_array_index(row, struct ladder_row, k);
        if (r->kind == LADDER_PACKET && r->end != set->end && ladder_is_rnr(&r->h) &&
            r->fate == LADDER_ARRIVED && r->until == set->at)
            return "RNR timer";
    }
    return "ACK timer";
}

static void name_timers(GArray *row)
{
    const char *name[2] = {"timer", "timer"};

    for (guint i = 0; i < row->len; i++) {
        struct ladder_row *r = &g_array_index(row, struct ladder_row, i);
        if (r->kind == LADDER_TIMER_SET)
            name[r->end] = timer_name(row, r);
        if (r->kind == LADDER_TIMER_SET || r->kind == LADDER_TIMER_FIRED)
            r->text = name[r->end];
    }
}

static bool same_event(const struct ladder_row *a, const struct ladder_row *b)
{
    return a->kind == b->kind && a->kind != LADDER_PACKET && a->at == b->at && a->end == b->end &&
           g_strcmp0(a->text, b->text) == 0;
}

static void count_equal(const struct talk *t, GArray *row)
{
    guint kept = 0, i = 0;
    while (i < row->len) {
        struct ladder_row r = g_array_index(row, struct ladder_row, i);
        guint n = 1;
        while (i + n < row->len && same_event(&r, &g_array_index(row, struct ladder_row, i + n)))
            n++;
        if (n > 1 && r.text) {
            char *text = g_strdup_printf("%s, %u times", r.text, n);
            r.text = g_string_chunk_insert(t->text, text);
            g_free(text);
        }
        g_array_index(row, struct ladder_row, kept++) = r;
        i += n;
    }
    g_array_set_size(row, kept);
}

GArray *talk_rows(const struct talk *t, const struct talk_end end[2])
{
    GArray *row = g_array_new(FALSE, FALSE, sizeof(struct ladder_row));

    for (guint i = 0; i < t->item->len; i++) {
        struct ladder_row r = talk_at(t, i)->row;
        unsigned e = end_of(talk_at(t, i), end);
        if (e == 2 || is_setup(&r))
            continue;
        r.end = (uint8_t)e;
        g_array_append_val(row, r);
    }
    drop_idle_timers(row);
    name_timers(row);
    count_equal(t, row);
    return row;
}
