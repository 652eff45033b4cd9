/*
 * A text file of other people, line by line: see lines.h.
 */
#include "scenarios/reader/lines.h"

#include <csv.h>
#include <glib.h>
#include <string.h>

#define TEXT_FILE_MAX ((gsize)256 << 20)
#define TEXT_LINE_MAX 4096

bool text_open(struct text *t, const char *path, struct sc_error *err)
{
    gsize len;
    GError *trouble = NULL;
    *t = (struct text){0};
    if (!g_file_get_contents(path, &t->data, &len, &trouble)) {
        sc_fail_unread(err, path, trouble->code);
        g_error_free(trouble);
        return false;
    }
    t->path = g_strdup(path);
    t->at = t->data;
    t->end = t->data + len;
    if (len > TEXT_FILE_MAX) {
        text_close(t);
        return sc_fail(err, "%s: the file is larger than 256 MiB", path);
    }
    return true;
}

void text_close(struct text *t)
{
    g_free(t->path);
    g_free(t->data);
    *t = (struct text){0};
}

/* Ends the line in place; the file's buffer has one byte more than the file (GLib's own 0). */
static char *take_line(struct text *t)
{
    char *line = t->at;
    char *nl = memchr(line, '\n', (size_t)(t->end - line));
    char *stop = nl ? nl : t->end;
    *stop = 0;
    t->at = nl ? nl + 1 : t->end;
    t->line++;
    return line;
}

char *text_next(struct text *t, bool *bad, struct sc_error *err)
{
    *bad = false;
    while (t->at < t->end) {
        const char *before = t->at;
        char *line = take_line(t);
        size_t len = (size_t)(t->at - before);
        *bad = true;
        if (len > TEXT_LINE_MAX) {
            text_fail(t, err, "the line is longer than 4096 bytes");
            return NULL;
        }
        if (strlen(line) + 1 < len || !g_utf8_validate(line, -1, NULL)) {
            text_fail(t, err, "the line is not text");
            return NULL;
        }
        *bad = false;
        g_strstrip(line);
        if (line[0] && line[0] != '#')
            return line;
    }
    return NULL;
}

uint32_t text_split(char *line, char **field)
{
    uint32_t n = 0;
    for (char *p = line; *p;) {
        p += strspn(p, " \t");
        if (!*p)
            break;
        if (n == TEXT_FIELDS_MAX)
            return n + 1;
        field[n++] = p;
        p += strcspn(p, " \t");
        if (*p)
            *p++ = 0;
    }
    return n;
}

struct csv_take {
    GPtrArray *field;
};

static void take_field(void *data, size_t len, void *take)
{
    g_ptr_array_add(((struct csv_take *)take)->field, g_strndup(data, len));
}

uint32_t text_split_csv(const char *line, char **field, char **store)
{
    struct csv_take take = {g_ptr_array_new_with_free_func(g_free)};
    struct csv_parser p;
    GString *all = g_string_new(NULL);
    bool sound = csv_init(&p, CSV_STRICT | CSV_STRICT_FINI) == 0;
    if (sound) {
        size_t len = strlen(line);
        sound = csv_parse(&p, line, len, take_field, NULL, &take) == len &&
                csv_fini(&p, take_field, NULL, &take) == 0;
        csv_free(&p);
    }
    uint32_t n = MIN(take.field->len, TEXT_FIELDS_MAX + 1);
    if (!sound)
        n = 0;
    for (uint32_t i = 0; i < n && n <= TEXT_FIELDS_MAX; i++)
        g_string_append_len(all, g_ptr_array_index(take.field, i),
                            (gssize)strlen(g_ptr_array_index(take.field, i)) + 1);
    char *at = *store = g_string_free(all, FALSE);
    for (uint32_t i = 0; i < n && n <= TEXT_FIELDS_MAX; i++) {
        field[i] = at;
        at += strlen(at) + 1;
    }
    g_ptr_array_free(take.field, TRUE);
    return n;
}

bool text_u64(const struct text *t, const char *what, const char *field, uint64_t max,
              uint64_t *out, struct sc_error *err)
{
    enum value_fault f = value_whole(field, out);
    if (f != VALUE_OK)
        return text_fail(t, err, "the %s '%s' %s; give a whole number", what, field,
                         value_fault_text(f));
    if (*out > max)
        return text_fail(t, err, "the %s '%s' is over %llu", what, field, (unsigned long long)max);
    return true;
}
