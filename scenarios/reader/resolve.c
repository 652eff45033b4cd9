/*
 * Resolving: see resolve.h.
 *
 * Order: texts (cells.c), numbers, traffic files, [inject], checks across keys (checks.c).  The
 * caller's struct is written once, at the end, when nothing can fail any more.
 */
#include "scenarios/reader/resolve.h"

#include <string.h>

#include "scenarios/reader/explore_keys.h"
#include "scenarios/reader/inject_parse.h"
#include "scenarios/reader/nearest.h"
#include "scenarios/reader/traffic.h"
#include "sim/base/check.h"

#define MESSAGES_AUTO 1000 /* without a duration */

static const char *const traffic_endings[] = {"", ".csv", ".cdf", ".txt", NULL};
static const struct lookup size_files = {"traffic", "size or traffic file", traffic_endings};
static const struct lookup flow_files = {"traffic", "trace file", traffic_endings};

const struct cell *resolve_cell(const struct resolving *r, const char *dotted)
{
    const struct key *k = key_find_dotted(dotted);
    CHECK(k);
    return &r->cell[key_index(k)];
}

void resolve_seen(struct resolving *r, const char *name, const char *seen)
{
    char *base = g_path_get_basename(name);
    if (r->notes && r->notes->text)
        g_ptr_array_add(r->notes->text, g_strdup_printf("%s: %s", base, seen));
    g_free(base);
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* What an adapter has and no key names is as the specification says. */
static bool store_all(struct resolving *r)
{
    r->s.hca.xp = xp_profile_spec();
    for (uint32_t i = 0; i < key_count(); i++) {
        struct value v;
        if (!key_parse(key_at(i), r->cell[i].text, &v, r->err))
            return sc_fail_at(r->err, "%s: ", r->cell[i].place);
        key_store(key_at(i), &v, &r->s);
        value_clear(&v);
    }
    if (r->s.load.messages == UINT64_MAX)
        r->s.load.messages = r->s.duration_ps == TM_NEVER ? MESSAGES_AUTO : 0;
    return true;
}

static bool load_sizes(struct resolving *r)
{
    const struct cell *c = resolve_cell(r, "workload.size");
    char seen[TRAFFIC_SEEN_MAX];
    if (r->s.load.size.count > 0)
        return true;
    char *path = lookup_find(r->f, &size_files, c->text, r->err);
    bool ok = path && traffic_sizes(path, &r->s.load.size, seen, r->err);
    if (ok)
        resolve_seen(r, path, seen);
    g_free(path);
    return ok || sc_fail_at(r->err, "%s: ", c->place);
}

static bool load_flows(struct resolving *r)
{
    const struct cell *c = resolve_cell(r, "workload.file");
    char seen[TRAFFIC_SEEN_MAX];
    if (strcmp(c->text, "none") == 0)
        return true;
    char *path = lookup_find(r->f, &flow_files, c->text, r->err);
    bool ok = path && traffic_flows(path, r->s.fabric.hosts, &r->s.load.flow, &r->s.load.flow_count,
                                    seen, r->err);
    if (ok)
        resolve_seen(r, path, seen);
    g_free(path);
    return ok || sc_fail_at(r->err, "%s: ", c->place);
}

/* ---- [inject] ---------------------------------------------------------------------------------------------- */

/* A line that does not hold is read all the same: its mistakes are told. */
static bool take_inject(struct resolving *r, const struct sc_line *l, struct inject_env *env,
                        bool holds)
{
    struct inject_line got;
    if (!inject_parse(l->key, l->value, env, &got, r->err) ||
        (got.is_act && !check_act(r, &got.act)))
        return file_fail_at(r->f, l, r->err);
    got.act.rule = r->s.inject.count;
    if (!holds)
        return true;
    if (got.is_act)
        r->s.act[r->s.act_count++] = got.act;
    else
        r->s.inject.rule[r->s.inject.count++] = got.rule;
    return true;
}

/* Every name is a line's; the error names the nearest. */
static bool check_injected(struct resolving *r, char **name, const struct sc_line *l, uint32_t n)
{
    for (; *name; name++) {
        struct nearest near = nearest_to(*name);
        uint32_t i = 0;
        while (i < n && strcmp(l[i].key, *name) != 0)
            nearest_try(&near, l[i++].key);
        if (i < n || !**name)
            continue;
        sc_fail(r->err, "[inject] has no line '%s'; %s%s%s", *name,
                near.best ? "did you mean '" : "give all, none, or names of its lines",
                near.best ? near.best : "", near.best ? "'?" : "");
        return sc_fail_at(r->err, "%s: ", resolve_cell(r, "scenario.inject")->place);
    }
    return true;
}

/* 1 for each line that holds, by place; g_free.  NULL with the error. */
static uint8_t *lines_that_hold(struct resolving *r, const struct sc_line *l, uint32_t n)
{
    uint8_t *holds = g_new0(uint8_t, n + 1);
    bool all = strcmp(r->s.injected, "all") == 0, none = strcmp(r->s.injected, "none") == 0;
    char **name = g_strsplit(all || none ? "" : r->s.injected, " ", -1);
    for (uint32_t i = 0; i < n; i++)
        holds[i] = all || g_strv_contains((const char *const *)name, l[i].key);
    if (!check_injected(r, name, l, n)) {
        g_free(holds);
        holds = NULL;
    }
    g_strfreev(name);
    return holds;
}

static bool take_injects(struct resolving *r)
{
    const struct sc_line *l;
    uint32_t n = sc_lines(r->f, "inject", &l);
    struct topo t;
    struct inject_env env = {&t, r->s.fabric.hosts, r->s.qp.sq_psn,
                              r->s.fabric.encap == ENCAP_ROCEV2};
    uint8_t *holds = lines_that_hold(r, l, n);
    if (!holds)
        return false;
    bool ok = true;
    fab_topo(&r->s.fabric, &t);
    r->s.inject.first_psn = r->s.qp.sq_psn;
    r->s.inject.rule = g_new0(struct inject_rule, n + 1);
    r->s.act = g_new0(struct load_act, n + 1);
    for (uint32_t i = 0; i < n && ok; i++)
        ok = take_inject(r, &l[i], &env, holds[i]);
    g_free(holds);
    topo_clear(&t);
    return ok;
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

bool resolve_scenario(const struct sc_file *f, const struct sc_override *ov, uint32_t n,
                      struct scenario *out, struct notes *notes, struct sc_error *err)
{
    struct resolving r = {.f = f, .notes = notes, .err = err};
    r.cell = cells_make(f, ov, n, err);
    if (!r.cell)
        return false;
    bool ok = store_all(&r) && check_fabric(&r) && take_explore(&r) && check_scenario(&r) && load_sizes(&r) && load_flows(&r) &&
              take_injects(&r) && check_loaded(&r);
    cells_free(r.cell);
    if (ok)
        *out = r.s;
    else
        scenario_clear(&r.s);
    return ok;
}

bool sc_resolve(const struct sc_file *f, const struct sc_override *ov, uint32_t n,
                struct scenario *out, struct sc_error *err)
{
    return resolve_scenario(f, ov, n, out, NULL, err);
}

void scenario_clear(struct scenario *s)
{
    g_free(s->title);
    g_free(s->injected);
    g_free(s->question);
    g_free(s->given.shape);
    g_free(s->given.file);
    if (s->given.topo)
        topo_clear(s->given.topo);
    g_free(s->given.topo);
    g_free(s->profile);
    g_free(s->preset);
    g_free(s->load.size.bytes);
    g_free(s->load.size.cumulative);
    g_free(s->load.flow);
    g_free(s->inject.rule);
    g_free(s->act);
    g_free(s->explore.service_text);
    g_free(s->explore.operations);
    g_free(s->explore.operations_back);
    g_free(s->explore.operations_beside);
    g_free(s->explore.faults_text);
    *s = (struct scenario){0};
}

/* ---- single values ----------------------------------------------------------------------------------------- */

bool sc_override_parse(const char *text, struct sc_override *out, struct sc_error *err)
{
    const char *eq = strchr(text, '=');
    if (!eq)
        return sc_fail(err, "--set: '%s' has no value; write group.key=value", text);
    char *name = g_strstrip(g_strndup(text, (gsize)(eq - text)));
    if (!key_find_dotted(name)) {
        key_unknown_dotted(name, err);
        g_free(name);
        return sc_fail_at(err, "--set: ");
    }
    *out = (struct sc_override){name, g_strstrip(g_strdup(eq + 1)), "--set"};
    return true;
}

bool sc_value_base(const char *name, const char *value, char *out, size_t size,
                   struct sc_error *err)
{
    const struct key *k = key_find_dotted(name);
    struct value v;
    if (!k)
        return key_unknown_dotted(name, err);
    if (!key_parse(k, value, &v, err))
        return sc_fail_at(err, "%s: ", name);
    GString *text = g_string_new(NULL);
    key_print(k, &v, false, text);
    g_strlcpy(out, text->str, size);
    g_string_free(text, TRUE);
    value_clear(&v);
    return true;
}
