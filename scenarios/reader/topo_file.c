/* Topology files, ours and those of the ns-3 family: see topo_file.h. */
#include "scenarios/reader/topo_file.h"

#include <glib.h>
#include <string.h>

#define EDGES_MAX (1u << 20)
#define NODES_MAX (1u << 17)

/* ---- what all formats need ------------------------------------------------------------------------ */

bool topo_edge_add(struct topo_reading *r, const struct topo_edge *e)
{
    if (r->edge->len == EDGES_MAX)
        return text_fail(&r->text, r->err, "the file has more than %u cables", EDGES_MAX);
    g_array_append_val(r->edge, *e);
    return true;
}

static bool with_unit(struct topo_reading *r, const char *what, const char *text,
                      const struct unit_family *u, uint64_t *out)
{
    enum value_fault f = value_with_unit(text, u, out);
    if (f == VALUE_OK)
        return true;
    return text_fail(&r->text, r->err, "the %s '%s' %s; give %s such as %s", what, text,
                     value_fault_text(f), u->noun, u->example);
}

bool topo_rate(struct topo_reading *r, const char *text, uint64_t *out)
{
    if (!with_unit(r, "rate", text, &unit_rate, out))
        return false;
    if (*out < 1000 || *out > 10000000000000u)
        return text_fail(&r->text, r->err, "the rate '%s' is not from 1kbps to 10Tbps", text);
    return true;
}

bool topo_delay(struct topo_reading *r, const char *text, tm_ps *out)
{
    uint64_t n;
    if (!with_unit(r, "delay", text, &unit_time, &n))
        return false;
    if (n > (uint64_t)(10 * TM_S))
        return text_fail(&r->text, r->err, "the delay '%s' is not from 0 to 10s", text);
    *out = (tm_ps)n;
    return true;
}

static char *next_line(struct topo_reading *r, bool *bad)
{
    *bad = false;
    return text_next(&r->text, bad, r->err);
}

/* ---- ours -------------------------------------------------------------------------------------------- */

/* "h3" is host 3; switches are numbered behind the hosts at the end. */
#define SWITCH_BIT 0x80000000u

static bool our_node(struct topo_reading *r, const char *text, uint32_t *out)
{
    uint64_t n;
    bool is_host = text[0] == 'h', is_switch = text[0] == 's';
    if ((!is_host && !is_switch) || value_whole(text + 1, &n) != VALUE_OK || n >= NODES_MAX)
        return text_fail(&r->text, r->err,
                         "'%s' is not a node; hosts are h0, h1 and so on, switches s0, s1", text);
    uint32_t *count = is_host ? &r->hosts : &r->switches;
    *count = n >= *count ? (uint32_t)n + 1 : *count;
    *out = (uint32_t)n | (is_switch ? SWITCH_BIT : 0);
    return true;
}

static bool our_line(struct topo_reading *r, const char *line)
{
    char *field[TEXT_FIELDS_MAX], *store = NULL;
    struct topo_edge e = {.rate_bps = r->def->rate_bps, .delay_ps = r->def->delay_ps};
    uint32_t n = text_split_csv(line, field, &store);
    bool ok =
        n == 4 || text_fail(&r->text, r->err, "a line has 4 fields, a,b,rate,delay, not %u", n);
    ok = ok && our_node(r, field[0], &e.a) && our_node(r, field[1], &e.b) &&
         (!field[2][0] || topo_rate(r, field[2], &e.rate_bps)) &&
         (!field[3][0] || topo_delay(r, field[3], &e.delay_ps)) && topo_edge_add(r, &e);
    g_free(store);
    return ok;
}

static uint32_t numbered(const struct topo_reading *r, uint32_t node)
{
    return node & SWITCH_BIT ? r->hosts + (node & ~SWITCH_BIT) : node;
}

bool topo_read_ours(struct topo_reading *r, char *line)
{
    bool bad;
    while ((line = next_line(r, &bad)))
        if (!our_line(r, line))
            return false;
    for (uint32_t i = 0; i < r->edge->len; i++) {
        struct topo_edge *e = &g_array_index(r->edge, struct topo_edge, i);
        e->a = numbered(r, e->a);
        e->b = numbered(r, e->b);
    }
    return !bad;
}

/* ---- the ns-3 family -------------------------------------------------------------------------------- */

/* Ids of switches may be any; hosts are the others, in the order of their ids. */
struct ns3 {
    uint64_t nodes, switches, links;
    uint32_t *of; /* node of an id, once the switches are known */
};

static bool ns3_head(struct topo_reading *r, char *line, struct ns3 *n)
{
    char *field[TEXT_FIELDS_MAX];
    if (text_split(line, field) != 3)
        return text_fail(&r->text, r->err, "the first line has 3 numbers: nodes switches links");
    return text_u64(&r->text, "number of nodes", field[0], NODES_MAX, &n->nodes, r->err) &&
           text_u64(&r->text, "number of switches", field[1], n->nodes, &n->switches, r->err) &&
           text_u64(&r->text, "number of links", field[2], EDGES_MAX, &n->links, r->err);
}

/* All ids stand on one line, however many. */
static bool ns3_switches(struct topo_reading *r, struct ns3 *n)
{
    bool bad;
    char *line = n->switches ? next_line(r, &bad) : NULL;
    char **word = line ? g_strsplit_set(line, " \t", -1) : g_new0(char *, 1);
    uint32_t got = 0, hosts = 0, switches = (uint32_t)(n->nodes - n->switches);
    bool ok = true;
    n->of = g_new0(uint32_t, n->nodes + 1);
    for (char **w = word; *w && ok; w++) {
        uint64_t id;
        if (!**w)
            continue;
        ok = text_u64(&r->text, "switch", *w, n->nodes ? n->nodes - 1 : 0, &id, r->err);
        if (ok && n->of[id])
            ok = text_fail(&r->text, r->err, "switch %s stands there twice", *w);
        if (ok)
            n->of[id] = ++got;
    }
    g_strfreev(word);
    if (ok && got != n->switches)
        ok = text_fail(&r->text, r->err, "%u switches are named, the first line promises %u", got,
                       (uint32_t)n->switches);
    for (uint32_t id = 0; id < n->nodes && ok; id++)
        n->of[id] = n->of[id] ? switches++ : hosts++;
    r->hosts = (uint32_t)(n->nodes - n->switches);
    r->switches = (uint32_t)n->switches;
    return ok;
}

static bool ns3_line(struct topo_reading *r, const struct ns3 *n, char *line)
{
    char *field[TEXT_FIELDS_MAX];
    struct topo_edge e = {0};
    struct dec loss;
    uint64_t a, b;
    uint32_t fields = text_split(line, field);
    if (fields != 5)
        return text_fail(&r->text, r->err, "a line has 5 fields, a b rate delay error_rate, not %u",
                         fields);
    if (!text_u64(&r->text, "node", field[0], n->nodes - 1, &a, r->err) ||
        !text_u64(&r->text, "node", field[1], n->nodes - 1, &b, r->err) ||
        !topo_rate(r, field[2], &e.rate_bps) || !topo_delay(r, field[3], &e.delay_ps))
        return false;
    enum value_fault f = value_fraction(field[4], &loss);
    if (f != VALUE_OK || dec_compare(loss, (struct dec){1, 0}) > 0)
        return text_fail(&r->text, r->err, "the error rate '%s' is not a probability from 0 to 1",
                         field[4]);
    e.loss_threshold = dec_threshold(loss, 64);
    e.a = n->of[a];
    e.b = n->of[b];
    return topo_edge_add(r, &e);
}

bool topo_read_ns3(struct topo_reading *r, char *line)
{
    struct ns3 n = {0};
    bool bad = false;
    bool ok = ns3_head(r, line, &n) && ns3_switches(r, &n);
    while (ok && (line = next_line(r, &bad)))
        ok = ns3_line(r, &n, line);
    ok = ok && !bad;
    if (ok && r->edge->len != n.links)
        ok = text_fail(&r->text, r->err, "the file has %u links, its first line promises %u",
                       r->edge->len, (uint32_t)n.links);
    g_free(n.of);
    return ok;
}

/* ---- which format is it? ------------------------------------------------------------------------------- */

static bool is_ours(const char *line) { return g_str_has_prefix(line, "a,b,"); }
static bool is_ns3(const char *line) { return g_ascii_isdigit(line[0]); }
static bool is_htsim(const char *line) { return g_ascii_strncasecmp(line, "Nodes", 5) == 0; }
static bool is_ib(const char *line)
{
    static const char *const word[] = {
        "Switch", "Ca", "Hca", "Rt", "vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid="};
    for (size_t i = 0; i < G_N_ELEMENTS(word); i++)
        if (g_str_has_prefix(line, word[i]))
            return true;
    return false;
}

static const struct {
    const char *name;
    bool (*is)(const char *line);
    topo_reader *read;
} formats[] = {
    {"our table", is_ours, topo_read_ours},
    {"a topology of the ns-3 family", is_ns3, topo_read_ns3},
    {"htsim's topology", is_htsim, topo_read_htsim},
    {"ports as ibnetdiscover and ibsim write them", is_ib, topo_read_ib},
};

static bool read_any(struct topo_reading *r, const char **name)
{
    bool bad;
    char *line = next_line(r, &bad);
    if (!line)
        return bad ? false : text_fail(&r->text, r->err, "the file is empty");
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        if (!formats[i].is(line))
            continue;
        *name = formats[i].name;
        return formats[i].read(r, line);
    }
    return text_fail(&r->text, r->err,
                     "'%.40s' begins no topology; known are our a,b,rate,delay, ns-3's, htsim's "
                     ".topo, ibnetdiscover's and ibsim's",
                     line);
}

bool topo_file_read(const char *path, const struct topo_defaults *def, struct topo *out, char *seen,
                    size_t seen_size, struct sc_error *err)
{
    struct topo_reading r = {.def = def, .err = err};
    const char *name = "";
    if (!text_open(&r.text, path, err))
        return false;
    r.edge = g_array_new(FALSE, TRUE, sizeof(struct topo_edge));
    bool ok = read_any(&r, &name);
    if (ok && (r.hosts < 2 || r.edge->len == 0))
        ok = text_fail(&r.text, err, "the file has %u hosts; a fabric has 2 at least", r.hosts);
    if (ok) {
        struct topo t = {r.hosts, r.switches, r.edge->len,
                         (struct topo_edge *)(void *)r.edge->data};
        topo_copy(&t, out);
        g_snprintf(seen, seen_size, "%s, %u hosts, %u switches, %u cables", name, r.hosts,
                   r.switches, r.edge->len);
    }
    g_array_free(r.edge, TRUE);
    text_close(&r.text);
    return ok;
}
