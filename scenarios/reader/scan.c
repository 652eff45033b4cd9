/*
 * The lines of a scenario file: see scan.h.
 *
 * A group may be continued further down; a key may not come twice.  Comments have lines of their
 * own.  Values are not looked at here: GKeyFile delivers them.
 */
#include "scenarios/reader/scan.h"

#include <glib.h>
#include <string.h>

struct scanner {
    const char *name;
    GArray *entry;
    GHashTable *seen; /* "group\nkey" -> line */
    char *group;
    int line;
    struct sc_error *err;
};

static bool fail_line(struct scanner *s, const char *what)
{
    return sc_fail(s->err, "%s:%d: %s", s->name, s->line, what);
}

/* "[fabric]" -> group fabric */
static bool scan_group(struct scanner *s, const char *text)
{
    size_t len = strlen(text);
    if (text[len - 1] != ']')
        return sc_fail(s->err, "%s:%d: the group header '%s' does not end with ]", s->name, s->line,
                       text);
    g_free(s->group);
    s->group = g_strstrip(g_strndup(text + 1, len - 2));
    if (!s->group[0] || strpbrk(s->group, "[]") || len - 2 != strlen(s->group))
        return sc_fail(s->err, "%s:%d: '%s' is not a group header; write one as [fabric]", s->name,
                       s->line, text);
    struct scan_entry e = {g_strdup(s->group), NULL, s->line};
    g_array_append_val(s->entry, e);
    return true;
}

static bool add_entry(struct scanner *s, const char *key)
{
    if (s->entry->len >= SCAN_ENTRIES_MAX)
        return fail_line(s, "the file has more than 10000 entries; this is not a scenario");
    char *both = g_strdup_printf("%s\n%s", s->group, key);
    int before = GPOINTER_TO_INT(g_hash_table_lookup(s->seen, both));
    if (before) {
        g_free(both);
        return sc_fail(s->err, "%s:%d: [%s] %s was given before, on line %d; give it once", s->name,
                       s->line, s->group, key, before);
    }
    g_hash_table_insert(s->seen, both, GINT_TO_POINTER(s->line));
    struct scan_entry e = {g_strdup(s->group), g_strdup(key), s->line};
    g_array_append_val(s->entry, e);
    return true;
}

static bool scan_pair(struct scanner *s, char *text)
{
    char *eq = strchr(text, '=');
    if (!s->group)
        return sc_fail(s->err, "%s:%d: '%s' stands before the first group; begin with [scenario]",
                       s->name, s->line, text);
    if (!eq)
        return sc_fail(s->err, "%s:%d: [%s] '%s' has no value; write key = value", s->name, s->line,
                       s->group, text);
    *eq = 0;
    g_strstrip(text);
    if (!text[0])
        return sc_fail(s->err, "%s:%d: [%s] a value without a key; write key = value", s->name,
                       s->line, s->group);
    if (strpbrk(text, "[]"))
        return sc_fail(s->err, "%s:%d: [%s] %s: a key has no brackets", s->name, s->line, s->group,
                       text);
    if (!*g_strchug(eq + 1))
        return sc_fail(s->err, "%s:%d: [%s] %s: a key without a value", s->name, s->line, s->group,
                       text);
    return add_entry(s, text);
}

static bool scan_line(struct scanner *s, const char *line, size_t len)
{
    if (len > SCAN_LINE_MAX)
        return fail_line(s, "the line is longer than 65536 bytes");
    if (memchr(line, 0, len))
        return fail_line(s, "the line holds a NUL byte; this is not a text file");
    if (!g_utf8_validate(line, (gssize)len, NULL))
        return fail_line(s, "the line is not UTF-8 text");
    char *text = g_strstrip(g_strndup(line, len));
    bool ok = true;
    if (text[0] == '[')
        ok = scan_group(s, text);
    else if (text[0] && text[0] != '#')
        ok = scan_pair(s, text);
    g_free(text);
    return ok;
}

static bool scan_lines(struct scanner *s, const char *data, size_t len)
{
    const char *end = data + len;
    while (data < end) {
        const char *nl = memchr(data, '\n', (size_t)(end - data));
        const char *stop = nl ? nl : end;
        s->line++;
        if (!scan_line(s, data, (size_t)(stop - data)))
            return false;
        data = nl ? nl + 1 : end;
    }
    return true;
}

bool scan_text(const char *name, const char *data, size_t len, struct scan *out,
               struct sc_error *err)
{
    struct scanner s = {.name = name, .err = err};
    struct scan got = {0};
    if (len > SCAN_FILE_MAX)
        return sc_fail(err, "%s: the file is larger than 16 MiB; this is not a scenario", name);
    if (len >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0)
        got.skip = 3;
    s.entry = g_array_new(FALSE, FALSE, sizeof(struct scan_entry));
    s.seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    bool ok = scan_lines(&s, data + got.skip, len - got.skip);
    g_hash_table_destroy(s.seen);
    g_free(s.group);
    got.count = s.entry->len;
    got.entry = (struct scan_entry *)(void *)g_array_free(s.entry, FALSE);
    if (ok)
        *out = got;
    else
        scan_clear(&got);
    return ok;
}

void scan_clear(struct scan *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        g_free(s->entry[i].group);
        g_free(s->entry[i].key);
    }
    g_free(s->entry);
    *s = (struct scan){0};
}
