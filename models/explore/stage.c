/*
 * Moving the scene on; stage.h.  It is set by stage_setup.c; fates are stage_fate.c's.
 */
#include "models/explore/stage.h"

#include <stdlib.h>
#include <string.h>

#include "models/explore/flight.h"
#include "models/explore/stage_setup.h"
#include "sim/base/check.h"
#include "sim/base/rng.h"

/* ---- birth ----------------------------------------------------------------------------------- */

static void memory_of(const struct stage *s, uint8_t *memory[TASK_ENDS])
{
    for (uint32_t e = 0; e < TASK_ENDS; e++)
        memory[e] = s->loop->end[e].arena;
}

static void settle_instant(struct stage *s);

struct stage *stage_new(const struct stage_spec *spec, const struct task *task, struct story *story,
                        const char **why)
{
    uint8_t *memory[TASK_ENDS];
    struct stage *s = calloc(1, sizeof *s);
    CHECK(s != NULL);
    *why = NULL;
    s->spec = spec;
    s->task = task;
    s->story = story;
    s->loop = stage_loop(spec, task);
    if (!s->loop || !stage_connect(s)) {
        *why = "the connection could not be set up with these attributes";
        stage_free(s);
        return NULL;
    }
    memory_of(s, memory);
    ledger_init(&s->ledger, task, memory);
    if (spec->recv_late_ps == 0)
        stage_post_recvs(s);
    *why = stage_post_sends(s);
    if (*why) {
        stage_free(s);
        return NULL;
    }
    settle_instant(s);
    return s;
}

static uint8_t *payload_copy(const struct loop_packet *p)
{
    if (!p->payload)
        return NULL;
    uint8_t *bytes = malloc(p->h.payload_bytes);
    CHECK(bytes != NULL);
    memcpy(bytes, p->payload, p->h.payload_bytes);
    return bytes;
}

struct stage *stage_clone(const struct stage *s)
{
    struct stage *c = malloc(sizeof *c);
    CHECK(c != NULL);
    memcpy(c, s, sizeof *c);
    c->story = NULL;
    c->loop = loop_clone(s->loop);
    for (uint32_t i = 0; i < s->helds; i++)
        c->held[i].payload = payload_copy(&s->held[i]);
    return c;
}

void stage_free(struct stage *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->helds; i++)
        free(s->held[i].payload);
    loop_free(s->loop);
    free(s);
}

/* ---- looking --------------------------------------------------------------------------------- */

static void tell_completion(struct stage *s, uint32_t flow, bool sends, const struct xp_wc *wc)
{
    const struct stage_flow *f = &s->flow[flow];
    struct story_event e = {.at = s->loop->now,
                            .kind = sends ? STORY_DONE : STORY_RECEIVED,
                            .end = sends ? f->from : f->to,
                            .wc = *wc};
    if (s->story)
        story_add(s->story, &e);
}

static void tell_timeouts(struct stage *s)
{
    for (uint8_t e = 0; s->story && e < TASK_ENDS; e++) {
        struct story_event event = {.at = s->loop->now, .kind = STORY_TIMER, .end = e};
        const struct xp_counts *c = xp_counts(s->loop->end[e].core);
        uint64_t n = c->ack_timeouts + c->early_retransmissions;
        for (; s->timeouts[e] < n; s->timeouts[e]++)
            story_add(s->story, &event);
    }
}

/* loop_step; an arrival is told. */
static bool step(struct stage *s, tm_ps limit)
{
    struct loop *l = s->loop;
    if (!s->story)
        return loop_step(l, limit);
    struct loop_packet first = l->flights ? l->flight[0] : (struct loop_packet){0};
    uint64_t before = l->flights - l->order; /* a step adds to both what leaves */
    bool moved = loop_step(l, limit);
    struct story_event e = {.at = l->now,
                            .kind = STORY_ARRIVED,
                            .end = (uint8_t)first.to,
                            .packet = first.order,
                            .h = first.h,
                            .e = first.e};
    if (l->flights - l->order != before)
        story_add(s->story, &e);
    return moved;
}

static void poll_flow(struct stage *s, uint32_t flow, bool sends, uint8_t *const memory[TASK_ENDS])
{
    const struct stage_flow *f = &s->flow[flow];
    struct xp *x = s->loop->end[sends ? f->from : f->to].core;
    uint32_t cq = sends ? f->send_cq : f->recv_cq;
    struct xp_wc wc;
    while (xp_poll_cq(x, cq, &wc, 1) == 1) {
        tell_completion(s, flow, sends, &wc);
        if (sends)
            ledger_send_done(&s->ledger, flow, &wc, memory);
        else
            ledger_recv_done(&s->ledger, flow, &wc, memory);
    }
}

static void take_numbers(struct stage *s, uint32_t flow)
{
    const struct stage_flow *f = &s->flow[flow];
    struct xp_qp_query from, to;
    CHECK(xp_qp_query(s->loop->end[f->from].core, f->from_conn, &from) == XP_OK);
    CHECK(xp_qp_query(s->loop->end[f->to].core, f->to_conn, &to) == XP_OK);
    ledger_numbers(&s->ledger, flow, (struct ledger_numbers){from.sq_psn, to.rq_psn, to.msn});
}

/* After one event: memory first, since what it holds now is what the completions speak of. */
static void look(struct stage *s)
{
    uint8_t *memory[TASK_ENDS];
    memory_of(s, memory);
    s->events++;
    tell_timeouts(s);
    ledger_look(&s->ledger, memory);
    for (uint32_t f = 0; f < s->task->spec.flows; f++)
        poll_flow(s, f, false, memory);
    for (uint32_t f = 0; f < s->task->spec.flows; f++)
        poll_flow(s, f, true, memory);
    for (uint32_t f = 0; f < s->task->spec.flows; f++)
        take_numbers(s, f);
    for (uint32_t e = 0; e < TASK_ENDS; e++) {
        const char *pool = xp_exhausted(s->loop->end[e].core);
        if (pool)
            ledger_breach(&s->ledger, LEDGER_RESOURCES, "the pool %s of end %u ran out", pool, e);
    }
}

/* Once all is destroyed nothing may be left of what the connections took. */
static void check_given_back(struct stage *s)
{
    stage_tear_down(s);
    for (uint32_t e = 0; e < TASK_ENDS; e++)
        if (xp_outstanding(s->loop->end[e].core) != 0)
            ledger_breach(&s->ledger, LEDGER_RESOURCES, "%u entries of end %u are never given back",
                          xp_outstanding(s->loop->end[e].core), e);
}

static void finish(struct stage *s)
{
    uint32_t left[TASK_FLOWS] = {0};
    if (!loop_run_quiet(s->loop, s->spec->limit_ps)) {
        ledger_breach(&s->ledger, LEDGER_STUCK, "not quiet when the time was over");
        return;
    }
    for (uint32_t f = 0; f < s->task->spec.flows; f++)
        left[f] = stage_recvs_left(s, f);
    ledger_finish(&s->ledger, left);
    check_given_back(s);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Whatever else happens at this moment; afterwards all packets that leave now have left. */
static void settle_instant(struct stage *s)
{
    while (s->ledger.breach == LEDGER_SOUND && step(s, s->loop->now))
        look(s);
    look(s); /* what left may have completed something, too */
}

/* A packet held for one that never came. */
static bool release_first(struct stage *s)
{
    if (s->helds == 0)
        return false;
    struct loop_packet p = s->held[0];
    memmove(s->held, s->held + 1, --s->helds * sizeof *s->held);
    p.at = s->loop->now + s->spec->delay_ps;
    flight_put(s->loop, s->loop->flights, p);
    return true;
}

static bool post_late(struct stage *s)
{
    if (s->recvs_posted)
        return false;
    s->loop->now = s->spec->recv_late_ps;
    stage_post_recvs(s);
    return true;
}

/* false: nothing happens before the limit. */
static bool move_on(struct stage *s)
{
    tm_ps limit = s->recvs_posted ? s->spec->limit_ps : s->spec->recv_late_ps - 1;
    return step(s, limit) || post_late(s) || (release_first(s) && step(s, s->spec->limit_ps));
}

bool stage_instant(struct stage *s)
{
    if (!move_on(s)) {
        finish(s);
        return false;
    }
    look(s);
    settle_instant(s);
    return true;
}

/* ---- digest ---------------------------------------------------------------------------------- */

static void add(uint64_t *hash, uint64_t v) { *hash = rng_mix(*hash * 3 + v + 1); }

static void add_bytes(uint64_t *hash, const uint8_t *bytes, size_t n)
{
    uint64_t h = n, word;
    for (; n >= 8; n -= 8, bytes += 8) {
        memcpy(&word, bytes, 8);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    for (; n > 0; n--)
        h = (h ^ *bytes++) * 0x100000001b3u;
    add(hash, h);
}

static void add_packet(uint64_t *hash, const struct loop_packet *p, tm_ps at)
{
    const uint8_t *h = (const uint8_t *)&p->h, *e = (const uint8_t *)&p->e;
    add(hash, (uint64_t)at);
    add(hash, (uint64_t)p->from << 16 | p->to);
    add_bytes(hash, h, sizeof p->h);
    add_bytes(hash, e, sizeof p->e);
    if (p->payload)
        add_bytes(hash, p->payload, p->h.payload_bytes);
}

uint64_t stage_digest(const struct stage *s)
{
    const struct loop *l = s->loop;
    uint64_t hash = ledger_digest(&s->ledger);
    for (uint32_t e = 0; e < TASK_ENDS; e++) {
        add(&hash, xp_digest(l->end[e].core, l->now));
        add_bytes(&hash, l->end[e].arena, l->arena_bytes);
    }
    for (uint32_t i = 0; i < l->flights; i++)
        add_packet(&hash, &l->flight[i],
                   (l->flight[i].at - l->now) * 2 + (l->flight[i].order >= s->decided));
    for (uint32_t i = 0; i < s->helds; i++)
        add_packet(&hash, &s->held[i], -1);
    add(&hash, s->helds);
    add(&hash, s->recvs_posted ? 0 : (uint64_t)l->now);
    return hash;
}
