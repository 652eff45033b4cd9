/*
 * What is drawn of a ladder, and how things are called.
 *
 * Names of operations come from the table of the wire, so that nothing here lists opcodes.
 */
#include "analysis/ladder_part.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "models/wire/text.h"

/* IBA table 45, in units of 10 us; code 0 is 655.36 ms. */
static const uint32_t rnr_units[32] = {65536, 1,    2,    3,     4,     6,     8,     12,
                                       16,    24,   32,   48,    64,    96,    128,   192,
                                       256,   384,  512,  768,   1024,  1536,  2048,  3072,
                                       4096,  6144, 8192, 12288, 16384, 24576, 32768, 49152};

tm_ps ladder_rnr_wait_ps(unsigned code) { return rnr_units[code & 31] * 10 * TM_US; }

bool ladder_is_rnr(const struct wire_hdr *h)
{
    return (wire_headers_of(h->opcode).set & HDR_AETH) && aeth_kind(h->syndrome) == AETH_RNR;
}

void ladder_time_text(tm_ps t, char out[32])
{
    g_snprintf(out, 32, "%lld.%03lld", (long long)(t / TM_US), (long long)(t % TM_US / TM_NS));
}

void ladder_length_text(tm_ps t, char out[32])
{
    static const struct {
        tm_ps unit;
        const char *name;
    } scale[] = {{TM_S, "s"}, {TM_MS, "ms"}, {TM_US, "us"}};
    size_t i = 0;

    while (i + 1 < G_N_ELEMENTS(scale) && t < scale[i].unit)
        i++;
    tm_ps whole = t / scale[i].unit;
    tm_ps thousandths = t % scale[i].unit / (scale[i].unit / 1000);
    g_snprintf(out, 32, "%lld.%03lld %s", (long long)whole, (long long)thousandths, scale[i].name);
}

/* ---- words --------------------------------------------------------------------------------------- */

static const char *nak_words(unsigned code)
{
    static const char *const words[] = {[NAK_PSN_SEQ] = "PSN sequence error",
                                        [NAK_INV_REQ] = "invalid request",
                                        [NAK_REM_ACCESS] = "remote access error",
                                        [NAK_REM_OP] = "remote operational error",
                                        [NAK_INV_RD] = "invalid RD request"};
    return code < G_N_ELEMENTS(words) ? words[code] : NULL;
}

/* Two parts, so that a PSN can stand between them: "RNR NAK", " 0.64 ms". */
static void aeth_parts(uint8_t syndrome, char head[16], char tail[64])
{
    unsigned low = aeth_low5(syndrome);

    *tail = 0;
    switch (aeth_kind(syndrome)) {
    case AETH_ACK:
        g_strlcpy(head, "ACK", 16);
        if (low != AETH_CREDIT_NONE)
            g_snprintf(tail, 64, ", credits code %u", low);
        break;
    case AETH_RNR: {
        tm_ps hundredths = ladder_rnr_wait_ps(low) / (10 * TM_US);
        g_strlcpy(head, "RNR NAK", 16);
        g_snprintf(tail, 64, " %lld.%02lld ms", (long long)(hundredths / 100),
                   (long long)(hundredths % 100));
        break;
    }
    case AETH_RESERVED:
        g_strlcpy(head, "AETH", 16);
        g_snprintf(tail, 64, " reserved %u", low);
        break;
    case AETH_NAK:
        g_strlcpy(head, "NAK", 16);
        if (nak_words(low))
            g_snprintf(tail, 64, " %s", nak_words(low));
        else
            g_snprintf(tail, 64, " reserved %u", low);
        break;
    }
}

void ladder_aeth_words(uint8_t syndrome, char out[LADDER_WORDS_MAX])
{
    char head[16], tail[64];

    aeth_parts(syndrome, head, tail);
    g_snprintf(out, LADDER_WORDS_MAX, "%s%s", head, tail);
}

static void add(char out[LADDER_WORDS_MAX], const char *format, ...) G_GNUC_PRINTF(2, 3);
static void add(char out[LADDER_WORDS_MAX], const char *format, ...)
{
    size_t len = strlen(out);
    va_list args;

    va_start(args, format);
    g_vsnprintf(out + len, LADDER_WORDS_MAX - len, format, args);
    va_end(args);
}

void ladder_words(const struct wire_hdr *h, char out[LADDER_WORDS_MAX])
{
    const struct wire_op_row *op = wire_op_row(h->opcode);
    uint16_t set = wire_headers_of(h->opcode).set;
    char head[16] = "", tail[64] = "";

    *out = 0;
    if (set & HDR_AETH)
        aeth_parts(h->syndrome, head, tail);
    if (op && op->cls == CLASS_ACK)
        add(out, "%s %u%s", head, h->psn.v, tail);
    else if (op)
        add(out, "%s %u", op->name, h->psn.v);
    else
        add(out, "opcode 0x%02x %u", h->opcode.v, h->psn.v);
    if (op && op->cls == CLASS_READ)
        add(out, " of %u B", h->dmalen);
    if (h->payload_bytes && op && op->payload)
        add(out, ", %u B", h->payload_bytes);
    if (h->flags & WIRE_ACKREQ)
        add(out, ", AckReq");
    if ((set & HDR_AETH) && op && op->cls != CLASS_ACK && aeth_kind(h->syndrome) != AETH_ACK)
        add(out, ", %s%s", head, tail);
    if (set & HDR_AETH)
        add(out, ", MSN %u", h->msn);
}

static const char *fate_word(const struct ladder_row *r)
{
    switch ((enum ladder_fate)r->fate) {
    case LADDER_ARRIVED:
        return NULL;
    case LADDER_LOST:
        return "lost";
    case LADDER_SPOILED:
        return "spoiled";
    case LADDER_ON_THE_WAY:
        return "on the way at the end";
    }
    return NULL;
}

bool ladder_fate_words(const struct ladder_row *r, char out[LADDER_WORDS_MAX])
{
    const char *fate = fate_word(r), *text = r->text && *r->text ? r->text : NULL;

    g_snprintf(out, LADDER_WORDS_MAX, "%s%s%s", fate ? fate : "", fate && text ? ": " : "",
               text ? text : "");
    return *out != 0;
}

static void packet_words(const struct ladder_row *r, char out[2 * LADDER_WORDS_MAX], bool with_fate)
{
    char words[LADDER_WORDS_MAX], fate[LADDER_WORDS_MAX] = "";
    bool more = with_fate && ladder_fate_words(r, fate);

    ladder_words(&r->h, words);
    g_snprintf(out, 2 * LADDER_WORDS_MAX, "%s%s%s%s%s", words, r->again ? ", again" : "",
               more ? " (" : "", fate, more ? ")" : "");
}

void ladder_row_words(const struct ladder_row *r, char out[2 * LADDER_WORDS_MAX], bool with_fate)
{
    const char *text = r->text && *r->text ? r->text : NULL;
    char when[32];

    if (r->kind == LADDER_PACKET) {
        packet_words(r, out, with_fate);
        return;
    }
    ladder_time_text(r->until, when);
    if (r->kind == LADDER_TIMER_SET)
        g_snprintf(out, 2 * LADDER_WORDS_MAX, "%s set, ends %s", text ? text : "timer", when);
    else if (r->kind == LADDER_TIMER_FIRED)
        g_snprintf(out, 2 * LADDER_WORDS_MAX, "%s fires", text ? text : "timer");
    else if (r->kind == LADDER_STATE)
        g_snprintf(out, 2 * LADDER_WORDS_MAX, "state %s", text ? text : "?");
    else
        g_strlcpy(out, text ? text : "", 2 * LADDER_WORDS_MAX);
}

/* ---- which rows, and how much time ----------------------------------------------------------------- */

struct ladder_span ladder_span(const struct ladder *l)
{
    struct ladder_span s = {0, 0};

    while (s.first < l->rows && l->row[s.first].at < l->cut.from)
        s.first++;
    s.end = s.first;
    while (s.end < l->rows && (l->cut.to == 0 || l->row[s.end].at <= l->cut.to))
        s.end++;
    s.first = MIN(s.end, s.first + MIN(l->cut.first, s.end - s.first));
    if (l->cut.count && s.end - s.first > l->cut.count)
        s.end = s.first + l->cut.count;
    return s;
}

bool ladder_left_out(uint32_t rows, const char *which, char out[64])
{
    g_snprintf(out, 64, "%u %s row%s left out", rows, which, rows == 1 ? "" : "s");
    return rows > 0;
}

bool ladder_arrives(const struct ladder_row *r)
{
    return r->kind == LADDER_PACKET && (r->fate == LADDER_ARRIVED || r->fate == LADDER_SPOILED);
}

static int by_time(const void *a, const void *b)
{
    tm_ps x = *(const tm_ps *)a, y = *(const tm_ps *)b;
    return x < y ? -1 : x > y;
}

/* Sorts.  The lower of two: where there is little to go by, the short gap is the usual one.  0 of none. */
static tm_ps median(GArray *t)
{
    if (t->len == 0)
        return 0;
    qsort(t->data, t->len, sizeof(tm_ps), by_time);
    return g_array_index(t, tm_ps, (t->len - 1) / 2);
}

tm_ps ladder_flight_ps(const struct ladder *l, struct ladder_span s)
{
    GArray *flight = g_array_new(FALSE, FALSE, sizeof(tm_ps));

    for (uint32_t i = s.first; i < s.end; i++) {
        tm_ps t = l->row[i].until - l->row[i].at;
        if (ladder_arrives(&l->row[i]))
            g_array_append_val(flight, t);
    }
    tm_ps m = median(flight);
    g_array_free(flight, TRUE);
    return m;
}

/*
 * Eight usual flights, or eight usual gaps between rows: what stands still so long waits for a timer.
 * Where flights are unknown (a capture), gaps alone must tell: forty of them.
 */
tm_ps ladder_silence_ps(const struct ladder *l, struct ladder_span s)
{
    GArray *gap = g_array_new(FALSE, FALSE, sizeof(tm_ps));

    for (uint32_t i = s.first + 1; i < s.end; i++) {
        tm_ps t = l->row[i].at - l->row[i - 1].at;
        if (t > 0)
            g_array_append_val(gap, t);
    }
    tm_ps flight = ladder_flight_ps(l, s), usual = median(gap);
    tm_ps m = flight > 0 ? 8 * MAX(usual, flight) : 40 * usual;
    g_array_free(gap, TRUE);
    return m > 0 ? m : TM_NEVER;
}
