/*
 * A ladder as SVG: two lifelines, a slanted arrow a packet, words outside the lifelines where no arrow
 * can cross them, a bracket from each timer's setting to its firing, silences cut short.
 *
 * Every event (a departure, an arrival, what happens at an end) is a point; heights are a function of time
 * that never decreases, stretched where one end has more to say than fits.  So arrows cross only where the
 * packets overtook each other or met on the way.
 */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/ladder_part.h"

enum {
    WIDTH = 1140,
    LIFE_LEFT = 420,
    LIFE_RIGHT = 720,
    TIME_LEFT = 78,
    TIME_RIGHT = 1130,
    WORDS_OFF = 22, /* of the words from their lifeline; the brackets lie between */
    BRACKET_OFF = 11,
    LINE = 17,   /* between words at one end */
    STEP = 3,    /* between events at different ends and times */
    FLIGHT = 44, /* the usual flight */
    DROP = 12,   /* what an arrow falls at least */
    BREAK = 46,
    HEAD = 64
};

struct point {
    tm_ps t;
    uint32_t row;
    uint8_t end;
    bool arrival;
    bool
        ghost; /* where a packet that never arrived would have: gives its arrow the slope of the others */
    int y;
};

struct drawing {
    const struct ladder *l;
    struct ladder_span span;
    FILE *out;
    struct point *point;
    uint32_t points;
    int *leave_y, *arrive_y; /* by row */
    int crosses_end;         /* the lowest cross, its words in */
    int bottom;
    tm_ps flight, silence;
    GArray *breaks; /* struct gap */
};

struct gap {
    int y;
    tm_ps length;
};

static int life_x(unsigned end) { return end == 0 ? LIFE_LEFT : LIFE_RIGHT; }

/* ---- heights --------------------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return x->arrival - y->arrival;
}

static void find_points(struct drawing *d)
{
    d->point = g_new(struct point, 2 * (d->span.end - d->span.first) + 1);
    for (uint32_t i = d->span.first; i < d->span.end; i++) {
        const struct ladder_row *r = &d->l->row[i];
        d->point[d->points++] = (struct point){r->at, i, r->end, false, false, 0};
        if (r->kind == LADDER_PACKET) {
            bool ghost = !ladder_arrives(r);
            tm_ps t = ghost ? tm_add(r->at, d->flight) : r->until;
            d->point[d->points++] = (struct point){t, i, !r->end, true, ghost, 0};
        }
    }
    qsort(d->point, d->points, sizeof *d->point, by_time);
}

/* How far below the last point a time later by dt lies. */
static int height_of(struct drawing *d, tm_ps dt, int y)
{
    if (dt > d->silence) {
        struct gap g = {y + BREAK / 2 + 4, dt};
        g_array_append_val(d->breaks, g);
        return BREAK + 8;
    }
    if (dt == 0)
        return 0;
    if (d->flight == 0)
        return STEP;
    return dt >= d->flight ? FLIGHT : MAX(STEP, (int)(dt * FLIGHT / d->flight));
}

static void find_heights(struct drawing *d)
{
    int y = HEAD + 24, last[2] = {y - LINE, y - LINE};
    tm_ps t = d->points ? d->point[0].t : 0;

    for (uint32_t i = 0; i < d->points; i++) {
        struct point *p = &d->point[i];
        if (p->t - t > d->silence) /* its words stand in the middle, as those of crosses do */
            y = MAX(y, d->crosses_end);
        y += height_of(d, p->t - t, y);
        t = p->t;
        if (!p->ghost)
            y = MAX(y, last[p->end] + LINE);
        if (p->arrival && !p->ghost)
            y = MAX(y, d->leave_y[p->row] + DROP);
        p->y = p->ghost ? MAX(y, d->leave_y[p->row] + FLIGHT) : y;
        if (p->ghost)
            d->crosses_end = MAX(d->crosses_end, (d->leave_y[p->row] + p->y) / 2 + LINE / 2);
        else
            last[p->end] = y;
        (p->arrival ? d->arrive_y : d->leave_y)[p->row] = p->y;
    }
    d->bottom = MAX(y, d->crosses_end) + 30;
}

/* ---- shapes ---------------------------------------------------------------------------------------- */

static void put_escaped(FILE *out, const char *text)
{
    char *safe = g_markup_escape_text(text, -1);
    fputs(safe, out);
    g_free(safe);
}

static void put_words(FILE *out, const char *class, int x, int y, const char *words)
{
    fprintf(out, "<text class='%s' x='%d' y='%d'>", class, x, y);
    put_escaped(out, words);
    fputs("</text>\n", out);
}

static const char *arrow_class(const struct ladder_row *r)
{
    const struct wire_op_row *op = wire_op_row(r->h.opcode);
    bool has_aeth = wire_headers_of(r->h.opcode).set & HDR_AETH;

    if (has_aeth && aeth_kind(r->h.syndrome) != AETH_ACK)
        return "nak";
    if (r->again)
        return "again";
    return op && op->response ? "answer" : "request";
}

static void put_cross(FILE *out, int x, int y)
{
    fprintf(out, "<path class='cross' d='M%d %dl12 12m0 -12l-12 12'/>\n", x - 6, y - 6);
}

static void put_head(FILE *out, const char *class, int x, int y, int dx, int dy)
{
    /* The arrow's direction in 64ths, by a square root of whole numbers: the same on every machine. */
    int length = 0;
    while ((length + 1) * (length + 1) <= dx * dx + dy * dy)
        length++;
    length = MAX(length, 1);
    int ux = dx * 64 / length, uy = dy * 64 / length;
    int bx = x - ux * 10 / 64, by = y - uy * 10 / 64;
    fprintf(out, "<path class='%s-head' d='M%d %dL%d %dL%d %dz'/>\n", class, x, y, bx - uy * 4 / 64,
            by + ux * 4 / 64, bx + uy * 4 / 64, by - ux * 4 / 64);
}

static void draw_packet(const struct drawing *d, uint32_t i)
{
    const struct ladder_row *r = &d->l->row[i];
    const char *class = arrow_class(r);
    int x = life_x(r->end), there = life_x(!r->end), y = d->leave_y[i];
    bool arrives = ladder_arrives(r);
    int end_x = arrives ? there : (x + there) / 2;
    int end_y = arrives ? d->arrive_y[i] : (y + d->arrive_y[i]) / 2;

    fprintf(d->out, "<path class='%s' d='M%d %dL%d %d'/>\n", class, x, y, end_x, end_y);
    if (r->fate == LADDER_LOST || r->fate == LADDER_SPOILED)
        put_cross(d->out, end_x + (arrives ? (r->end == 0 ? -8 : 8) : 0), end_y);
    else
        put_head(d->out, class, end_x, end_y, end_x - x, end_y - y);
}

/* Beside the cross, on the side that its arrow does not come from. */
static void draw_fate(const struct drawing *d, uint32_t i)
{
    const struct ladder_row *r = &d->l->row[i];
    int middle = (LIFE_LEFT + LIFE_RIGHT) / 2, y = (d->leave_y[i] + d->arrive_y[i]) / 2;
    char words[LADDER_WORDS_MAX];

    if (r->kind != LADDER_PACKET || ladder_arrives(r) || !ladder_fate_words(r, words))
        return;
    put_words(d->out, r->end == 0 ? "fate right" : "fate left", middle + (r->end == 0 ? 12 : -12),
              y + 4, words);
}

/* A mark on the lifeline: filled for trouble and for what ends a message well, hollow otherwise. */
static void draw_mark(const struct drawing *d, uint32_t i)
{
    const struct ladder_row *r = &d->l->row[i];
    FILE *out = d->out;
    int x = life_x(r->end), y = d->leave_y[i];

    switch ((enum ladder_kind)r->kind) {
    case LADDER_PACKET:
        break;
    case LADDER_TIMER_SET:
        fprintf(out, "<circle class='hollow' cx='%d' cy='%d' r='3'/>\n", x, y);
        break;
    case LADDER_TIMER_FIRED:
        fprintf(out,
                "<circle class='hollow' cx='%d' cy='%d' r='6'/>"
                "<path class='hand' d='M%d %dv-4m0 4h3'/>\n",
                x, y, x, y);
        break;
    case LADDER_STATE:
        fprintf(out, "<path class='hollow' d='M%d %dl6 6l-6 6l-6 -6z'/>\n", x, y - 6);
        break;
    case LADDER_DONE:
        if (r->bad)
            fprintf(out, "<path class='bad' d='M%d %dh10v10h-10z'/>\n", x - 5, y - 5);
        else
            fprintf(out, "<circle class='good' cx='%d' cy='%d' r='5'/>\n", x, y);
        break;
    case LADDER_NOTE:
        fprintf(out, "<circle class='hollow' cx='%d' cy='%d' r='2'/>\n", x, y);
        break;
    }
}

/* From the latest setting of that end's timer to its firing. */
static void draw_bracket(const struct drawing *d, uint32_t fired)
{
    const struct ladder_row *r = &d->l->row[fired];
    uint32_t i = fired;

    while (i > d->span.first) {
        const struct ladder_row *s = &d->l->row[--i];
        if (s->end != r->end || (s->kind != LADDER_TIMER_SET && s->kind != LADDER_TIMER_FIRED))
            continue;
        if (s->kind == LADDER_TIMER_FIRED)
            return;
        int x = life_x(r->end) + (r->end == 0 ? -BRACKET_OFF : BRACKET_OFF);
        int in = r->end == 0 ? 5 : -5;
        fprintf(d->out, "<path class='bracket' d='M%d %dh%dV%dh%d'/>\n", x + in, d->leave_y[i], -in,
                d->leave_y[fired], in);
        return;
    }
}

static const char *words_class(const struct ladder_row *r)
{
    if (r->kind == LADDER_PACKET)
        return r->fate == LADDER_LOST || r->fate == LADDER_SPOILED ||
                       strcmp(arrow_class(r), "nak") == 0
                   ? "trouble"
                   : "plain";
    if (r->kind == LADDER_TIMER_FIRED || (r->kind == LADDER_DONE && r->bad))
        return "trouble";
    return "local";
}

static void draw_row_words(const struct drawing *d, const struct point *p)
{
    const struct ladder_row *r = &d->l->row[p->row];
    char words[2 * LADDER_WORDS_MAX], fate[LADDER_WORDS_MAX], at[32], class[32];
    int sign = p->end == 0 ? -1 : 1;

    if (p->ghost)
        return;
    ladder_time_text(p->t, at);
    put_words(d->out, p->end == 0 ? "time left" : "time right",
              p->end == 0 ? TIME_LEFT : TIME_RIGHT, p->y + 4, at);
    if (p->arrival) {
        bool more = ladder_fate_words(r, fate);
        g_snprintf(words, sizeof words, "%u in%s%s", r->h.psn.v, more ? ", " : "", fate);
        g_snprintf(class, sizeof class, "in %s", p->end == 0 ? "left" : "right");
    } else {
        ladder_row_words(r, words, false);
        g_snprintf(class, sizeof class, "%s %s", words_class(r), p->end == 0 ? "left" : "right");
    }
    put_words(d->out, class, life_x(p->end) + sign * WORDS_OFF, p->y + 4, words);
}

/* ---- the sheet ------------------------------------------------------------------------------------- */

static const char style[] =
    "text{font:12px 'DejaVu Sans',Verdana,sans-serif;fill:#111}"
    ".left{text-anchor:end}.centre{text-anchor:middle}.right{text-anchor:start}"
    ".title{font-size:15px;font-weight:bold}.end{font-size:13px;font-weight:bold;text-anchor:"
    "middle}"
    ".time{fill:#555;font-size:11px;text-anchor:end}.in{fill:#555;font-size:10px}"
    ".plain{fill:#111}.fate{fill:#a01818;font-size:11px;font-style:italic;paint-order:stroke;"
    "stroke:#fff;stroke-width:4px;stroke-linejoin:round}.trouble{fill:#a01818;font-weight:bold}"
    ".local{font-style:italic;fill:#333}"
    ".life{stroke:#000;stroke-width:2}.quiet{stroke:#fff;stroke-width:3}"
    ".dots{stroke:#000;stroke-width:2;stroke-dasharray:2 5}"
    ".request,.answer,.again,.nak,.bracket,.cross,.hand{fill:none}"
    ".request{stroke:#10488a;stroke-width:1.6}.request-head{fill:#10488a}"
    ".answer{stroke:#777;stroke-width:1.2}.answer-head{fill:#777}"
    ".again{stroke:#c06000;stroke-width:3}.again-head{fill:#c06000}"
    ".nak{stroke:#a01818;stroke-width:2;stroke-dasharray:7 3}.nak-head{fill:#a01818}"
    ".bracket{stroke:#333;stroke-width:1.2;stroke-dasharray:3 2}"
    ".cross{stroke:#a01818;stroke-width:3.5}.hand{stroke:#000;stroke-width:1.3}"
    ".hollow{fill:#fff;stroke:#000;stroke-width:1.5}.good{fill:#1b7a3a;stroke:#000}"
    ".bad{fill:#000}";

static void draw_sheet(const struct drawing *d)
{
    int height = d->bottom + 58;

    fprintf(d->out,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d'>\n"
            "<style>%s</style>\n<rect width='%d' height='%d' fill='#fff'/>\n",
            WIDTH, height, WIDTH, height, style, WIDTH, height);
    if (d->l->title)
        put_words(d->out, "title centre", WIDTH / 2, 24, d->l->title);
    for (unsigned e = 0; e < 2; e++) {
        put_words(d->out, "end", life_x(e), 52, d->l->end[e]);
        fprintf(d->out, "<path class='life' d='M%d %dV%d'/>\n", life_x(e), HEAD, d->bottom);
    }
    put_words(d->out, "time", TIME_LEFT, 52, "us");
    put_words(d->out, "time", TIME_RIGHT, 52, "us");
}

static void draw_breaks(const struct drawing *d)
{
    for (guint i = 0; i < d->breaks->len; i++) {
        const struct gap *g = &g_array_index(d->breaks, struct gap, i);
        char how_long[32], text[64];
        ladder_length_text(g->length, how_long);
        g_snprintf(text, sizeof text, "%s pass", how_long);
        for (unsigned e = 0; e < 2; e++)
            fprintf(d->out,
                    "<path class='quiet' d='M%d %dv%d'/><path class='dots' d='M%d %dv%d'/>\n",
                    life_x(e), g->y - 12, 24, life_x(e), g->y - 12, 24);
        put_words(d->out, "local centre", WIDTH / 2, g->y + 4, text);
    }
}

static void draw_left_out(const struct drawing *d)
{
    char text[64];

    if (ladder_left_out(d->span.first, "earlier", text))
        put_words(d->out, "local centre", WIDTH / 2, HEAD + 12, text);
    if (ladder_left_out(d->l->rows - d->span.end, "later", text))
        put_words(d->out, "local centre", WIDTH / 2, d->bottom, text);
}

static void draw_legend(const struct drawing *d)
{
    static const struct {
        const char *class, *words;
    } entry[] = {
        {"request", "request"}, {"again", "sent again"}, {"answer", "answer"}, {"nak", "NAK"}};
    int y = d->bottom + 34, x = 210;

    for (size_t i = 0; i < G_N_ELEMENTS(entry); i++, x += 130) {
        fprintf(d->out, "<path class='%s' d='M%d %dh30'/>\n", entry[i].class, x, y);
        put_head(d->out, entry[i].class, x + 38, y, 1, 0);
        put_words(d->out, "right", x + 44, y + 4, entry[i].words);
    }
    put_cross(d->out, x + 8, y);
    put_words(d->out, "right", x + 20, y + 4, "lost");
    fprintf(d->out, "<circle class='good' cx='%d' cy='%d' r='5'/>\n", x + 80, y);
    put_words(d->out, "right", x + 90, y + 4, "done");
    fprintf(d->out, "<path class='bad' d='M%d %dh10v10h-10z'/>\n", x + 150, y - 5);
    put_words(d->out, "right", x + 165, y + 4, "error");
}

static void draw(const struct drawing *d)
{
    draw_sheet(d);
    draw_breaks(d);
    for (uint32_t i = d->span.first; i < d->span.end; i++)
        if (d->l->row[i].kind == LADDER_PACKET)
            draw_packet(d, i);
    for (uint32_t i = d->span.first; i < d->span.end; i++) {
        if (d->l->row[i].kind == LADDER_TIMER_FIRED)
            draw_bracket(d, i);
        draw_mark(d, i);
    }
    for (uint32_t i = d->span.first; i < d->span.end; i++)
        draw_fate(d, i);
    for (uint32_t i = 0; i < d->points; i++)
        draw_row_words(d, &d->point[i]);
    draw_left_out(d);
    draw_legend(d);
    fputs("</svg>\n", d->out);
}

void ladder_svg(const struct ladder *l, FILE *out)
{
    struct drawing d = {.l = l, .span = ladder_span(l), .out = out};

    d.flight = ladder_flight_ps(l, d.span);
    d.silence = ladder_silence_ps(l, d.span);
    d.leave_y = g_new0(int, l->rows + 1);
    d.arrive_y = g_new0(int, l->rows + 1);
    d.breaks = g_array_new(FALSE, FALSE, sizeof(struct gap));
    find_points(&d);
    find_heights(&d);
    draw(&d);
    g_array_free(d.breaks, TRUE);
    g_free(d.point);
    g_free(d.leave_y);
    g_free(d.arrive_y);
}
