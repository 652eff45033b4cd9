/*
 * The manifest: a scenario that, run again, is the same run.
 *
 * Every key with its value in base units; groups that are not models as they stand in the file.  Left
 * out: [sweep] and [check], whose effect is in the values; workload.depth where an open load leaves it
 * without a meaning; anything of this machine.
 */
#include <string.h>

#include "scenarios/reader/resolve.h"

#ifndef RDMASIM_VERSION
#define RDMASIM_VERSION "unknown"
#endif

static const struct cell *cell_of(const struct cell *c, const char *dotted)
{
    return &c[key_index(key_find_dotted(dotted))];
}

/* A key whose text would be refused beside the others, or is empty. */
static bool is_left_out(const struct cell *c, uint32_t i)
{
    if (!c[i].text[0])
        return true;
    return key_find("workload", "depth") == key_at(i) &&
           strcmp(cell_of(c, "workload.load")->text, "none") != 0;
}

static bool write_key(const struct cell *c, const struct key *k, FILE *out)
{
    struct value v;
    struct sc_error err;
    GString *text = g_string_new(NULL);
    bool ok = key_parse(k, c->text, &v, &err);
    if (ok) {
        key_print(k, &v, true, text);
        fprintf(out, "%s = %s\n", k->name, text->str);
        value_clear(&v);
    }
    g_string_free(text, TRUE);
    return ok;
}

static bool write_keys(const struct cell *c, FILE *out)
{
    const char *group = "";
    for (uint32_t i = 0; i < key_count(); i++) {
        if (strcmp(group, key_at(i)->group) != 0)
            fprintf(out, "\n[%s]\n", key_at(i)->group);
        group = key_at(i)->group;
        if (!is_left_out(c, i) && !write_key(&c[i], key_at(i), out))
            return false;
    }
    return true;
}

static void write_lines(const struct sc_file *f, const char *family, FILE *out)
{
    const struct sc_line *l;
    uint32_t n = sc_lines(f, family, &l);
    const char *group = "";
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(group, l[i].group) != 0)
            fprintf(out, "\n[%s]\n", l[i].group);
        group = l[i].group;
        fprintf(out, "%s = %s\n", l[i].key, l[i].value);
    }
}

bool sc_manifest_write(const struct sc_file *f, const struct sc_override *ov, uint32_t n, FILE *out)
{
    struct sc_error err;
    struct cell *c = cells_make(f, ov, n, &err);
    if (!c)
        return false;
    fprintf(out, "# rdmasim %s: one run, resolved; `rdmasim run` on this file repeats it.\n",
            RDMASIM_VERSION);
    bool ok = write_keys(c, out);
    write_lines(f, "inject", out);
    write_lines(f, "plot", out);
    write_lines(f, "expect", out);
    cells_free(c);
    return ok && !ferror(out);
}
