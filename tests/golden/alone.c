/*
 * One end replayed alone.
 *
 * The record is the driver: an arrival comes when the relay passed it on, a step when it was done,
 * and the end may send when the record says that it did, so that the way in which the directions
 * interleave is the recorded one.  What the end would send is held back until then, but not for
 * longer than SLACK; a timer of ours may go off later than the recorded one by as much, and
 * everything after it moves by the difference.
 *
 * Where the packets were not the same in every recording there is nothing to hold the end to: it
 * sends what it has at once, and its completions, state and memory alone are compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"
#include "tests/golden/compare.h"
#include "tests/golden/runs.h"

/* The recorder's guests are late by some ms now and then; an eighth of an interval for long ones. */
#define SLACK (30 * TM_MS)
#define SLACK_SHARE 8

/*
 * From when the relay passed a packet on until the guest saw it; not recorded, so what the guest
 * sent in the meantime tells.  Tried from the first on.
 */
static const tm_ps guest_delays[] = {0, 1 * TM_MS, 3 * TM_MS, 8 * TM_MS};

enum happening { ARRIVES, STEPS, SENDS };

struct happens {
    tm_ps at;
    enum happening what;
    uint32_t i; /* packet or step of the capture */
};

struct replay {
    const struct capture *c;
    struct end end[SIDES];
    struct end *e;
    struct happens *list;
    uint32_t count, sent;
    tm_ps now, shift;  /* recorded time + shift = now */
    tm_ps ready_since; /* TM_NEVER: nothing to send */
    tm_ps quiet_since; /* it sent or received last */
    struct trouble *why;
};

static int by_time(const void *a, const void *b)
{
    const struct happens *p = a, *q = b;
    if (p->at != q->at)
        return p->at < q->at ? -1 : 1;
    if (p->what != q->what)
        return p->what < q->what ? -1 : 1;
    return p->i < q->i ? -1 : p->i > q->i;
}

static void make_list(struct replay *r, tm_ps guest_delay)
{
    const struct capture *c = r->c;
    unsigned side = r->e->side;
    r->list = calloc(c->packets + c->steps + 1, sizeof *r->list);
    CHECK(r->list != NULL);
    for (uint32_t i = 0; i < c->packets; i++) {
        const struct packet *p = &c->packet[i];
        if (p->from != side && p->out != TM_NEVER && p->intact)
            r->list[r->count++] = (struct happens){p->out + guest_delay, ARRIVES, i};
        else if (p->from == side && c->wire_stable && !action_is_made(p->col[COL_ACTION]))
            r->list[r->count++] = (struct happens){p->at, SENDS, i};
    }
    for (uint32_t i = 0; i < c->steps; i++)
        if (c->step[i].side == side)
            r->list[r->count++] = (struct happens){c->step[i].done, STEPS, i};
    qsort(r->list, r->count, sizeof *r->list, by_time);
}

/* An end that is not held back. */
static void send_freely(struct replay *r)
{
    struct flight f;
    while (!r->c->wire_stable && end_pull(r->e, r->now, &f))
        ;
}

static tm_ps slack(tm_ps interval) { return SLACK + interval / SLACK_SHARE; }

static void fire_next(struct replay *r)
{
    r->now = tm_max(r->now, xp_deadline(r->e->core));
    end_expire(r->e, r->now);
    send_freely(r);
    if (r->e->ready && r->ready_since == TM_NEVER)
        r->ready_since = r->now;
}

/* Timers go off on the way to `t`. */
static void advance_to(struct replay *r, tm_ps t)
{
    while (xp_deadline(r->e->core) <= t)
        fire_next(r);
    r->now = tm_max(r->now, t);
}

/*
 * The same up to a packet that was recorded at `t`: once it is there to be sent it leaves before a
 * timer goes off, for it was recorded at the relay, and left the guest some ms earlier.
 */
static void advance_to_send(struct replay *r, tm_ps t)
{
    while (!r->e->ready && xp_deadline(r->e->core) <= t)
        fire_next(r);
    r->now = tm_max(r->now, tm_min(t, xp_deadline(r->e->core) - 1));
}

static void note_ready(struct replay *r)
{
    if (!r->e->ready)
        r->ready_since = TM_NEVER;
    else if (r->ready_since == TM_NEVER)
        r->ready_since = r->now;
}

/* The record says that a packet leaves now; a timer that is about to go off may do so. */
static bool pull_now(struct replay *r, struct flight *f)
{
    tm_ps wait = r->now - r->quiet_since;
    if (end_pull(r->e, r->now, f))
        return true;
    tm_ps due = xp_deadline(r->e->core);
    if (due == TM_NEVER || due > r->now + slack(wait))
        return false;
    r->shift += due - r->now;
    advance_to(r, due);
    return end_pull(r->e, r->now, f);
}

static bool send_one(struct replay *r, const struct packet *want, tm_ps recorded)
{
    struct flight f;
    tm_ps since = r->ready_since;
    r->sent++;
    if (!pull_now(r, &f))
        return packets_differ(r->why, r->sent, want, NULL);
    struct packet got = end_describe(r->e, &f);
    if (packet_difference(want, &got, false) != COLUMNS)
        return packets_differ(r->why, r->sent, want, &got);
    if (since != TM_NEVER && recorded - since > slack(since - r->quiet_since))
        return trouble_say(r->why, "packet %u could have left %lld ms before it was recorded",
                           r->sent, (long long)((recorded - since) / TM_MS));
    r->quiet_since = r->now;
    r->ready_since = TM_NEVER;
    return true;
}

static bool take_one(struct replay *r, const struct happens *h)
{
    struct flight f;
    bool ok = true;
    if (h->what == SENDS)
        advance_to_send(r, h->at + r->shift);
    else
        advance_to(r, h->at + r->shift);
    switch (h->what) {
    case ARRIVES:
        if (end_translate(r->e, &r->c->packet[h->i], &f))
            end_deliver(r->e, &f, r->now);
        r->quiet_since = r->now;
        break;
    case STEPS:
        ok = end_do(r->e, &r->c->step[h->i], r->now, r->why);
        r->quiet_since = r->now;
        break;
    case SENDS:
        ok = send_one(r, &r->c->packet[h->i], h->at + r->shift);
        break;
    }
    send_freely(r);
    note_ready(r);
    return ok;
}

/* Completions that the record still has to come, at most so much later than recorded. */
static bool finish(struct replay *r)
{
    struct flight f;
    tm_ps last = r->list[r->count ? r->count - 1 : 0].at;
    for (uint32_t i = 0; i < r->c->completions; i++)
        if (r->c->completion[i].side == r->e->side)
            last = tm_max(last, r->c->completion[i].at);
    last += r->shift;
    advance_to(r, last);
    while (!r->e->ready && !compare_completions(r->e, r->why) &&
           xp_deadline(r->e->core) <= last + slack(last - r->quiet_since))
        advance_to(r, xp_deadline(r->e->core));
    if (r->c->wire_stable && !r->c->cut_off && end_pull(r->e, r->now, &f)) {
        struct packet got = end_describe(r->e, &f);
        return packets_differ(r->why, r->sent + 1, NULL, &got);
    }
    return compare_completions(r->e, r->why) && compare_final(r->e, r->why) &&
           compare_memory(r->e, r->why);
}

static bool replay_all(struct replay *r, tm_ps guest_delay)
{
    make_list(r, guest_delay);
    for (uint32_t i = 0; i < r->count; i++)
        if (!take_one(r, &r->list[i]))
            return false;
    return finish(r);
}

static enum outcome replay_once(const struct capture *c, unsigned side,
                                const struct xp_profile *profile, tm_ps guest_delay,
                                struct trouble *why)
{
    struct replay r = {.c = c, .why = why, .ready_since = TM_NEVER};
    enum outcome o = ends_init(r.end, c, profile, why) ? FAILED : SKIPPED;
    r.e = &r.end[side];
    if (o == FAILED && replay_all(&r, guest_delay))
        o = PASSED;
    if (r.e->not_offered)
        o = SKIPPED;
    free(r.list);
    ends_fini(r.end);
    return o;
}

enum outcome run_alone(const struct capture *c, unsigned side, const struct xp_profile *profile,
                       struct trouble *why)
{
    enum outcome first = replay_once(c, side, profile, guest_delays[0], why);
    struct trouble later;
    for (size_t i = 1; first == FAILED && i < sizeof guest_delays / sizeof guest_delays[0]; i++)
        if (replay_once(c, side, profile, guest_delays[i], &later) == PASSED)
            return PASSED;
    return first;
}
