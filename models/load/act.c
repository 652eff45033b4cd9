/*
 * What is done to hosts and QPs from outside, by the clock; see acts.h.  Spoiled work requests are spoil.c's.
 *
 * A process that dies has two acts here: what goes first, and the rest.  From the first on its host does
 * nothing any more; its adapter does, with what is left.
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

/* From here on `rule` is the act's number in the environment. */
static void add(struct load *l, const struct load_act *act, uint32_t number)
{
    struct load_act own = *act;
    own.rule = number;
    if (act->kind == LOAD_ACT_SPOIL)
        return;
    l->act[l->acts++] = own;
    if (act->kind != LOAD_ACT_KILL || act->order == LOAD_ORDER_HOST)
        return;
    own.kind = LOAD_ACT_EXIT_REST;
    own.when.from_ps = tm_add(act->when.from_ps, act->gap_ps);
    l->act[l->acts++] = own;
}

void act_init(struct load *l)
{
    uint32_t n = l->env.act_count;
    l->act = g_new0(struct load_act, 2 * n + 1);
    l->act_fired = g_new0(uint64_t, n + 1);
    for (uint32_t i = 0; i < n; i++)
        add(l, &l->env.act[i], i);
    qsort(l->act, l->acts, sizeof(*l->act), by_host_and_time);
    for (uint32_t i = 0, h = 0; h < l->env.hosts; h++) {
        struct host_range *r = &l->host[h].acts;
        r->first = r->next = i;
        while (i < l->acts && l->act[i].host == h)
            i++;
        r->end = i;
    }
}

void act_fini(struct load *l)
{
    g_free(l->act);
    g_free(l->act_fired);
}

void load_acts_fired(const struct load *l, uint64_t *fired)
{
    memcpy(fired, l->act_fired, l->env.act_count * sizeof(*fired));
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

/* ---- the death of a process ------------------------------------------------------------------------ */

static void lose_qps(struct host *h, tm_ps now)
{
    const struct load *l = h->load;
    for (uint32_t e = h->ends.first; e < h->ends.first + h->ends.count; e++)
        h->vb.ops->qp_destroy(h->vb.dev, l->end[e].qpn, now); /* it may be gone already */
}

static void lose_region(struct host *h)
{
    h->vb.ops->mr_remove(h->vb.dev, h->key);
    if (h->bare_key)
        h->vb.ops->mr_remove(h->vb.dev, h->bare_key);
}

static void end_process(struct host *h, const struct load_act *act, tm_ps now)
{
    h->is.exiting = true;
    switch (act->order) {
    case LOAD_ORDER_HOST:
        h->vb.ops->kill(h->vb.dev, now);
        h->is.dead = true;
        break;
    case LOAD_ORDER_QP:
        lose_qps(h, now);
        break;
    case LOAD_ORDER_MR:
        lose_region(h);
        break;
    }
}

static void lose_rest(struct host *h, const struct load_act *act, tm_ps now)
{
    if (act->order == LOAD_ORDER_MR)
        lose_qps(h, now);
    else
        lose_region(h);
    h->is.dead = true;
}

/* ---- QPs ------------------------------------------------------------------------------------------- */

/* The state or the rights alone; a QP in a state that does not allow it stays as it is. */
static bool modify(struct host *h, const struct load_act *act, tm_ps now)
{
    uint32_t qpn = h->load->end[h->ends.first + act->qp].qpn;
    struct xp_qp_attr attr = {.state = XP_ERR, .access = act->rights};
    uint32_t mask = XP_A_STATE;
    struct xp_qp_query q;
    if (h->vb.ops->qp_query(h->vb.dev, qpn, &q) != XP_OK)
        return false;
    if (act->kind == LOAD_ACT_RIGHTS) {
        attr.state = q.state;
        mask |= XP_A_ACCESS;
    }
    return h->vb.ops->qp_modify(h->vb.dev, qpn, &attr, mask, now) == XP_OK;
}

/* Did it happen? */
static bool perform(struct host *h, const struct load_act *act, tm_ps now)
{
    switch (act->kind) {
    case LOAD_ACT_STALL:
    case LOAD_ACT_NOPOLL:
    case LOAD_ACT_STOP:
    case LOAD_ACT_SPOIL:
        break; /* who posts looks it up */
    case LOAD_ACT_KILL:
        end_process(h, act, now);
        break;
    case LOAD_ACT_EXIT_REST:
        lose_rest(h, act, now);
        return false;
    case LOAD_ACT_DESTROY:
        if (h->load->end[h->ends.first + act->qp].state == END_DOWN)
            return false;
        destroy(h, h->ends.first + act->qp, now);
        break;
    case LOAD_ACT_ERROR:
    case LOAD_ACT_RIGHTS:
        return modify(h, act, now);
    }
    return true;
}

void act_step(struct host *h, tm_ps now)
{
    struct host_range *r = &h->acts;
    struct load *l = h->load;
    for (; r->next < r->end && l->act[r->next].when.from_ps <= now && !h->is.dead; r->next++) {
        const struct load_act *act = &l->act[r->next];
        if (h->is.exiting && act->kind != LOAD_ACT_EXIT_REST)
            continue;
        l->act_fired[act->rule] += perform(h, act, now);
    }
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

tm_ps act_after_stop(const struct host *h, tm_ps t)
{
    return h->is.exiting ? TM_NEVER : after(h, LOAD_ACT_STOP, t);
}
