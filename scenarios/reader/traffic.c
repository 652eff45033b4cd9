/*
 * Distributions of message sizes: see traffic.h.
 *
 * Percent or fraction is told by the last line, which must be exactly 100 or 1.  Sizes may repeat (a
 * step) but not fall; neither may the cumulative column.  Fractions are kept in units of 2^-63, rounded
 * once, from the digits of the file.
 */
#include "scenarios/reader/traffic.h"

#include <glib.h>
#include <string.h>

#include "scenarios/reader/lines.h"

#define SIZE_MAX_BYTES ((uint64_t)1 << 31)
#define ONE ((uint64_t)1 << 63)

/* A line as read: cumulative still in the file's own unit. */
struct point {
    uint64_t bytes;
    struct dec cumulative;
    int line;
};

struct reading {
    struct text text;
    GArray *point;
    bool is_table; /* our own header was seen */
    struct sc_error *err;
};

static bool add_point(struct reading *r, char **field, uint32_t fields)
{
    struct point p = {.line = r->text.line};
    const struct point *last = NULL;
    if (fields != 2)
        return text_fail(&r->text, r->err,
                         "a line has two fields, a size in bytes and a cumulative share, not %u",
                         fields);
    if (!text_u64(&r->text, "size", field[0], SIZE_MAX_BYTES, &p.bytes, r->err))
        return false;
    enum value_fault f = value_fraction(field[1], &p.cumulative);
    if (f != VALUE_OK || strchr(field[1], '%'))
        return text_fail(&r->text, r->err, "the cumulative share '%s' is not a plain number",
                         field[1]);
    if (r->point->len > 0)
        last = &g_array_index(r->point, struct point, r->point->len - 1);
    if (last && p.bytes < last->bytes)
        return text_fail(&r->text, r->err, "the size %llu is less than the one before, %llu",
                         (unsigned long long)p.bytes, (unsigned long long)last->bytes);
    if (last && dec_compare(p.cumulative, last->cumulative) < 0)
        return text_fail(&r->text, r->err, "the cumulative share %s is less than the one before",
                         field[1]);
    g_array_append_val(r->point, p);
    return true;
}

static bool is_header(char **field, uint32_t n)
{
    return n == 2 && strcmp(field[0], "size_bytes") == 0 && strcmp(field[1], "cumulative") == 0;
}

static bool take_line(struct reading *r, char *line)
{
    char *field[TEXT_FIELDS_MAX];
    char *store = NULL;
    uint32_t n = strchr(line, ',') ? text_split_csv(line, field, &store) : text_split(line, field);
    bool ok = true;
    if (n == 0)
        ok = text_fail(&r->text, r->err, "a quote is out of place or never closed");
    else if (r->point->len == 0 && !r->is_table && is_header(field, n))
        r->is_table = true;
    else
        ok = add_point(r, field, n);
    g_free(store);
    return ok;
}

static bool take_lines(struct reading *r)
{
    bool bad;
    for (char *line = text_next(&r->text, &bad, r->err); line;
         line = text_next(&r->text, &bad, r->err))
        if (!take_line(r, line))
            return false;
    if (bad)
        return false;
    if (r->point->len == 0)
        return sc_fail(r->err, "%s: the file holds no sizes", r->text.path);
    return true;
}

/* The unit of the cumulative column: 2 places for percent, 0 for fractions, -1 for neither. */
static int find_unit(const struct reading *r)
{
    const struct point *last = &g_array_index(r->point, struct point, r->point->len - 1);
    if (dec_compare(last->cumulative, (struct dec){1, 0}) == 0)
        return 0;
    if (dec_compare(last->cumulative, (struct dec){1, -2}) == 0 && !r->is_table)
        return 2;
    return -1;
}

static bool refuse_end(struct reading *r)
{
    const struct point *last = &g_array_index(r->point, struct point, r->point->len - 1);
    char text[128];
    dec_print(last->cumulative, text, sizeof text);
    return sc_fail(r->err, "%s:%d: the last cumulative share is %s; it must be %s", r->text.path,
                   last->line, text, r->is_table ? "1" : "100 (percent) or 1 (fraction)");
}

static void put_point(struct load_size *s, const struct point *p, int places)
{
    struct dec d = p->cumulative;
    d.scale += d.m ? places : 0;
    s->bytes[s->count] = p->bytes;
    s->cumulative[s->count++] = dec_threshold(d, 63);
}

/* A first line above 0 means that so large a part has this very size: a step from 0. */
static void fill(const struct reading *r, int places, struct load_size *out)
{
    uint32_t n = r->point->len;
    const struct point *first = &g_array_index(r->point, struct point, 0);
    struct load_size s = {.kind = LOAD_SIZE_CDF};
    s.bytes = g_new0(uint64_t, n + 1);
    s.cumulative = g_new0(uint64_t, n + 1);
    if (first->cumulative.m != 0)
        s.bytes[s.count++] = first->bytes;
    for (uint32_t i = 0; i < n; i++)
        put_point(&s, &g_array_index(r->point, struct point, i), places);
    *out = s;
}

static bool finish(struct reading *r, struct load_size *out, char *seen)
{
    const struct point *last = &g_array_index(r->point, struct point, r->point->len - 1);
    int places = find_unit(r);
    if (places < 0)
        return refuse_end(r);
    if (last->bytes == 0)
        return sc_fail(r->err, "%s:%d: the largest size is 0; give at least 1 byte", r->text.path,
                       last->line);
    fill(r, places, out);
    g_snprintf(seen, TRAFFIC_SEEN_MAX, "sizes, %s, %u points",
               r->is_table   ? "table size_bytes,cumulative"
               : places == 2 ? "lines of bytes and cumulative percent"
                             : "lines of bytes and cumulative fraction",
               r->point->len);
    return true;
}

bool traffic_sizes(const char *path, struct load_size *out, char seen[TRAFFIC_SEEN_MAX],
                   struct sc_error *err)
{
    struct reading r = {.err = err};
    if (!text_open(&r.text, path, err))
        return false;
    r.point = g_array_new(FALSE, FALSE, sizeof(struct point));
    bool ok = take_lines(&r) && finish(&r, out, seen);
    g_array_free(r.point, TRUE);
    text_close(&r.text);
    return ok;
}
