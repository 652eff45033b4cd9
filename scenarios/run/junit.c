/*
 * JUnit XML, as CI servers read it.
 */
#include <glib.h>
#include <string.h>

#include "scenarios/run/checked.h"
#include "scenarios/run/csv_out.h"

static void put(GString *s, const char *format, const char *text)
{
    char *escaped = g_markup_escape_text(text, -1);
    g_string_append_printf(s, format, escaped);
    g_free(escaped);
}

static uint32_t failures(const struct checked *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->verdicts.count; i++)
        n += !c->verdicts.v[i].ok;
    return n;
}

static void put_case(GString *s, const struct checked *c, const struct expect_verdict *v)
{
    put(s, "    <testcase classname=\"%s\"", c->stem);
    put(s, " name=\"%s", v->name);
    if (*v->point)
        put(s, " [%s]", v->point);
    g_string_append(s, "\"");
    if (v->ok) {
        g_string_append(s, "/>\n");
        return;
    }
    char *text = expect_verdict_text(v);
    put(s, ">\n      <failure message=\"%s\"/>\n    </testcase>\n", text);
    g_free(text);
}

static void put_suite(GString *s, const struct checked *c)
{
    put(s, "  <testsuite name=\"%s\"", c->stem);
    g_string_append_printf(s, " tests=\"%u\" failures=\"%u\" errors=\"%u\">\n",
                           c->verdicts.count + (c->error != NULL), failures(c), c->error != NULL);
    for (uint32_t i = 0; i < c->verdicts.count; i++)
        put_case(s, c, &c->verdicts.v[i]);
    if (c->error) {
        put(s, "    <testcase classname=\"%s\" name=\"run\">\n", c->stem);
        put(s, "      <error message=\"%s\"/>\n    </testcase>\n", c->error);
    }
    g_string_append(s, "  </testsuite>\n");
}

bool junit_write(const char *path, const struct checked *c, uint32_t n, struct sc_error *err)
{
    GString *s =
        g_string_new("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"rdmasim\">\n");
    for (uint32_t i = 0; i < n; i++)
        put_suite(s, &c[i]);
    g_string_append(s, "</testsuites>\n");
    bool ok = file_whole(path, s->str, s->len, err);
    g_string_free(s, TRUE);
    return ok;
}
