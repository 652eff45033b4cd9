/*
 * A capture with both ends of ours: its steps at their planned times, its rules on the wire.
 *
 * It ends as the recording did: all expected completions there, nothing on its way and the wire
 * idle for the settling time; or the longest time is over.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "tests/golden/compare.h"
#include "tests/golden/relay.h"
#include "tests/golden/runs.h"

/* Least time between two packets of one end. */
#define PACKET_GAP (20 * TM_US)

/*
 * What a guest of the recorder took to get a packet and answer it, beyond the relay's delay; it is
 * not recorded, and where a timer and an answer are close it decides.  Tried from the first on.
 */
static const tm_ps guest_delays[] = {0, 1500 * TM_US, 4 * TM_MS};

/* A packet on its way. */
struct transit {
    struct transit *next;
    tm_ps at;
    unsigned to;
    bool intact;
    int made; /* enum action of what the relay made; ACT_FWD: as it was */
    struct flight f;
};

struct world {
    const struct capture *c;
    struct end end[SIDES];
    struct relay relay;
    struct transit *first; /* in the order of time */
    struct trace sent[SIDES], made[SIDES];
    tm_ps now, guest_delay, free_at[SIDES];
    tm_ps busy_at; /* the wire saw something last */
    uint32_t step;
    struct trouble *why;
    bool ok;
};

static void put_on_way(struct world *w, unsigned to, const struct flight *f, tm_ps at, int made)
{
    struct transit *t = calloc(1, sizeof *t), **p = &w->first;
    CHECK(t != NULL);
    *t = (struct transit){.at = at, .to = to, .intact = made != ACT_CORRUPTED, .made = made};
    t->f = *f;
    while (*p && (*p)->at <= at)
        p = &(*p)->next;
    t->next = *p;
    *p = t;
}

/* A packet of `side` reaches the relay. */
static void relay_packet(struct world *w, unsigned side, struct flight *f)
{
    struct packet p = end_describe(&w->end[side], f);
    p.at = w->busy_at = w->now;
    const struct rule *r = relay_judge(&w->relay, &p);
    unsigned to = other_side(side);
    tm_ps due = w->now + w->c->link_delay + w->guest_delay;

    p.col[COL_ACTION] = r ? (int64_t)r->action : ACT_FWD;
    trace_add(&w->sent[side], &p);
    if (!r || r->action == ACT_DUP)
        put_on_way(w, to, f, due, ACT_FWD);
    for (uint32_t i = 1; r && r->action == ACT_DUP && i <= r->copies; i++)
        put_on_way(w, to, f, due + r->delay * i, ACT_DUPLICATE);
    if (r && r->action == ACT_DELAY)
        put_on_way(w, to, f, due + r->delay, ACT_DELAYED);
    if (r && r->action == ACT_CORRUPT)
        put_on_way(w, to, f, due, ACT_CORRUPTED);
    if (r && r->action == ACT_REWRITE) {
        w->ok = w->ok && relay_rewrite(w->c, r, f, w->why);
        put_on_way(w, to, f, due, ACT_REWRITTEN);
    }
}

static void arrive(struct world *w)
{
    struct transit *t = w->first;
    w->first = t->next;
    if (t->made != ACT_FWD) {
        unsigned from = other_side(t->to);
        struct packet p = end_describe(&w->end[from], &t->f);
        p.at = w->busy_at = w->now;
        p.col[COL_ACTION] = t->made;
        trace_add(&w->made[from], &p);
    }
    if (t->intact)
        end_deliver(&w->end[t->to], &t->f, w->now);
    free(t);
}

static void pull_due(struct world *w, unsigned side)
{
    struct flight f;
    while (w->now >= w->free_at[side] && end_pull(&w->end[side], w->now, &f)) {
        w->free_at[side] = w->now + PACKET_GAP;
        relay_packet(w, side, &f);
    }
}

static bool all_there(const struct world *w)
{
    return w->step == w->c->steps && !w->first && w->end[SIDE_A].dones >= w->c->expected[SIDE_A] &&
           w->end[SIDE_B].dones >= w->c->expected[SIDE_B];
}

/* When something happens next. */
static tm_ps next_time(const struct world *w)
{
    tm_ps t = w->first ? w->first->at : TM_NEVER;
    if (w->step < w->c->steps)
        t = tm_min(t, w->c->step[w->step].at);
    for (unsigned s = 0; s < SIDES; s++) {
        t = tm_min(t, xp_deadline(w->end[s].core));
        if (w->end[s].ready)
            t = tm_min(t, w->free_at[s]);
    }
    return tm_max(t, w->now);
}

/* What is due now: arrivals, then steps, then timers. */
static void happen(struct world *w)
{
    while (w->first && w->first->at <= w->now)
        arrive(w);
    while (w->ok && w->step < w->c->steps && w->c->step[w->step].at <= w->now) {
        const struct step *s = &w->c->step[w->step++];
        w->ok = end_do(&w->end[s->side], s, w->now, w->why);
    }
    for (unsigned s = 0; s < SIDES; s++)
        end_expire(&w->end[s], w->now);
}

static void run_world(struct world *w)
{
    while (w->ok) {
        for (unsigned s = 0; s < SIDES; s++)
            pull_due(w, s);
        tm_ps t = next_time(w);
        tm_ps end = all_there(w) ? w->busy_at + w->c->settle : w->c->longest;
        if (t > tm_min(end, w->c->longest))
            return;
        w->now = t;
        happen(w);
    }
}

static bool compare_world(const struct world *w)
{
    for (unsigned s = 0; s < SIDES; s++)
        if (!compare_completions(&w->end[s], w->why) || !compare_final(&w->end[s], w->why) ||
            !compare_memory(&w->end[s], w->why))
            return false;
    bool ok = true;
    for (unsigned s = 0; ok && w->c->wire_stable && s < SIDES; s++) {
        struct trace sent = trace_recorded(w->c, s, false), made = trace_recorded(w->c, s, true);
        ok = compare_packets(w->c, &sent, &w->sent[s], w->why) &&
             compare_packets(w->c, &made, &w->made[s], w->why);
        trace_clear(&sent);
        trace_clear(&made);
    }
    return ok;
}

static void world_fini(struct world *w)
{
    for (struct transit *t = w->first, *next; t; t = next) {
        next = t->next;
        free(t);
    }
    for (unsigned s = 0; s < SIDES; s++) {
        trace_clear(&w->sent[s]);
        trace_clear(&w->made[s]);
    }
    ends_fini(w->end);
    relay_fini(&w->relay);
}

static struct world *world_new(const struct capture *c, const struct xp_profile *profile,
                               struct trouble *why)
{
    struct world *w = calloc(1, sizeof *w);
    CHECK(w != NULL);
    w->c = c;
    w->why = why;
    relay_init(&w->relay, c);
    w->ok = ends_init(w->end, c, profile, why);
    return w;
}

static enum outcome run_once(const struct capture *c, const struct xp_profile *profile,
                             tm_ps guest_delay, struct trouble *why)
{
    struct world *w = world_new(c, profile, why);
    enum outcome o = w->ok ? FAILED : SKIPPED;
    w->guest_delay = guest_delay;
    run_world(w);
    if (w->end[SIDE_A].not_offered || w->end[SIDE_B].not_offered)
        o = SKIPPED;
    else if (o == FAILED && w->ok && compare_world(w))
        o = PASSED;
    world_fini(w);
    free(w);
    return o;
}

enum outcome run_together(const struct capture *c, const struct xp_profile *profile,
                          struct trouble *why)
{
    enum outcome first = run_once(c, profile, guest_delays[0], why);
    struct trouble later;
    for (size_t i = 1; first == FAILED && i < sizeof guest_delays / sizeof guest_delays[0]; i++)
        if (run_once(c, profile, guest_delays[i], &later) == PASSED)
            return PASSED;
    return first;
}

/* What `what` asks for; false: it is not understood. */
static bool tell(const struct world *w, const char *what, char *out, size_t size)
{
    char side, kind[10];
    unsigned n = 0;
    int words = sscanf(what, "%c %9s %u", &side, kind, &n);
    if (words < 2 || (side != 'a' && side != 'b'))
        return false;
    const struct end *e = &w->end[side - 'a'];
    if (strcmp(kind, "state") == 0 && words == 2) {
        struct xp_qp_query q;
        CHECK(xp_qp_query(e->core, e->qpn, &q) == XP_OK);
        snprintf(out, size, "%s", xp_state_name(q.state));
        return true;
    }
    if (words != 3 || n == 0)
        return false;
    if (strcmp(kind, "packet") == 0) {
        const struct trace *t = &w->sent[e->side];
        if (n > t->count)
            snprintf(out, size, "nothing");
        else
            packet_words(&t->packet[n - 1], out, size);
        return true;
    }
    int cq = strcmp(kind, "recv") == 0 ? CQ_RECV : strcmp(kind, "send") == 0 ? CQ_SEND : -1;
    if (cq >= 0)
        completion_text(nth_completion(e->done, e->dones, e->side, cq, n - 1), out, size);
    return cq >= 0;
}

bool together_tell(const struct capture *c, const struct xp_profile *profile, const char *what,
                   char *out, size_t size)
{
    struct trouble why = {""};
    struct world *w = world_new(c, profile, &why);
    run_world(w);
    if (!w->ok)
        snprintf(out, size, "%s", why.text);
    bool told = !w->ok || tell(w, what, out, size);
    world_fini(w);
    free(w);
    return told;
}
