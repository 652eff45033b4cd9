/*
 * packets.csv as talk: what a packet's rows (send, arrive, drop, on every link of its way) say of it
 * becomes one item.
 *
 * A row does not name its packet.  A packet on the way is known by its headers and by the link or switch
 * where it was seen last; of several alike the one that came first goes on first, as links are FIFO.
 */
#include <string.h>

#include "models/wire/text.h"
#include "scenarios/run/csv_in.h"
#include "scenarios/run/talk.h"

enum column {
    T_US,
    KIND,
    WHERE,
    REASON,
    HOST,
    QP,
    OPCODE,
    PSN,
    ACKREQ,
    PAYLEN,
    SYNDROME,
    MSN,
    DMALEN,
    DQPN,
    RETRANSMIT,
    DST,
    COLUMNS
};

static const char *const column_name[COLUMNS] = {
    "t_us",   "kind",   "where",    "reason", "host",   "qp",   "opcode",     "psn",
    "ackreq", "paylen", "syndrome", "msn",    "dmalen", "dqpn", "retransmit", "dst"};

/* A packet between its leaving and its end. */
struct flight {
    guint item;
    char at[32]; /* the link it is on, or the node it has reached */
    bool on_link;
};

struct reading {
    const struct csv_table *csv;
    uint32_t column[COLUMNS];
    uint32_t row;
    guint arrived; /* item of the packet that reached its host last */
    struct talk *talk;
    GArray *flight;
};

static const char *cell(const struct reading *r, enum column c)
{
    return csv_table_at(r->csv, r->row, r->column[c]);
}

static uint32_t number(const struct reading *r, enum column c)
{
    return (uint32_t)g_ascii_strtoull(cell(r, c), NULL, 10);
}

/* "0.088480": microseconds with up to six decimals. */
static tm_ps time_of(const char *text)
{
    char *end;
    tm_ps t = g_ascii_strtoll(text, &end, 10) * TM_US, unit = TM_US;
    if (*end == '.')
        while (g_ascii_isdigit(*++end) && unit > 1)
            t += (*end - '0') * (unit /= 10);
    return t;
}

/* ---- packets --------------------------------------------------------------------------------------- */

static struct wire_hdr headers_of(const struct reading *r)
{
    struct wire_hdr h = {0};
    uint8_t syndrome = 0;

    if (!wire_opcode_parse(cell(r, OPCODE), &h.opcode))
        h.opcode.v = (uint8_t)g_ascii_strtoull(cell(r, OPCODE), NULL, 0);
    h.psn.v = number(r, PSN) & 0xffffff;
    h.flags = number(r, ACKREQ) ? WIRE_ACKREQ : 0;
    h.payload_bytes = (uint16_t)number(r, PAYLEN);
    if (wire_syndrome_parse(cell(r, SYNDROME), &syndrome))
        h.syndrome = syndrome;
    h.msn = number(r, MSN);
    h.dmalen = number(r, DMALEN);
    h.dest_qp = number(r, DQPN);
    return h;
}

static uint32_t host_of(const struct reading *r, enum column c)
{
    char *name = g_strdup_printf("h%s", cell(r, c));
    uint32_t host = talk_host(r->talk, name);
    g_free(name);
    return host;
}

static void depart(struct reading *r, bool copy)
{
    struct talk_item item = {
        .host = host_of(r, HOST), .peer = host_of(r, DST), .qp = number(r, DQPN)};
    struct flight f = {.item = r->talk->item->len, .on_link = true};

    item.src_qp = item.qp == 1 ? 1 : 0; /* QP 1 hears of no QP but another host's QP 1 */
    item.row = (struct ladder_row){.at = time_of(cell(r, T_US)),
                                   .h = headers_of(r),
                                   .kind = LADDER_PACKET,
                                   .fate = LADDER_ON_THE_WAY,
                                   .text = copy ? "a copy" : NULL,
                                   .again = number(r, RETRANSMIT) != 0};
    talk_add(r->talk, &item);
    g_strlcpy(f.at, cell(r, WHERE), sizeof f.at);
    g_array_append_val(r->flight, f);
}

/* Rules may rewrite headers under way: a packet that looks the same is best, the oldest will do. */
static bool find_flight(const struct reading *r, const char *at, bool on_link, guint *out)
{
    struct wire_hdr h = headers_of(r);
    uint32_t host = host_of(r, HOST);
    bool found = false;

    for (guint i = 0; i < r->flight->len; i++) {
        const struct flight *f = &g_array_index(r->flight, struct flight, i);
        const struct talk_item *it = talk_at(r->talk, f->item);
        if (f->on_link != on_link || strcmp(f->at, at) != 0 || it->host != host)
            continue;
        bool same = it->row.h.opcode.v == h.opcode.v && it->row.h.psn.v == h.psn.v &&
                    it->row.h.dest_qp == h.dest_qp && it->row.h.syndrome == h.syndrome;
        if (!found || same)
            *out = i;
        found = true;
        if (same)
            break;
    }
    return found;
}

/* "h0-s0": its sending or its receiving end. */
static char *node_of(const char *link, bool far)
{
    const char *dash = strchr(link, '-');
    return !dash ? g_strdup(link)
           : far ? g_strdup(dash + 1)
                 : g_strndup(link, (gsize)(dash - link));
}

static void note_send(struct reading *r)
{
    const char *link = cell(r, WHERE);
    char *node = node_of(link, false);
    guint i;

    if (node[0] != 's')
        depart(r, false);
    else if (find_flight(r, node, false, &i)) {
        struct flight *f = &g_array_index(r->flight, struct flight, i);
        g_strlcpy(f->at, link, sizeof f->at);
        f->on_link = true;
    }
    g_free(node);
}

static const char *reason_words(const char *reason)
{
    static const char *const words[][2] = {{"loss", ""},
                                           {"buffer", "buffer full"},
                                           {"inject", "by a rule"},
                                           {"icrc", "wrong ICRC"},
                                           {"link_down", "link down"}};
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (strcmp(words[i][0], reason) == 0)
            return words[i][1];
    return reason;
}

static void end_flight(struct reading *r, guint i, enum ladder_fate fate)
{
    struct ladder_row *row =
        &talk_at(r->talk, g_array_index(r->flight, struct flight, i).item)->row;
    const char *why = reason_words(cell(r, REASON));

    row->until = time_of(cell(r, T_US));
    row->fate = (uint8_t)fate;
    r->arrived = g_array_index(r->flight, struct flight, i).item;
    if (*why)
        row->text = g_string_chunk_insert_const(r->talk->text, why);
    g_array_remove_index(r->flight, i);
}

static void note_arrive(struct reading *r)
{
    char *node = node_of(cell(r, WHERE), true);
    guint i;

    if (find_flight(r, cell(r, WHERE), true, &i)) {
        struct flight *f = &g_array_index(r->flight, struct flight, i);
        if (node[0] != 's')
            end_flight(r, i, LADDER_ARRIVED);
        else {
            g_strlcpy(f->at, node, sizeof f->at);
            f->on_link = false;
        }
    }
    g_free(node);
}

static void note_drop(struct reading *r)
{
    bool reached = strcmp(cell(r, REASON), "icrc") == 0;
    guint i;

    if (find_flight(r, cell(r, WHERE), true, &i))
        end_flight(r, i, reached ? LADDER_SPOILED : LADDER_LOST);
}

static void note_copy(struct reading *r) { depart(r, true); }

/* ---- what happens at an end -------------------------------------------------------------------------- */

static struct talk_item local(struct reading *r, enum ladder_kind kind, const char *text)
{
    struct talk_item i = {.host = host_of(r, HOST), .peer = TALK_NOBODY, .qp = number(r, QP)};
    i.row = (struct ladder_row){.at = time_of(cell(r, T_US)),
                                .kind = (uint8_t)kind,
                                .text = g_string_chunk_insert_const(r->talk->text, text)};
    return i;
}

static void note_done(struct reading *r)
{
    char *text = g_strconcat("completion: ", cell(r, REASON), NULL);
    struct talk_item i = local(r, LADDER_DONE, text);
    i.row.bad = strcmp(cell(r, REASON), "SUCCESS") != 0;
    talk_add(r->talk, &i);
    g_free(text);
}

static void note_timer_set(struct reading *r)
{
    struct talk_item i = local(r, LADDER_TIMER_SET, "timer");
    i.row.until = time_of(cell(r, REASON));
    talk_add(r->talk, &i);
}

/* A cause whose row stands behind the packets that it had sent again goes before them. */
static void insert_cause(struct reading *r, const struct talk_item *cause)
{
    guint at = r->talk->item->len;

    while (at > 0) {
        const struct talk_item *before = talk_at(r->talk, at - 1);
        if (before->row.at != cause->row.at || before->host != cause->host || !before->row.again)
            break;
        at--;
    }
    g_array_insert_val(r->talk->item, at, *cause);
    r->arrived += r->arrived >= at && r->arrived != UINT_MAX;
    for (guint k = 0; k < r->flight->len; k++) {
        struct flight *f = &g_array_index(r->flight, struct flight, k);
        f->item += f->item >= at;
    }
}

static void note_timer_fired(struct reading *r)
{
    struct talk_item i = local(r, LADDER_TIMER_FIRED, "timer");
    insert_cause(r, &i);
}

static void note_state(struct reading *r)
{
    struct talk_item i = local(r, LADDER_STATE, cell(r, REASON));
    talk_add(r->talk, &i);
}

static void note_retry(struct reading *r)
{
    const char *psn = cell(r, REASON);
    char *text =
        g_strdup_printf("goes back to PSN%s", g_str_has_prefix(psn, "psn") ? psn + 3 : psn);
    struct talk_item i = local(r, LADDER_NOTE, text);

    insert_cause(r, &i);
    g_free(text);
}

/* It is said of the packet that has just arrived there, if there is one. */
static void note_refused(struct reading *r)
{
    char *text = g_strdelimit(g_strdup_printf("refused: %s", cell(r, REASON)), "_", ' ');
    struct talk_item i = local(r, LADDER_NOTE, text);
    struct talk_item *last = r->arrived < r->talk->item->len ? talk_at(r->talk, r->arrived) : NULL;

    if (last && last->peer == i.host && last->row.until == i.row.at && !last->row.text)
        last->row.text = i.row.text;
    else
        talk_add(r->talk, &i);
    g_free(text);
}

static const struct {
    const char *kind;
    void (*note)(struct reading *r);
} notes[] = {{"send", note_send},   {"arrive", note_arrive},
             {"drop", note_drop},   {"dup", note_copy},
             {"cqe", note_done},    {"timer_set", note_timer_set},
             {"state", note_state}, {"timer_fire", note_timer_fired},
             {"retry", note_retry}, {"refused", note_refused}};

static void read_row(struct reading *r)
{
    for (size_t i = 0; i < G_N_ELEMENTS(notes); i++)
        if (strcmp(cell(r, KIND), notes[i].kind) == 0)
            notes[i].note(r);
}

static bool find_columns(struct reading *r, char *err, uint32_t err_size)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        int at = csv_table_find(r->csv, column_name[i]);
        if (at < 0) {
            g_snprintf(err, err_size,
                       "%s: has no column '%s'; is it a packets.csv of this version?", r->csv->path,
                       column_name[i]);
            return false;
        }
        r->column[i] = (uint32_t)at;
    }
    return true;
}

struct talk *talk_from_trace(const char *path, char *err, uint32_t err_size)
{
    struct csv_table *csv = csv_table_read(path, err, err_size);
    struct reading r = {.csv = csv, .arrived = UINT_MAX};

    if (!csv)
        return NULL;
    if (find_columns(&r, err, err_size)) {
        r.talk = talk_new();
        r.flight = g_array_new(FALSE, FALSE, sizeof(struct flight));
        for (r.row = 0; r.row < csv->rows; r.row++)
            read_row(&r);
        g_array_free(r.flight, TRUE);
    }
    csv_table_free(csv);
    return r.talk;
}
