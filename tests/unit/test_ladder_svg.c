/*
 * A ladder as SVG: well-formed, no words over others, arrows that fall, losses crossed.
 */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/ladder.h"
#include "tests/suite.h"

enum { ROWS = 120, WORDS_MAX = 1000 };

/* What GMarkup finds in the picture. */
struct seen {
    int x[WORDS_MAX], y[WORDS_MAX];
    char class[WORDS_MAX][24];
    uint32_t words, crosses, good, bad, brackets, arrows, rising;
    GString *text;
};

static const char *attribute(const char **name, const char **value, const char *which)
{
    for (; *name; name++, value++)
        if (strcmp(*name, which) == 0)
            return *value;
    return "";
}

static void note_path(struct seen *s, const char *class, const char *d)
{
    int x, y, to_x, to_y;
    s->crosses += strcmp(class, "cross") == 0;
    s->bad += strcmp(class, "bad") == 0;
    s->brackets += strcmp(class, "bracket") == 0;
    if (sscanf(d, "M%d %dL%d %d", &x, &y, &to_x, &to_y) != 4 || g_str_has_suffix(class, "-head"))
        return;
    s->arrows++;
    s->rising += to_y <= y;
}

static void element(GMarkupParseContext *c, const char *name, const char **attr, const char **value,
                    gpointer self, GError **error)
{
    struct seen *s = self;
    const char *class = attribute(attr, value, "class");
    s->good += strcmp(name, "circle") == 0 && strcmp(class, "good") == 0;
    if (strcmp(name, "path") == 0)
        note_path(s, class, attribute(attr, value, "d"));
    if (strcmp(name, "text") != 0 || s->words == WORDS_MAX)
        return;
    s->x[s->words] = atoi(attribute(attr, value, "x"));
    s->y[s->words] = atoi(attribute(attr, value, "y"));
    g_strlcpy(s->class[s->words++], class, sizeof s->class[0]);
}

static void text(GMarkupParseContext *c, const char *t, gsize len, gpointer self, GError **error)
{
    g_string_append_len(((struct seen *)self)->text, t, (gssize)len);
}

static bool look(const struct ladder *l, struct seen *s)
{
    const GMarkupParser parser = {.start_element = element, .text = text};
    char *svg = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&svg, &size);
    *s = (struct seen){.text = g_string_new("")};
    ladder_svg(l, out);
    fclose(out);
    GMarkupParseContext *c = g_markup_parse_context_new(&parser, 0, s, NULL);
    bool ok = g_markup_parse_context_parse(c, svg, (gssize)size, NULL) &&
              g_markup_parse_context_end_parse(c, NULL);
    g_markup_parse_context_free(c);
    free(svg);
    return ok;
}

static bool both_in_the_middle(const struct seen *s, uint32_t i, uint32_t k)
{
    return (strstr(s->class[i], "centre") && g_str_has_prefix(s->class[k], "fate")) ||
           (strstr(s->class[k], "centre") && g_str_has_prefix(s->class[i], "fate"));
}

/* Pairs of words in one column that are closer than a line of 12 pixels wants. */
static uint32_t collisions(const struct seen *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->words; i++)
        for (uint32_t k = i + 1; k < s->words; k++)
            n += abs(s->y[i] - s->y[k]) < 14 && (s->x[i] == s->x[k] || both_in_the_middle(s, i, k));
    return n;
}

static struct ladder_row rows[ROWS];

/* A pipelined stream with answers, losses at both ends, events at the same moment and a long wait. */
static void fill_rows(void)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        struct ladder_row *r = &rows[i];
        tm_ps at = i * 90 * TM_NS + (i > 60 ? 67 * TM_MS : 0);
        *r = (struct ladder_row){
            .at = at, .until = at + TM_US, .kind = LADDER_PACKET, .end = i % 3 == 2};
        r->h.opcode = wire_opcode(WIRE_RC, r->end ? OP_ACKNOWLEDGE : OP_WRITE_MIDDLE);
        r->h.psn = psn(0xffffff);
        r->h.syndrome = i % 2 ? 0x1f : 0x60;
        r->fate = i % 10 == 3 ? LADDER_LOST : LADDER_ARRIVED;
        r->text = r->fate == LADDER_LOST ? "a < b & c" : NULL;
        r->again = i > 60;
    }
    rows[40].kind = LADDER_TIMER_SET;
    rows[61].kind = LADDER_TIMER_FIRED;
    rows[61].end = rows[40].end;
    rows[100].kind = rows[101].kind = LADDER_DONE;
    rows[101].at = rows[100].at;
    rows[101].end = rows[100].end;
    rows[101].bad = true;
}

static void ladder_svg_words_never_overlap(void)
{
    struct ladder l = {.title = "1 < 2", .end = {"a", "b"}, .row = rows, .rows = ROWS};
    struct seen *s = g_new0(struct seen, 1);
    fill_rows();
    CU_ASSERT_TRUE(look(&l, s));
    CU_ASSERT_TRUE(s->words > 2 * 100);
    CU_ASSERT_TRUE(s->words < WORDS_MAX);
    CU_ASSERT_EQUAL(collisions(s), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(s->text->str, "1 < 2"));
    CU_ASSERT_PTR_NOT_NULL(strstr(s->text->str, "lost: a < b & c"));
    CU_ASSERT_PTR_NOT_NULL(strstr(s->text->str, "66.999 ms pass"));
    g_string_free(s->text, TRUE);
    g_free(s);
}

static void ladder_svg_marks_what_happened(void)
{
    struct ladder l = {.end = {"a", "b"}, .row = rows, .rows = ROWS};
    struct seen *s = g_new0(struct seen, 1);
    fill_rows();
    CU_ASSERT_TRUE(look(&l, s));
    CU_ASSERT_EQUAL(s->arrows, ROWS - 4);
    CU_ASSERT_EQUAL(s->rising, 0);
    CU_ASSERT_EQUAL(s->crosses, 12 + 1); /* one in the legend */
    CU_ASSERT_EQUAL(s->brackets, 1);
    CU_ASSERT_EQUAL(s->good, 1 + 1);
    CU_ASSERT_EQUAL(s->bad, 1 + 1);
    g_string_free(s->text, TRUE);
    g_free(s);
}

static void ladder_svg_cut_says_what_is_missing(void)
{
    struct ladder l = {
        .end = {"a", "b"}, .row = rows, .rows = ROWS, .cut = {.first = 1, .count = 9}};
    struct seen *s = g_new0(struct seen, 1);
    fill_rows();
    CU_ASSERT_TRUE(look(&l, s));
    CU_ASSERT_EQUAL(s->arrows, 9);
    CU_ASSERT_PTR_NOT_NULL(strstr(s->text->str, "1 earlier row left out"));
    CU_ASSERT_PTR_NOT_NULL(strstr(s->text->str, "110 later rows left out"));
    g_string_free(s->text, TRUE);
    l.rows = 0;
    CU_ASSERT_TRUE(look(&l, s));
    CU_ASSERT_EQUAL(s->arrows, 0);
    g_string_free(s->text, TRUE);
    g_free(s);
}

/* Where nothing arrives, no flight time is known; lost packets fall all the same. */
static void ladder_svg_lone_losses_fall(void)
{
    struct ladder l = {.end = {"a", "b"}, .row = rows, .rows = 3};
    struct seen *s = g_new0(struct seen, 1);
    fill_rows();
    for (int i = 0; i < 3; i++)
        rows[i].fate = LADDER_LOST;
    rows[2].at += TM_MS;
    CU_ASSERT_TRUE(look(&l, s));
    CU_ASSERT_EQUAL(s->arrows, 3);
    CU_ASSERT_EQUAL(s->rising, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(s->text->str, "1.000 ms pass"));
    CU_ASSERT_EQUAL(collisions(s), 0);
    g_string_free(s->text, TRUE);
    g_free(s);
}

static const struct test tests[] = {
    TEST(ladder_svg_words_never_overlap), TEST(ladder_svg_marks_what_happened),
    TEST(ladder_svg_lone_losses_fall), TEST(ladder_svg_cut_says_what_is_missing), TESTS_END};
const struct suite suite_ladder_svg = {"ladder_svg", tests};
