/* Which ends, which rows, which format, where to. */
#include "scenarios/run/ladder_out.h"

#include <string.h>

#include "analysis/file_whole.h"

static int wrong(const char *command, const char *text)
{
    fprintf(stderr, "rdmasim %s: %s\n", command, text);
    return 2;
}

static bool read_ends(const struct ladder_out *o, const struct talk *t, struct talk_end end[2],
                      char *err, uint32_t err_size)
{
    char **name = g_strsplit(o->ends ? o->ends : ",", ",", 3);
    bool ok = name[0] && name[1] && !name[2];

    if (!ok)
        g_snprintf(err, err_size, "--ends '%s': two ends, A,B, were expected", o->ends);
    for (unsigned e = 0; ok && e < 2; e++)
        ok = talk_end_parse(t, name[e], &end[e], err, err_size);
    g_strfreev(name);
    if (ok && o->qp && end[0].qp == 0)
        end[0].qp = o->qp;
    return ok;
}

/* "N..M", "N..", "N": counted from 1. */
static bool read_rows(const char *text, struct ladder_cut *cut)
{
    char *end;
    guint64 first, last;

    if (!text) {
        cut->count = LADDER_OUT_ROWS;
        return true;
    }
    if (!g_ascii_isdigit(text[0]))
        return false;
    first = g_ascii_strtoull(text, &end, 10);
    last = first;
    if (g_str_has_prefix(end, "..")) {
        const char *from = end + 2;
        last = *from ? g_ascii_strtoull(from, &end, 10) : UINT32_MAX;
        end = *from && g_ascii_isdigit(*from) ? end : (char *)from;
    }
    if (*end || first < 1 || last < first || last > UINT32_MAX)
        return false;
    cut->first = (uint32_t)(first - 1);
    cut->count = (uint32_t)(last - first + (last != UINT32_MAX));
    return true;
}

typedef void draw_fn(const struct ladder *l, FILE *out);

/* NULL: no such format. */
static draw_fn *find_format(const struct ladder_out *o)
{
    const char *name = o->format ? o->format : "text";

    if (!o->format && o->out && g_str_has_suffix(o->out, ".svg"))
        name = "svg";
    return strcmp(name, "text") == 0 ? ladder_text : strcmp(name, "svg") == 0 ? ladder_svg : NULL;
}

static int draw_to(const struct ladder_out *o, const char *command, draw_fn *draw,
                   const struct ladder *l)
{
    struct file_whole file;
    char err[400] = "";

    if (!o->out) {
        draw(l, stdout);
        return 0;
    }
    if (file_whole_open(&file, o->out, err, sizeof err)) {
        draw(l, file.out);
        if (file_whole_commit(&file, err, sizeof err))
            return 0;
    }
    wrong(command, err);
    return 3;
}

static int draw_between(const struct ladder_out *o, const char *command, const struct talk *t,
                        const struct talk_end end[2], struct ladder *l, draw_fn *draw)
{
    GArray *row = talk_rows(t, end);
    char *name[2] = {talk_end_name(t, end[0]), talk_end_name(t, end[1])};

    l->end[0] = name[0];
    l->end[1] = name[1];
    l->row = (const struct ladder_row *)(const void *)row->data;
    l->rows = row->len;
    int code = draw_to(o, command, draw, l);
    g_free(name[0]);
    g_free(name[1]);
    g_array_free(row, TRUE);
    return code;
}

/* --qp may mean either end, where --ends leaves it open. */
static bool pick(const struct ladder_out *o, const struct talk *t, struct talk_end end[2])
{
    struct talk_end other[2] = {end[0], end[1]};

    if (talk_pick(t, end))
        return true;
    if (o->qp == 0 || other[1].qp != 0)
        return false;
    other[0].qp = 0;
    other[1].qp = o->qp;
    memcpy(end, other, sizeof other);
    return talk_pick(t, end);
}

int ladder_out(const struct ladder_out *o, const char *command, const struct talk *t,
               const char *title)
{
    struct ladder l = {.title = title, .cut = {.from = o->from, .to = o->to}};
    struct talk_end end[2];
    draw_fn *draw = find_format(o);
    char err[300] = "";

    if (!draw)
        return wrong(command, "--format: text or svg was expected");
    if (!read_rows(o->rows, &l.cut))
        return wrong(command, "--rows: two numbers, N..M, counted from 1, were expected");
    if (!read_ends(o, t, end, err, sizeof err))
        return wrong(command, err);
    if (!pick(o, t, end))
        return wrong(command, "there is no packet between such ends");
    return draw_between(o, command, t, end, &l, draw);
}
