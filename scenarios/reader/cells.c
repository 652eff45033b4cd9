/*
 * The text of every key, from the weakest source to the strongest: default, preset, profile, the
 * scenario, overrides in their order.
 *
 * Where a scenario gives every key that a profile or preset could set, as a manifest does, their files
 * are not asked for: a manifest stands on its own.
 */
#include <string.h>

#include "scenarios/reader/resolve.h"

static const char *const ini_endings[] = {".ini", NULL};
static const struct lookup profiles = {"profiles", "profile", ini_endings};
static const struct lookup presets = {"presets", "preset", ini_endings};

static void put(struct cell *c, const char *text, char *place, bool given)
{
    g_free(c->text);
    g_free(c->place);
    *c = (struct cell){g_strdup(text), place, given};
}

static struct cell *cells_default(const struct sc_file *f)
{
    struct cell *c = g_new0(struct cell, key_count());
    for (uint32_t i = 0; i < key_count(); i++)
        put(&c[i], key_standard(key_at(i)),
            g_strdup_printf("%s: [%s] %s (default)", f->path, key_at(i)->group, key_at(i)->name),
            false);
    return c;
}

void cells_free(struct cell *c)
{
    for (uint32_t i = 0; c && i < key_count(); i++) {
        g_free(c[i].text);
        g_free(c[i].place);
    }
    g_free(c);
}

static void put_file(struct cell *c, const struct sc_file *f, bool given)
{
    for (uint32_t i = 0; i < f->count; i++) {
        const struct sc_line *l = &f->line[i];
        const struct key *k = key_find(l->group, l->key);
        if (k && (f->role == FILE_SCENARIO || k->kind != KIND_NAME))
            put(&c[key_index(k)], l->value,
                g_strdup_printf("%s:%d: [%s] %s", f->path, l->line, l->group, l->key), given);
    }
}

static bool put_overrides(struct cell *c, const struct sc_override *ov, uint32_t n,
                          struct sc_error *err)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct key *k = key_find_dotted(ov[i].name);
        if (!k) {
            key_unknown_dotted(ov[i].name, err);
            return sc_fail_at(err, "%s: ", ov[i].origin);
        }
        put(&c[key_index(k)], ov[i].value, g_strdup_printf("%s %s", ov[i].origin, ov[i].name),
            true);
    }
    return true;
}

/* Does the scenario itself say all that a file of this role could? */
static bool all_given(const struct cell *c, enum file_role role)
{
    for (uint32_t i = 0; i < key_count(); i++) {
        const struct key *k = key_at(i);
        bool concerned =
            k->kind != KIND_NAME &&
            (strcmp(k->group, "qp") == 0 || (role == FILE_PROFILE && !strcmp(k->group, "hca")));
        if (concerned && !c[i].given)
            return false;
    }
    return true;
}

#define BASES_MAX 8

static bool put_path(struct cell *c, const struct sc_file *f, char *path, enum file_role role,
                     uint32_t depth, struct sc_error *err);

/* A profile may name another, whose figures it takes where it has none of its own. */
static bool put_base(struct cell *c, const struct sc_file *f, const struct sc_file *named,
                     uint32_t depth, struct sc_error *err)
{
    const struct sc_line *l = NULL;
    for (uint32_t i = 0; i < named->count; i++)
        if (strcmp(named->line[i].group, "hca") == 0 && strcmp(named->line[i].key, "profile") == 0)
            l = &named->line[i];
    if (!l)
        return true;
    char *path = depth < BASES_MAX ? lookup_find(f, &profiles, l->value, err) : NULL;
    if (depth == BASES_MAX)
        sc_error_set(err, "profiles that begin with each other; let one begin with none");
    if (!path)
        return sc_fail_at(err, "%s:%d: [hca] profile: ", named->path, l->line);
    return put_path(c, f, path, FILE_PROFILE, depth + 1, err);
}

/* Takes the path. */
static bool put_path(struct cell *c, const struct sc_file *f, char *path, enum file_role role,
                     uint32_t depth, struct sc_error *err)
{
    struct sc_file *named = file_load(path, role, err);
    g_free(path);
    if (!named)
        return false;
    bool ok = role != FILE_PROFILE || put_base(c, f, named, depth, err);
    if (ok)
        put_file(c, named, false);
    sc_file_free(named);
    return ok;
}

/* The file that `name` stands for, over the cells; `top` are the cells with all sources in. */
static bool put_named(struct cell *c, const struct sc_file *f, const struct cell *top,
                      enum file_role role, struct sc_error *err)
{
    const struct key *k =
        role == FILE_PROFILE ? key_find("hca", "profile") : key_find("qp", "preset");
    const struct cell *name = &top[key_index(k)];
    struct value v;
    if (!key_parse(k, name->text, &v, err))
        return sc_fail_at(err, "%s: ", name->place);
    value_clear(&v);
    if (strcmp(name->text, "none") == 0 || all_given(top, role))
        return true;
    char *path = lookup_find(f, role == FILE_PROFILE ? &profiles : &presets, name->text, err);
    if (!path && !name->given)
        return true; /* the table's defaults are the default profile's figures */
    if (!path)
        return sc_fail_at(err, "%s: ", name->place);
    return put_path(c, f, path, role, 0, err);
}

struct cell *cells_make(const struct sc_file *f, const struct sc_override *ov, uint32_t n,
                        struct sc_error *err)
{
    struct cell *top = cells_default(f), *c = cells_default(f);
    put_file(top, f, true);
    bool ok = put_overrides(top, ov, n, err) && put_named(c, f, top, FILE_PRESET, err) &&
              put_named(c, f, top, FILE_PROFILE, err);
    if (ok) {
        put_file(c, f, true);
        ok = put_overrides(c, ov, n, err);
    }
    cells_free(top);
    if (ok)
        return c;
    cells_free(c);
    return NULL;
}
