/*
 * Scenario texts for tests: see sctest.h.  Profiles, presets and traffic come from the tree's own
 * scenarios folder, wherever the runner was built.
 */
#include "tests/unit/sctest.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/reader/keys.h"

static char folder[64];
static char path[128];

static void remove_folder(void)
{
    GDir *d = g_dir_open(folder, 0, NULL);
    const char *name;
    while (d && (name = g_dir_read_name(d))) {
        char *file = g_build_filename(folder, name, NULL);
        remove(file);
        g_free(file);
    }
    if (d)
        g_dir_close(d);
    remove(folder);
}

static const char *own_folder(void)
{
    if (!folder[0]) {
        g_strlcpy(folder, "/tmp/sctest-XXXXXX", sizeof folder);
        if (!g_mkdtemp(folder))
            abort();
        atexit(remove_folder);
        g_setenv("RDMASIM_PATH", "scenarios", TRUE);
    }
    return folder;
}

const char *sctest_write(const char *name, const void *data, size_t len)
{
    g_snprintf(path, sizeof path, "%s/%s", own_folder(), name);
    if (!g_file_set_contents(path, data, (gssize)len, NULL))
        abort();
    return path;
}

const char *sctest_said(struct sc_error *err)
{
    char *at;
    char prefix[80];
    g_snprintf(prefix, sizeof prefix, "%s/", own_folder());
    while ((at = strstr(err->text, prefix)))
        memmove(at, at + strlen(prefix), strlen(at + strlen(prefix)) + 1);
    return err->text;
}

struct sc_file *sctest_load(const char *text, struct sc_error *err)
{
    return sc_file_load(sctest_write("t.ini", text, strlen(text)), err);
}

const char *sctest_resolve(const char *text, struct scenario *s)
{
    static struct sc_error err;
    struct sc_file *f = sctest_load(text, &err);
    if (!f)
        return sctest_said(&err);
    bool ok = sc_resolve(f, NULL, 0, s, &err);
    sc_file_free(f);
    return ok ? "" : sctest_said(&err);
}

const char *sctest_refusal(const char *text)
{
    struct scenario s = {0};
    const char *said = sctest_resolve(text, &s);
    scenario_clear(&s);
    return said;
}

/* ---- comparison -------------------------------------------------------------------------------- */

static bool same_size(const struct load_size *a, const struct load_size *b)
{
    if (a->kind != b->kind || a->count != b->count || !a->cumulative != !b->cumulative)
        return false;
    if (memcmp(a->bytes, b->bytes, a->count * sizeof *a->bytes) != 0)
        return false;
    return !a->cumulative ||
           memcmp(a->cumulative, b->cumulative, a->count * sizeof *a->cumulative) == 0;
}

static bool same_flows(const struct load_cfg *a, const struct load_cfg *b)
{
    if (a->flow_count != b->flow_count)
        return false;
    for (uint32_t i = 0; i < a->flow_count; i++) {
        const struct load_flow *x = &a->flow[i], *y = &b->flow[i];
        if (x->src != y->src || x->dst != y->dst || x->bytes != y->bytes ||
            x->start_ps != y->start_ps)
            return false;
    }
    return true;
}

static bool same_key(const struct key *k, const struct scenario *a, const struct scenario *b)
{
    const char *x = (const char *)a + k->offset, *y = (const char *)b + k->offset;
    if (k->kind == KIND_TEXT || k->kind == KIND_NAME)
        return strcmp(*(char *const *)(const void *)x, *(char *const *)(const void *)y) == 0;
    if (k->kind == KIND_SIZES)
        return same_size(&a->load.size, &b->load.size);
    if (k->kind == KIND_FLOWS)
        return same_flows(&a->load, &b->load);
    return memcmp(x, y, k->width) == 0;
}

static bool same_match(const struct inject_match *a, const struct inject_match *b)
{
    return a->from == b->from && a->to == b->to && a->opcode == b->opcode && a->op == b->op &&
           a->classes == b->classes && a->psn == b->psn && a->qp == b->qp && a->tx == b->tx &&
           a->link_a == b->link_a && a->link_b == b->link_b && a->has_psn == b->has_psn &&
           a->ip_id == b->ip_id && a->ip_mask == b->ip_mask;
}

static bool same_window(const struct window *a, const struct window *b)
{
    return a->from_ps == b->from_ps && a->until_ps == b->until_ps && a->every_ps == b->every_ps &&
           a->count == b->count;
}

static bool same_chance(const struct inject_pick *a, const struct inject_pick *b)
{
    return a->p_threshold == b->p_threshold && a->loss.model == b->loss.model &&
           a->loss.burst_milli == b->loss.burst_milli && a->loss.ber == b->loss.ber;
}

static bool same_rule(const struct inject_rule *a, const struct inject_rule *b)
{
    bool same = strcmp(a->name, b->name) == 0 && a->action == b->action &&
                same_match(&a->match, &b->match) && a->pick.skip == b->pick.skip &&
                a->pick.count == b->pick.count && a->pick.every == b->pick.every &&
                same_chance(&a->pick, &b->pick) && a->sets == b->sets &&
                a->at_byte == b->at_byte && a->delay_ps == b->delay_ps &&
                same_window(&a->when, &b->when);
    for (uint32_t i = 0; same && i < a->sets; i++)
        same = a->set[i].field == b->set[i].field && a->set[i].value == b->set[i].value;
    return same;
}

static bool same_rules(const struct scenario *a, const struct scenario *b)
{
    bool same = a->inject.count == b->inject.count && a->inject.first_psn == b->inject.first_psn &&
                a->act_count == b->act_count;
    for (uint32_t i = 0; same && i < a->inject.count; i++)
        same = same_rule(&a->inject.rule[i], &b->inject.rule[i]);
    for (uint32_t i = 0; same && i < a->act_count; i++) {
        const struct load_act *x = &a->act[i], *y = &b->act[i];
        same = x->kind == y->kind && x->host == y->host && x->qp == y->qp &&
               same_window(&x->when, &y->when);
    }
    return same;
}

const char *sctest_difference(const struct scenario *a, const struct scenario *b)
{
    for (uint32_t i = 0; i < key_count(); i++)
        if (!same_key(key_at(i), a, b))
            return key_at(i)->name;
    if (a->bucket_count != b->bucket_count)
        return "bucket_count";
    return same_rules(a, b) ? "" : "inject";
}
