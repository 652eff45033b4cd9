/* Comparing a run with a capture; compare.h tells what is strict. */
#include "tests/golden/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"

void trace_add(struct trace *t, const struct packet *p)
{
    if (t->count == t->room) {
        t->room = 2 * t->room + 64;
        t->packet = realloc(t->packet, t->room * sizeof *t->packet);
        CHECK(t->packet != NULL);
    }
    t->packet[t->count++] = *p;
}

void trace_clear(struct trace *t)
{
    free(t->packet);
    *t = (struct trace){0};
}

struct trace trace_recorded(const struct capture *c, unsigned from, bool made)
{
    struct trace t = {0};
    for (uint32_t i = 0; i < c->packets; i++)
        if (c->packet[i].from == from && action_is_made(c->packet[i].col[COL_ACTION]) == made)
            trace_add(&t, &c->packet[i]);
    return t;
}

/* ---- packets ---------------------------------------------------------------------------------- */

enum column packet_difference(const struct packet *want, const struct packet *got, bool action)
{
    for (int i = 0; i < COLUMNS; i++)
        if (want->col[i] != got->col[i] && (action || i != COL_ACTION))
            return (enum column)i;
    return COLUMNS;
}

bool packets_differ(struct trouble *why, uint32_t nth, const struct packet *want,
                    const struct packet *got)
{
    char recorded[200] = "nothing", ours[200] = "nothing";
    if (want)
        packet_words(want, recorded, sizeof recorded);
    if (got)
        packet_words(got, ours, sizeof ours);
    unsigned from = want ? want->from : got->from;
    return trouble_say(why, "packet %u of %c: recorded %s; sent %s", nth, "ab"[from], recorded,
                       ours);
}

static bool same(const struct packet *a, const struct packet *b)
{
    return packet_difference(a, b, true) == COLUMNS;
}

/* Are packets [i, i+n) and [k, k+n) of two traces alike? */
static bool same_round(const struct trace *a, uint32_t i, const struct trace *b, uint32_t k,
                       uint32_t n)
{
    if (i + n > a->count || k + n > b->count)
        return false;
    for (uint32_t j = 0; j < n; j++)
        if (!same(&a->packet[i + j], &b->packet[k + j]))
            return false;
    return true;
}

/*
 * Do the rounds of n packets that end before i come to their end freely: because a step came in
 * between, or the recording ended?
 */
static bool ends_freely(const struct capture *c, const struct trace *want, uint32_t i, uint32_t n)
{
    uint32_t end = i;
    while (same_round(want, end - n, want, end, n))
        end += n;
    tm_ps begin = want->packet[i - n].at;
    /* The last round may be the one that finds what the step brought. */
    tm_ps last = want->packet[end < want->count ? end : end - 1].at;
    if (end == want->count && c->cut_off)
        return true;
    for (uint32_t s = 0; s < c->steps; s++)
        if (c->step[s].at > 0 && c->step[s].done > begin && c->step[s].at <= last)
            return true;
    return false;
}

/* A search over positions (i, k) in both traces, each tried once. */
struct matching {
    const struct capture *c;
    const struct trace *want, *got;
    uint8_t *tried;
    uint32_t farthest_want, farthest_got;
};

#define ROUND_MAX 64u

static bool match_from(struct matching *m, uint32_t i, uint32_t k);

/* One more or one fewer round at (i, k), if that is free. */
static bool match_rounds(struct matching *m, uint32_t i, uint32_t k)
{
    for (uint32_t n = 1; n <= i && n <= k && n <= ROUND_MAX; n++) {
        if (same_round(m->want, i - n, m->want, i, n) && ends_freely(m->c, m->want, i, n) &&
            match_from(m, i + n, k))
            return true;
        if (same_round(m->want, i - n, m->got, k, n) && i >= 2 * n &&
            same_round(m->want, i - 2 * n, m->want, i - n, n) &&
            ends_freely(m->c, m->want, i - n, n) && match_from(m, i, k + n))
            return true;
    }
    return false;
}

static bool match_from(struct matching *m, uint32_t i, uint32_t k)
{
    uint8_t *tried = &m->tried[(size_t)i * (m->got->count + 1) + k];
    if (*tried)
        return false;
    *tried = 1;
    if (i + k > m->farthest_want + m->farthest_got) {
        m->farthest_want = i;
        m->farthest_got = k;
    }
    if (i == m->want->count && k == m->got->count)
        return true;
    if (i < m->want->count && k < m->got->count && same(&m->want->packet[i], &m->got->packet[k]) &&
        match_from(m, i + 1, k + 1))
        return true;
    return match_rounds(m, i, k);
}

bool compare_packets(const struct capture *c, const struct trace *want, const struct trace *got,
                     struct trouble *why)
{
    struct matching m = {c, want, got, NULL, 0, 0};
    m.tried = calloc((size_t)(want->count + 1) * (got->count + 1), 1);
    CHECK(m.tried != NULL);
    bool ok = match_from(&m, 0, 0);
    free(m.tried);
    if (ok)
        return true;
    uint32_t i = m.farthest_want, k = m.farthest_got;
    return packets_differ(why, i + 1, i < want->count ? &want->packet[i] : NULL,
                          k < got->count ? &got->packet[k] : NULL);
}

/* ---- completions, states, memory --------------------------------------------------------------- */

void completion_text(const struct completion *q, char *out, size_t size)
{
    if (!q) {
        snprintf(out, size, "nothing");
        return;
    }
    size_t at =
        (size_t)snprintf(out, size, "%s", xp_status_name((enum xp_status)q->field[CQE_STATUS]));
    for (int i = 0; i < CQE_FIELDS && at < size; i++)
        if (i != CQE_CQ && i != CQE_STATUS && i != CQE_OPCODE && q->field[i] != NONE)
            at += (size_t)snprintf(out + at, size - at, " %s=%lld", completion_field_name[i],
                                   (long long)q->field[i]);
}

const struct completion *nth_completion(const struct completion *q, uint32_t count, unsigned side,
                                        int cq, uint32_t n)
{
    for (uint32_t i = 0; i < count; i++)
        if (q[i].side == side && q[i].field[CQE_CQ] == cq && n-- == 0)
            return &q[i];
    return NULL;
}

static bool compare_queue(const struct end *e, int cq, struct trouble *why)
{
    for (uint32_t n = 0;; n++) {
        const struct completion *want =
            nth_completion(e->c->completion, e->c->completions, e->side, cq, n);
        const struct completion *got = nth_completion(e->done, e->dones, e->side, cq, n);
        if (!want && !got)
            return true;
        if (want && got && memcmp(want->field, got->field, sizeof want->field) == 0)
            continue;
        char recorded[150], ours[150];
        completion_text(want, recorded, sizeof recorded);
        completion_text(got, ours, sizeof ours);
        return trouble_say(why, "%s %u of %c: recorded %s; came %s",
                           cq == CQ_RECV ? "recv" : "send", n + 1, "ab"[e->side], recorded, ours);
    }
}

bool compare_completions(const struct end *e, struct trouble *why)
{
    return compare_queue(e, CQ_SEND, why) && compare_queue(e, CQ_RECV, why);
}

bool final_counts(const struct capture *c, enum final_field field)
{
    enum xp_service_id service;
    if (field != FINAL_RQ_PSN || !xp_service_parse(c->service, &service))
        return true;
    return !(xp_transition_check(service, XP_INIT, XP_RTR, XP_A_STATE | XP_A_RQ_PSN).excess &
             XP_A_RQ_PSN);
}

bool compare_final(const struct end *e, struct trouble *why)
{
    struct xp_qp_query q;
    const int64_t *want = e->c->final[e->side];
    CHECK(xp_qp_query(e->core, e->qpn, &q) == XP_OK);
    const int64_t got[FINAL_FIELDS] = {q.state, q.sq_psn.v, q.rq_psn.v};
    for (int i = 0; i < FINAL_FIELDS; i++)
        if (final_counts(e->c, (enum final_field)i) && want[i] != got[i])
            return trouble_say(why, "final %s of %c: recorded %lld, is %lld", final_field_name[i],
                               "ab"[e->side], (long long)want[i], (long long)got[i]);
    return true;
}

/* "11011": for each piece of a path MTU whether it holds the source's bytes. */
static void chunks_text(const struct end *e, const struct memory *m, const uint8_t *got, char *out)
{
    uint32_t seed = e->c->side[m->from_side].mr[m->from_mr].seed;
    for (uint64_t i = 0; i < m->len; i += e->c->mtu) {
        bool equal = true;
        for (uint64_t k = i; k < m->len && k < i + e->c->mtu; k++)
            equal = equal && got[k] == fill_byte(seed, m->from_off + k);
        *out++ = equal ? '1' : '0';
    }
    *out = 0;
}

static bool compare_piece(const struct end *e, const struct memory *m, struct trouble *why)
{
    const uint8_t *got = e->arena + e->base[m->mr] + m->off;
    char *text = calloc(2, m->len + 1);
    CHECK(text != NULL);
    if (m->compared_with_source)
        chunks_text(e, m, got, text);
    else
        for (uint64_t i = 0; i < m->len; i++)
            sprintf(text + 2 * i, "%02x", got[i]);
    bool ok = strcmp(text, m->text) == 0 ||
              trouble_say(why, "memory of %c at %llu: recorded %s, holds %s", "ab"[e->side],
                          (unsigned long long)m -> off, m -> text, text);
    free(text);
    return ok;
}

bool compare_memory(const struct end *e, struct trouble *why)
{
    for (uint32_t i = 0; i < e->c->memories; i++)
        if (e->c->memory[i].side == e->side && !compare_piece(e, &e->c->memory[i], why))
            return false;
    return true;
}
