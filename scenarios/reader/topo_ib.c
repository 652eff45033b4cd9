/*
 * Fabrics as `ibnetdiscover` prints them and as ibsim reads them: a record for each switch and adapter,
 * its ports a line each.
 *
 * A cable stands in the records of both its ends, or of one of them; it is counted once.  A port of an
 * adapter that has a cable is a host: an adapter with two of them makes two.  The width and speed behind a
 * cable ("4xEDR") give its rate, those of the lanes without their coding; without one, or with
 * ibsim's "w=4" alone, the scenario's rate holds.
 */
#include <glib.h>
#include <string.h>

#include "scenarios/reader/topo_file.h"

#define NAMES_MAX (1u << 17)

static const struct {
    const char *name;
    uint64_t lane_bps; /* data */
} speeds[] = {
    {"SDR", 2000000000},    {"DDR", 4000000000},   {"QDR", 8000000000},
    {"FDR10", 10000000000}, {"FDR", 13636363636},  {"EDR", 25000000000},
    {"HDR", 50000000000},   {"NDR", 100000000000}, {"XDR", 200000000000},
};

struct end {
    uint32_t node; /* in the order of the names */
    uint32_t port;
};
struct cable {
    struct end a, b;
    uint64_t rate_bps;
};
struct ib {
    struct topo_reading *r;
    GHashTable *node;  /* name -> index + 1 */
    GArray *is_switch; /* by node: 0 not said, 1 adapter, 2 switch */
    GArray *cable;
    GHashTable *seen; /* "node port" -> cable index + 1 */
    uint32_t record;  /* the node whose record this is; UINT32_MAX: none yet */
};
enum said { SAID_NOTHING, SAID_ADAPTER, SAID_SWITCH };

static uint32_t node_of(struct ib *b, const char *name)
{
    uint32_t n = GPOINTER_TO_UINT(g_hash_table_lookup(b->node, name));
    uint8_t said = SAID_NOTHING;
    if (n)
        return n - 1;
    n = g_hash_table_size(b->node);
    g_hash_table_insert(b->node, g_strdup(name), GUINT_TO_POINTER(n + 1));
    g_array_append_val(b->is_switch, said);
    return n;
}

/* The text between the next two quotes; *at moves behind them.  NULL: there is none. */
static char *quoted(char **at)
{
    char *from = strchr(*at, '"'), *to = from ? strchr(from + 1, '"') : NULL;
    if (!to)
        return NULL;
    *to = 0;
    *at = to + 1;
    return from + 1;
}

/* "[12]" at *at, which moves behind it. */
static bool port_at(struct ib *b, char **at, uint32_t *out)
{
    char *end = NULL;
    while (g_ascii_isspace(**at))
        (*at)++;
    guint64 n = **at == '[' ? g_ascii_strtoull(*at + 1, &end, 10) : 0;
    if (!end || *end != ']' || n < 1 || n > 65535)
        return text_fail(&b->r->text, b->r->err, "a port is missing; write [1] to [65535]");
    *out = (uint32_t)n;
    *at = end + 1;
    return true;
}

/* "4xEDR" somewhere in the rest of the line. */
static void speed_in(const char *rest, uint64_t *rate_bps)
{
    for (const char *x = strchr(rest, 'x'); x; x = strchr(x + 1, 'x')) {
        const char *digits = x;
        while (digits > rest && g_ascii_isdigit(digits[-1]))
            digits--;
        for (size_t i = 0; i < G_N_ELEMENTS(speeds) && digits < x; i++) {
            size_t n = strlen(speeds[i].name);
            if (strncmp(x + 1, speeds[i].name, n) == 0 && !g_ascii_isalnum(x[1 + n]))
                *rate_bps = g_ascii_strtoull(digits, NULL, 10) * speeds[i].lane_bps;
        }
    }
}

static bool record_line(struct ib *b, char *line, enum said said)
{
    char *name = quoted(&line);
    if (!name)
        return text_fail(&b->r->text, b->r->err, "a record has a name in quotes");
    b->record = node_of(b, name);
    uint8_t *known = &g_array_index(b->is_switch, uint8_t, b->record);
    if (*known != SAID_NOTHING)
        return text_fail(&b->r->text, b->r->err, "\"%s\" has a record already", name);
    *known = (uint8_t)said;
    return b->record < NAMES_MAX || text_fail(&b->r->text, b->r->err, "too many nodes");
}

static char *end_key(const struct end *e) { return g_strdup_printf("%u %u", e->node, e->port); }

/* True and *index: the cable at this end is known. */
static bool known_at(struct ib *b, const struct end *e, uint32_t *index)
{
    char *key = end_key(e);
    *index = GPOINTER_TO_UINT(g_hash_table_lookup(b->seen, key));
    g_free(key);
    return (*index)-- != 0;
}

static bool same(const struct end *a, const struct end *b)
{
    return a->node == b->node && a->port == b->port;
}

static bool add_cable(struct ib *b, const struct cable *c)
{
    uint32_t i, k;
    bool here = known_at(b, &c->a, &i), there = known_at(b, &c->b, &k);
    const struct cable *old = here    ? &g_array_index(b->cable, struct cable, i)
                              : there ? &g_array_index(b->cable, struct cable, k)
                                      : NULL;
    if (old && ((same(&old->a, &c->a) && same(&old->b, &c->b)) ||
                (same(&old->a, &c->b) && same(&old->b, &c->a))))
        return true;
    if (old)
        return text_fail(&b->r->text, b->r->err,
                         "this port, or the one at the other end, has another cable above");
    g_array_append_val(b->cable, *c);
    g_hash_table_insert(b->seen, end_key(&c->a), GUINT_TO_POINTER(b->cable->len));
    g_hash_table_insert(b->seen, end_key(&c->b), GUINT_TO_POINTER(b->cable->len));
    return true;
}

/* [1](guid) "H-…"[1](guid) # … 4xEDR */
static bool port_line(struct ib *b, char *line)
{
    struct cable c = {.a.node = b->record, .rate_bps = b->r->def->rate_bps};
    if (b->record == UINT32_MAX)
        return text_fail(&b->r->text, b->r->err, "a port comes before the first record");
    if (!port_at(b, &line, &c.a.port))
        return false;
    char *name = quoted(&line);
    if (!name)
        return text_fail(&b->r->text, b->r->err, "a port has its other end's name in quotes");
    c.b.node = node_of(b, name);
    if (!port_at(b, &line, &c.b.port))
        return false;
    speed_in(line, &c.rate_bps);
    return add_cable(b, &c);
}

static bool ib_line(struct ib *b, char *line)
{
    static const struct {
        const char *word;
        enum said said;
    } records[] = {
        {"Switch", SAID_SWITCH}, {"Ca", SAID_ADAPTER}, {"Hca", SAID_ADAPTER}, {"Rt", SAID_SWITCH}};
    if (line[0] == '[')
        return port_line(b, line);
    for (size_t i = 0; i < G_N_ELEMENTS(records); i++) {
        size_t n = strlen(records[i].word);
        if (strncmp(line, records[i].word, n) == 0 && g_ascii_isspace(line[n]))
            return record_line(b, line, records[i].said);
    }
    if (strchr(line, '=') || g_str_has_prefix(line, "module"))
        return true; /* guids and the like */
    return text_fail(&b->r->text, b->r->err, "'%.40s' is neither a record nor a port", line);
}

static bool is_switch(const struct ib *b, uint32_t node)
{
    return g_array_index(b->is_switch, uint8_t, node) == SAID_SWITCH;
}

/* Hosts by the ports of adapters in the order of the cables, then switches by their names' order. */
static bool number(struct ib *b)
{
    struct topo_reading *r = b->r;
    uint32_t names = b->is_switch->len, *of = g_new0(uint32_t, names + 1), hosts = 0;
    for (uint32_t i = 0; i < b->cable->len; i++) {
        const struct cable *c = &g_array_index(b->cable, struct cable, i);
        r->hosts += !is_switch(b, c->a.node) + !is_switch(b, c->b.node);
    }
    for (uint32_t n = 0; n < names; n++)
        of[n] = is_switch(b, n) ? r->hosts + r->switches++ : 0;
    bool ok = true;
    for (uint32_t i = 0; i < b->cable->len && ok; i++) {
        const struct cable *c = &g_array_index(b->cable, struct cable, i);
        struct topo_edge e = {.rate_bps = c->rate_bps, .delay_ps = r->def->delay_ps};
        e.a = is_switch(b, c->a.node) ? of[c->a.node] : hosts++;
        e.b = is_switch(b, c->b.node) ? of[c->b.node] : hosts++;
        ok = topo_edge_add(r, &e);
    }
    g_free(of);
    return ok;
}

/* Every name needs a record: of one without, nobody knows what it is. */
static bool all_known(struct ib *b)
{
    GHashTableIter it;
    gpointer name, index;
    g_hash_table_iter_init(&it, b->node);
    while (g_hash_table_iter_next(&it, &name, &index)) {
        uint8_t *said = &g_array_index(b->is_switch, uint8_t, GPOINTER_TO_UINT(index) - 1);
        if (*said == SAID_NOTHING && g_str_has_prefix(name, "H-"))
            *said = SAID_ADAPTER;
        if (*said == SAID_NOTHING && g_str_has_prefix(name, "S-"))
            *said = SAID_SWITCH;
    }
    for (uint32_t i = 0; i < b->is_switch->len; i++)
        if (g_array_index(b->is_switch, uint8_t, i) == SAID_NOTHING)
            return text_fail(&b->r->text, b->r->err,
                             "a port's other end has no record of its own in the file");
    return true;
}

bool topo_read_ib(struct topo_reading *r, char *line)
{
    struct ib b = {.r = r, .record = UINT32_MAX};
    bool bad = false, ok = true;
    b.node = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    b.seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    b.is_switch = g_array_new(FALSE, TRUE, 1);
    b.cable = g_array_new(FALSE, TRUE, sizeof(struct cable));
    for (; ok && line; line = text_next(&r->text, &bad, r->err))
        ok = ib_line(&b, line);
    ok = ok && !bad && all_known(&b) && number(&b);
    g_hash_table_destroy(b.node);
    g_hash_table_destroy(b.seen);
    g_array_free(b.is_switch, TRUE);
    g_array_free(b.cable, TRUE);
    return ok;
}
