/*
 * Traces of flows: see traffic.h.
 *
 *   HPCC      "COUNT", then "src dst priority [dport] bytes start_s" a line
 *   htsim     "Nodes N", "Connections M", then "src->dst id I start PS size BYTES" a line
 *
 * Priority, port and id mean nothing here and are skipped; a word that would change what the flow does
 * (trigger, ...) is refused by name.
 */
#include <glib.h>
#include <string.h>

#include "scenarios/reader/lines.h"
#include "scenarios/reader/traffic.h"

#define FLOWS_MAX 10000000u
#define FLOW_BYTES_MAX ((uint64_t)1 << 31)

struct reading {
    struct text text;
    GArray *flow;
    uint32_t hosts;
    uint64_t announced; /* flows that the head of the file promises, */
    int announced_line; /* in this line */
    uint32_t fields;    /* HPCC: of each line */
    struct sc_error *err;
};

/* ---- fields -------------------------------------------------------------------------------------- */

static bool read_host(struct reading *r, const char *field, uint32_t *out)
{
    uint64_t n;
    if (!text_u64(&r->text, "host", field, UINT32_MAX, &n, r->err))
        return false;
    if (n >= r->hosts)
        return text_fail(&r->text, r->err, "host %s is not one of the %u hosts of the fabric",
                         field, r->hosts);
    *out = (uint32_t)n;
    return true;
}

static bool read_ends(struct reading *r, const char *src, const char *dst, struct load_flow *f)
{
    if (!read_host(r, src, &f->src) || !read_host(r, dst, &f->dst))
        return false;
    if (f->src == f->dst)
        return text_fail(&r->text, r->err, "host %s sends to itself; give two hosts", src);
    return true;
}

static bool read_bytes(struct reading *r, const char *field, uint64_t *out)
{
    if (!text_u64(&r->text, "size", field, FLOW_BYTES_MAX, out, r->err))
        return false;
    if (*out == 0)
        return text_fail(&r->text, r->err, "a flow of 0 bytes has no end; give its size");
    return true;
}

/* A time of the file in picoseconds: unit is how many of them its unit has. */
static bool read_start(struct reading *r, const char *field, uint64_t unit, tm_ps *out)
{
    struct dec d;
    uint64_t n = 0;
    enum value_fault f = value_fraction(field, &d);
    if (f == VALUE_OK)
        f = strchr(field, '%') ? VALUE_NOT_NUMBER : dec_times(d, unit, &n);
    if (f == VALUE_OK && n > (uint64_t)(8640000 * TM_S))
        f = VALUE_TOO_BIG;
    if (f != VALUE_OK)
        return text_fail(&r->text, r->err, "the start '%s' %s", field, value_fault_text(f));
    *out = (tm_ps)n;
    return true;
}

static bool add_flow(struct reading *r, const struct load_flow *f)
{
    if (r->flow->len == FLOWS_MAX)
        return text_fail(&r->text, r->err, "the file has more than %u flows", FLOWS_MAX);
    g_array_append_val(r->flow, *f);
    return true;
}

/* ---- HPCC ---------------------------------------------------------------------------------------- */

static bool hpcc_line(struct reading *r, char *line)
{
    char *field[TEXT_FIELDS_MAX];
    struct load_flow f = {0};
    uint32_t n = text_split(line, field);
    if (r->fields == 0 && (n == 5 || n == 6))
        r->fields = n;
    if (n != r->fields)
        return text_fail(&r->text, r->err,
                         "a line has %s fields, src dst priority [dport] bytes start_s, not %u",
                         r->fields == 6   ? "6"
                         : r->fields == 5 ? "5"
                                          : "5 or 6",
                         n);
    return read_ends(r, field[0], field[1], &f) && read_bytes(r, field[n - 2], &f.bytes) &&
           read_start(r, field[n - 1], (uint64_t)TM_S, &f.start_ps) && add_flow(r, &f);
}

static bool hpcc_head(struct reading *r, char *line)
{
    r->announced_line = r->text.line;
    return text_u64(&r->text, "number of flows", line, FLOWS_MAX, &r->announced, r->err);
}

/* ---- htsim --------------------------------------------------------------------------------------- */

/* "0->4" in place */
static bool cm_ends(struct reading *r, char *text, struct load_flow *f)
{
    char *arrow = strstr(text, "->");
    if (!arrow)
        return text_fail(&r->text, r->err, "'%s' is not a connection; write 0->4", text);
    *arrow = 0;
    return read_ends(r, text, arrow + 2, f);
}

static bool cm_word(struct reading *r, const char *word, const char *value, struct load_flow *f)
{
    uint64_t id;
    if (strcmp(word, "start") == 0)
        return read_start(r, value, 1, &f->start_ps);
    if (strcmp(word, "size") == 0)
        return read_bytes(r, value, &f->bytes);
    if (strcmp(word, "id") == 0)
        return text_u64(&r->text, "id", value, UINT64_MAX, &id, r->err);
    return text_fail(&r->text, r->err,
                     "'%s' is not offered yet; a connection has id, start and size", word);
}

static bool cm_line(struct reading *r, char *line)
{
    char *field[TEXT_FIELDS_MAX];
    struct load_flow f = {.start_ps = -1};
    uint32_t n = text_split(line, field);
    if (g_ascii_strncasecmp(field[0], "trigger", 7) == 0)
        return text_fail(&r->text, r->err,
                         "trigger lines are not offered yet; give each connection "
                         "its start");
    if (!cm_ends(r, field[0], &f))
        return false;
    if (n > TEXT_FIELDS_MAX || n % 2 == 0)
        return text_fail(&r->text, r->err,
                         "a connection has words in pairs: id, start and size with "
                         "their numbers");
    for (uint32_t i = 1; i + 1 < n; i += 2)
        if (!cm_word(r, field[i], field[i + 1], &f))
            return false;
    if (f.start_ps < 0 || f.bytes == 0)
        return text_fail(&r->text, r->err, "the connection lacks its %s",
                         f.start_ps < 0 ? "start" : "size");
    return add_flow(r, &f);
}

/* "Nodes N" */
static bool cm_count(struct reading *r, char *line, const char *word, uint64_t *out)
{
    char *field[TEXT_FIELDS_MAX];
    if (!line || text_split(line, field) != 2 || strcmp(field[0], word) != 0)
        return text_fail(&r->text, r->err, "the line '%s N' is missing here", word);
    return text_u64(&r->text, "count", field[1], FLOWS_MAX, out, r->err);
}

static bool cm_head(struct reading *r, char *line)
{
    uint64_t nodes;
    bool bad;
    if (!cm_count(r, line, "Nodes", &nodes))
        return false;
    line = text_next(&r->text, &bad, r->err);
    r->announced_line = r->text.line;
    return !bad && cm_count(r, line, "Connections", &r->announced);
}

/* ---- formats ------------------------------------------------------------------------------------- */

struct format {
    const char *name;
    bool (*head)(struct reading *r, char *line);
    bool (*line)(struct reading *r, char *line);
};
static const struct format hpcc = {"HPCC flow file", hpcc_head, hpcc_line};
static const struct format cm = {"htsim connection matrix", cm_head, cm_line};

/* The first line tells: a lone number, or "Nodes". */
static const struct format *detect(struct reading *r, const char *line)
{
    if (g_str_has_prefix(line, "Nodes"))
        return &cm;
    if (strspn(line, "0123456789") == strlen(line))
        return &hpcc;
    text_fail(&r->text, r->err,
              "no known trace begins like this; HPCC's with the number of flows, "
              "htsim's with Nodes N");
    return NULL;
}

static bool take_lines(struct reading *r, const struct format **format)
{
    bool bad;
    char *line = text_next(&r->text, &bad, r->err);
    if (bad)
        return false;
    if (!line)
        return sc_fail(r->err, "%s: the file holds no flows", r->text.path);
    *format = detect(r, line);
    if (!*format || !(*format)->head(r, line))
        return false;
    for (line = text_next(&r->text, &bad, r->err); line; line = text_next(&r->text, &bad, r->err))
        if (!(*format)->line(r, line))
            return false;
    return !bad;
}

static int by_start(const void *a, const void *b)
{
    const struct load_flow *x = a, *y = b;
    return x->start_ps < y->start_ps ? -1 : x->start_ps > y->start_ps;
}

static bool finish(struct reading *r, const struct format *format, char *seen)
{
    const char *with = format != &hpcc ? "" : r->fields == 6 ? " with dport" : " without dport";
    if (r->flow->len != r->announced)
        return sc_fail(r->err, "%s:%d: the number of flows announced is %llu, but there are %u",
                       r->text.path, r->announced_line, (unsigned long long)r->announced,
                       r->flow->len);
    if (r->flow->len == 0)
        return sc_fail(r->err, "%s: the file holds no flows", r->text.path);
    g_array_sort(r->flow, by_start); /* GLib's is stable */
    g_snprintf(seen, TRAFFIC_SEEN_MAX, "%s%s, %u flows", format->name, with, r->flow->len);
    return true;
}

bool traffic_flows(const char *path, uint32_t hosts, struct load_flow **flow, uint32_t *count,
                   char seen[TRAFFIC_SEEN_MAX], struct sc_error *err)
{
    struct reading r = {.hosts = hosts, .err = err};
    const struct format *format = NULL;
    if (!text_open(&r.text, path, err))
        return false;
    r.flow = g_array_new(FALSE, FALSE, sizeof(struct load_flow));
    bool ok = take_lines(&r, &format) && finish(&r, format, seen);
    text_close(&r.text);
    if (ok)
        *count = r.flow->len;
    struct load_flow *all = (struct load_flow *)(void *)g_array_free(r.flow, !ok);
    if (ok)
        *flow = all;
    return ok;
}
