/* Spoiling one field of a capture; spoil.h tells why. */
#include "tests/golden/spoil.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/check.h"
#include "tests/golden/compare.h"

/* Of fields that have one of a list of values: how many there are. */
static const int64_t column_values[COLUMNS] = {
    [COL_ACKREQ] = 2, [COL_SE] = 2, [COL_RKEY_OK] = 2, [COL_MIG] = 2, [COL_ACTION] = ACTIONS};
static const int64_t cqe_values[CQE_FIELDS] = {[CQE_CQ] = CQS,
                                               [CQE_STATUS] = XP_WC_STATUSES,
                                               [CQE_OPCODE] = XP_WC_RECV_WRITE_IMM + 1,
                                               [CQE_SRC_OK] = 2};
static const int64_t final_values[FINAL_FIELDS] = {[FINAL_STATE] = XP_STATES};

/* Walks over all fields; stops at the n-th with its place in *s. */
struct walk {
    uint32_t n, at;
    struct spoilt *s;
};

/* true: this is the one.  values: of a field that has one of a list, 0: a number. */
static bool visit(struct walk *w, int64_t *number, char *letter, int64_t values)
{
    if (number && *number == NONE)
        return false;
    if (w->at++ != w->n)
        return false;
    if (w->s) {
        w->s->number = number;
        w->s->letter = letter;
        w->s->values = values;
        w->s->was = number ? *number : *letter;
    }
    return true;
}

static bool walk_packets(struct capture *c, struct walk *w)
{
    for (uint32_t i = 0; c->wire_stable && i < c->packets; i++)
        for (int k = 0; k < COLUMNS; k++)
            if (visit(w, &c->packet[i].col[k], NULL, column_values[k])) {
                if (w->s)
                    snprintf(w->s->text, sizeof w->s->text, "packet %u %s", i + 1, column_name[k]);
                return true;
            }
    return false;
}

static bool walk_completions(struct capture *c, struct walk *w)
{
    for (uint32_t i = 0; i < c->completions; i++)
        for (int k = 0; k < CQE_FIELDS; k++)
            if (visit(w, &c->completion[i].field[k], NULL, cqe_values[k])) {
                if (w->s)
                    snprintf(w->s->text, sizeof w->s->text, "completion %u %s", i + 1,
                             completion_field_name[k]);
                return true;
            }
    return false;
}

static bool walk_ends(struct capture *c, struct walk *w)
{
    for (unsigned s = 0; s < SIDES; s++)
        for (int k = 0; k < FINAL_FIELDS; k++)
            if (final_counts(c, (enum final_field)k) &&
                visit(w, &c->final[s][k], NULL, final_values[k])) {
                if (w->s)
                    snprintf(w->s->text, sizeof w->s->text, "final %s of %c", final_field_name[k],
                             "ab"[s]);
                return true;
            }
    for (uint32_t i = 0; i < c->memories; i++)
        for (char *p = c->memory[i].text; *p; p++)
            if (visit(w, NULL, p, 0)) {
                if (w->s)
                    snprintf(w->s->text, sizeof w->s->text, "memory %u", i + 1);
                return true;
            }
    return false;
}

static bool walk_all(struct capture *c, struct walk *w)
{
    return walk_packets(c, w) || walk_completions(c, w) || walk_ends(c, w);
}

uint32_t spoil_fields(const struct capture *c)
{
    struct walk w = {.n = UINT32_MAX};
    walk_all((struct capture *)c, &w); /* without w.s nothing is written */
    return w.at;
}

/* Another of `count` values; or one bit of a number, or its neighbour. */
static int64_t other_value(int64_t was, int64_t count, struct rng_stream *draw)
{
    if (count)
        return (was + 1 + (int64_t)rng_below(draw, (uint64_t)count - 1)) % count;
    switch (rng_below(draw, 3)) {
    case 0:
        return was + 1;
    case 1:
        return was - 1;
    default:
        return was ^ (int64_t)1 << rng_below(draw, 16);
    }
}

static char other_letter(char was, struct rng_stream *draw)
{
    static const char hex[] = "0123456789abcdef";
    char c = was;
    while (c == was)
        c = was == '0' || was == '1' ? (char)('0' + rng_below(draw, 2)) : hex[rng_below(draw, 16)];
    return c;
}

struct spoilt spoil(struct capture *c, uint32_t n, struct rng_stream *draw)
{
    struct spoilt s = {0};
    struct walk w = {.n = n, .s = &s};
    CHECK(walk_all(c, &w));
    size_t at = strlen(s.text);
    if (s.number) {
        *s.number = other_value(s.was, s.values, draw);
        snprintf(s.text + at, sizeof s.text - at, ": %lld becomes %lld", (long long)s.was,
                 (long long)*s.number);
    } else {
        *s.letter = other_letter((char)s.was, draw);
        snprintf(s.text + at, sizeof s.text - at, ": %c becomes %c", (char)s.was, *s.letter);
    }
    return s;
}

void spoil_undo(const struct spoilt *s)
{
    if (s->number)
        *s->number = s->was;
    else
        *s->letter = (char)s->was;
}
