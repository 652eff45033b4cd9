/*
 * What is done to hosts from outside: stalls, deaths, destroyed QPs.
 */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "models/load/host.h"
#include "sim/base/check.h"

static int by_host_and_time(const void *a, const void *b)
{
    const struct load_act *x = a, *y = b;
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    if (x->when.from_ps != y->when.from_ps)
        return x->when.from_ps < y->when.from_ps ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->qp < y->qp ? -1 : x->qp > y->qp;
}

void act_init(struct load *l)
{
    uint32_t n = l->env.act_count;
    l->act = g_new0(struct load_act, n + 1);
    if (n)
        memcpy(l->act, l->env.act, n * sizeof(*l->act));
    qsort(l->act, n, sizeof(*l->act), by_host_and_time);
    for (uint32_t i = 0, h = 0; h < l->env.hosts; h++) {
        struct host_range *r = &l->host[h].acts;
        r->first = r->next = i;
        while (i < n && l->act[i].host == h)
            i++;
        r->end = i;
    }
}

/* The QP and all it held vanish.  With on_error = reconnect its owner makes another at once. */
static void destroy(struct host *h, uint32_t e, tm_ps now)
{
    struct load *l = h->load;
    recv_rescue(h, e, now);
    int rc = h->vb.ops->qp_destroy(h->vb.dev, l->end[e].qpn, now);
    CHECK(rc == XP_OK);
    if (l->cfg.retry.on_error == LOAD_RECONNECT) {
        rc = setup_qp(l, h, e);
        CHECK(rc == XP_OK);
    }
    reconnect_break(h, e, now);
}

static void perform(struct host *h, const struct load_act *act, tm_ps now)
{
    switch (act->kind) {
    case LOAD_ACT_STALL:
    case LOAD_ACT_NOPOLL:
        break; /* act_after_... looks it up */
    case LOAD_ACT_KILL:
        h->vb.ops->kill(h->vb.dev, now);
        h->dead = true;
        break;
    case LOAD_ACT_DESTROY:
        if (h->load->end[h->ends.first + act->qp].state != END_DOWN)
            destroy(h, h->ends.first + act->qp, now);
        break;
    }
}

void act_step(struct host *h, tm_ps now)
{
    struct host_range *r = &h->acts;
    for (; r->next < r->end && h->load->act[r->next].when.from_ps <= now && !h->dead; r->next++)
        perform(h, &h->load->act[r->next], now);
}

tm_ps act_next(const struct host *h)
{
    const struct host_range *r = &h->acts;
    return r->next < r->end ? h->load->act[r->next].when.from_ps : TM_NEVER;
}

/* Where `kind` of the host's acts lets it go on: they may follow each other without a gap. */
static tm_ps after(const struct host *h, enum load_act_kind kind, tm_ps t)
{
    tm_ps was;
    do {
        was = t;
        for (uint32_t i = h->acts.first; i < h->acts.end; i++) {
            const struct load_act *a = &h->load->act[i];
            if (a->kind == kind)
                t = window_after(&a->when, t);
        }
    } while (t != was && t != TM_NEVER);
    return t;
}

tm_ps act_after_stall(const struct host *h, tm_ps t) { return after(h, LOAD_ACT_STALL, t); }

tm_ps act_after_nopoll(const struct host *h, tm_ps t) { return after(h, LOAD_ACT_NOPOLL, t); }
