/*
 * One line of [sweep]: see sweep.h.  Grammar: `a; b; c`, `lo..hi step S`, `lo..hi log N`, and
 * `k1, k2 = a, x; b, y` for keys that vary together.
 */
#include "scenarios/reader/sweep.h"

#include <string.h>

#include "scenarios/reader/keys.h"
#include "scenarios/reader/span.h"

static bool take_keys(const char *name, struct sweep_axis *a, struct sc_error *err)
{
    a->key = g_strsplit(name, ",", -1);
    a->keys = g_strv_length(a->key);
    for (uint32_t i = 0; i < a->keys; i++) {
        g_strstrip(a->key[i]);
        if (!key_find_dotted(a->key[i]))
            return key_unknown_dotted(a->key[i], err);
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(a->key[i], a->key[j]) == 0)
                return sc_fail(err, "%s stands twice on the left; name each key once", a->key[i]);
    }
    return true;
}

/* "a, x" into one text a key; a single key keeps its commas, which lists of sizes have. */
static bool add_step(struct sweep_axis *a, const char *text, GPtrArray *out, struct sc_error *err)
{
    char **part = a->keys == 1 ? g_new0(char *, 2) : g_strsplit(text, ",", -1);
    if (a->keys == 1)
        part[0] = g_strdup(text);
    uint32_t n = g_strv_length(part);
    bool ok = n == a->keys;
    if (!ok)
        sc_fail(err, "'%s' is not one value for each of the %u keys; write k1, k2 = a, x; b, y",
                text, a->keys);
    for (uint32_t i = 0; i < n && ok; i++)
        g_ptr_array_add(out, g_strdup(g_strstrip(part[i])));
    g_strfreev(part);
    return ok;
}

static bool add_list(struct sweep_axis *a, const char *text, GPtrArray *out, struct sc_error *err)
{
    char **step = g_strsplit(text, ";", -1);
    bool ok = true;
    for (char **s = step; *s && ok; s++) {
        g_strstrip(*s);
        if (!**s && !s[1] && s != step)
            break; /* a final ; closes the list */
        if (!**s)
            ok = sc_fail(err, "the list '%s' has an empty value; write a; b; c", text);
        else
            ok = add_step(a, *s, out, err);
    }
    g_strfreev(step);
    return ok;
}

static bool take_values(struct sweep_axis *a, const char *text, GPtrArray *out,
                        struct sc_error *err)
{
    if (span_is(text) && a->keys == 1)
        return span_values(key_find_dotted(a->key[0]), text, out, err);
    if (span_is(text))
        return sc_fail(err, "keys that vary together take no range; write k1, k2 = a, x; b, y");
    return add_list(a, text, out, err);
}

/* The values of one step in base units: what makes it the same as another. */
static bool step_text(const struct sweep_axis *a, uint32_t step, GString *out, struct sc_error *err)
{
    for (uint32_t i = 0; i < a->keys; i++) {
        const struct key *k = key_find_dotted(a->key[i]);
        struct value v;
        if (!key_parse(k, a->value[step * a->keys + i], &v, err))
            return false;
        key_print(k, &v, true, out);
        g_string_append_c(out, '\n');
        value_clear(&v);
    }
    return true;
}

/* Every value must be one that its key takes, and no step may come twice. */
static bool check_steps(const struct sweep_axis *a, struct sc_error *err)
{
    GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    bool ok = a->values <= SWEEP_VALUES_MAX ||
              sc_fail(err, "the list has more than %u values", SWEEP_VALUES_MAX);
    for (uint32_t i = 0; i < a->values && ok; i++) {
        GString *text = g_string_new(NULL);
        ok = step_text(a, i, text, err);
        if (ok && !g_hash_table_add(seen, g_strdup(text->str)))
            ok = sc_fail(err, "the value '%s' comes twice; list it once", a->value[i * a->keys]);
        g_string_free(text, TRUE);
    }
    g_hash_table_destroy(seen);
    return ok;
}

bool sweep_axis_parse(const char *name, const char *text, struct sweep_axis *out,
                      struct sc_error *err)
{
    struct sweep_axis a = {0};
    GPtrArray *texts = g_ptr_array_new();
    bool ok = take_keys(name, &a, err) && take_values(&a, text, texts, err);
    a.values = ok ? texts->len / a.keys : 0;
    g_ptr_array_add(texts, NULL);
    a.value = (char **)g_ptr_array_free(texts, FALSE);
    ok = ok && check_steps(&a, err);
    if (ok)
        *out = a;
    else
        sweep_axis_clear(&a);
    return ok;
}

void sweep_axis_clear(struct sweep_axis *a)
{
    g_strfreev(a->key);
    g_strfreev(a->value);
    *a = (struct sweep_axis){0};
}
