/*
 * What follows an error: the flow stops, or both sides make the connection anew.
 *
 * 1. The side that meets the error plans the new connection for reconnect_ps later and writes to
 *    the other side, which learns of it at that very time.  How much later follows from what is made
 *    anew, and whether the QP is in ERR.
 * 2. Then each resets its QP and brings it up with the next generation's PSNs; receives are
 *    posted, and all messages that had not succeeded are posted again.
 * 3. If both meet an error, the earlier plan counts: generations tell which one is old.
 *
 * Where connections are managed (join.c) there are no letters: the side that meets the error sends
 * a DREQ, and each makes its QP ready when its connection is closed.
 *
 * Letters cross between domains at the start of a window, which is never longer than
 * reconnect_ps; within one domain they take the same way, so the cut into domains changes nothing.
 */
#include <glib.h>
#include <stdlib.h>

#include "models/load/host.h"
#include "sim/base/check.h"

struct mailbox {
    struct load *load;
    uint32_t domain;
    struct letter *sorted;
    uint32_t count, room;
};

/* ---- how long it takes -------------------------------------------------------------------------------- */

tm_ps load_recovery_ps(const struct load_retry *r, enum xp_state state)
{
    const struct load_steps *s = &r->step;
    switch (r->recovery) {
    case LOAD_RECOVER_DELAY:
        return r->reconnect_ps;
    case LOAD_RECOVER_QP:
        return tm_add(state == XP_ERR ? s->err_reset_ps : s->reset_ps, s->ready_ps);
    case LOAD_RECOVER_OBJECTS:
        return s->objects_ps;
    case LOAD_RECOVER_DRIVER:
        return s->driver_ps;
    }
    return 0;
}

tm_ps load_recovery_least_ps(const struct load_retry *r)
{
    return tm_min(load_recovery_ps(r, XP_ERR), load_recovery_ps(r, XP_RTS));
}

static tm_ps recovery_of(const struct host *h, const struct end *end)
{
    struct xp_qp_query q = {.state = XP_RESET};
    h->vb.ops->qp_query(h->vb.dev, end->qpn, &q);
    return load_recovery_ps(&h->load->cfg.retry, q.state);
}

/* ---- letters ---------------------------------------------------------------------------------------- */

static void append(struct letter **to, uint32_t *count, uint32_t *room, struct letter letter)
{
    if (*count == *room) {
        *room = *room ? 2 * *room : 8;
        *to = g_renew(struct letter, *to, *room);
    }
    (*to)[(*count)++] = letter;
}

static void write_to_peer(struct host *h, uint32_t e, tm_ps at)
{
    struct load *l = h->load;
    const struct end *end = &l->end[e];
    uint32_t to = l->env.domain[end->peer], from = l->env.domain[h->id];
    struct outbox *box = &l->outbox[to * l->domains + from];
    struct due due = {.at = at,
                      .end = end->peer_end,
                      .from = h->id,
                      .qpn = end->qpn,
                      .generation = (uint16_t)(end->generation + 1)};
    append(&box->letter, &box->count, &box->room, (struct letter){end->peer, due});
}

static int by_time_and_source(const void *a, const void *b)
{
    const struct due *x = &((const struct letter *)a)->due, *y = &((const struct letter *)b)->due;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

/* The receiving domain takes in what was written to its hosts. */
static void drain(void *self)
{
    struct mailbox *m = self;
    struct load *l = m->load;
    m->count = 0;
    for (uint32_t from = 0; from < l->domains; from++) {
        struct outbox *box = &l->outbox[m->domain * l->domains + from];
        for (uint32_t i = 0; i < box->count; i++)
            append(&m->sorted, &m->count, &m->room, box->letter[i]);
        box->count = 0;
    }
    if (m->count == 0)
        return;
    qsort(m->sorted, m->count, sizeof(*m->sorted), by_time_and_source);
    for (uint32_t i = 0; i < m->count; i++) {
        struct host *to = &l->host[m->sorted[i].host];
        if (to->is.dead || to->is.exiting)
            continue;
        fifo_put(&to->mail, m->sorted[i].due);
        ev_arm(l->env.ev, to->entity, m->sorted[i].due.at);
    }
}

void reconnect_init(struct load *l)
{
    if (l->cfg.retry.on_error != LOAD_RECONNECT || l->cfg.connect.mode == LOAD_CONNECT_SIMULATED)
        return;
    l->outbox = g_new0(struct outbox, (size_t)l->domains * l->domains);
    l->mailbox = g_new0(struct mailbox, l->domains);
    for (uint32_t d = 0; d < l->domains; d++) {
        l->mailbox[d] = (struct mailbox){.load = l, .domain = d};
        ev_add_crossing(l->env.ev, d, load_recovery_least_ps(&l->cfg.retry), drain, &l->mailbox[d]);
    }
}

void reconnect_fini(struct load *l)
{
    for (uint32_t i = 0; l->outbox && i < l->domains * l->domains; i++)
        g_free(l->outbox[i].letter);
    for (uint32_t d = 0; l->mailbox && d < l->domains; d++)
        g_free(l->mailbox[d].sorted);
    g_free(l->outbox);
    g_free(l->mailbox);
}

/* ---- breaking ------------------------------------------------------------------------------------------ */

void reconnect_end(struct host *h, uint32_t e, tm_ps now)
{
    struct flow *f = flow_of(h->load, e);
    if (f->head)
        meter_stalled(h->meter, f->progress_ps, now);
    flow_drop(h, e);
    h->load->end[e].state = END_DOWN;
}

static bool gives_up(struct host *h, uint32_t e, tm_ps now)
{
    const struct load_retry *retry = &h->load->cfg.retry;
    struct flow *f = flow_of(h->load, e);
    if (!f->in_trouble) {
        f->in_trouble = true;
        f->trouble_ps = now;
    }
    if (retry->give_up_ps == 0 || now - f->trouble_ps < retry->give_up_ps)
        return false;
    h->meter->n.reconnect_give_ups++;
    reconnect_end(h, e, now);
    return true;
}

void reconnect_break(struct host *h, uint32_t e, tm_ps now)
{
    struct load *l = h->load;
    struct end *end = &l->end[e];
    if (end->state == END_JOINING)
        reconnect_end(h, e, now);
    if (end->state != END_UP)
        return;
    if (h->ends.joins)
        join_leave(h, e, now);
    if (l->cfg.retry.on_error == LOAD_STOP) {
        reconnect_end(h, e, now);
        return;
    }
    if (gives_up(h, e, now))
        return;
    end->state = END_BROKEN;
    if (h->ends.joins)
        return;
    tm_ps at = tm_add(now, recovery_of(h, end));
    flow_of(l, e)->broken_ps = now;
    fifo_put(&h->own, (struct due){.at = at, .end = e, .generation = end->generation});
    write_to_peer(h, e, at);
}

/* ---- making anew ------------------------------------------------------------------------------------------ */

/* All that was in the QP is gone; what has not succeeded is to be posted again. */
static void start_over(struct host *h, uint32_t e)
{
    h->load->end[e].filled = 0;
    if (h->load->end[e].role & END_SERVER)
        flow_drop(h, e);
    else
        flow_rewind(h, e);
}

bool reconnect_rejoin(struct host *h, uint32_t e, tm_ps now)
{
    struct load *l = h->load;
    struct end *end = &l->end[e];
    struct xp_qp_attr reset = {.state = XP_RESET};
    if (end->state == END_DOWN || gives_up(h, e, now))
        return false;
    end->generation++;
    recv_rescue(h, e, now);
    int rc = h->vb.ops->qp_modify(h->vb.dev, end->qpn, &reset, XP_A_STATE, now);
    CHECK(rc == XP_OK);
    struct xp_qp_attr attr = setup_attributes(l, e);
    rc = setup_move(l, h, e, &attr, XP_INIT, now);
    CHECK(rc == XP_OK);
    end->state = END_JOINING;
    start_over(h, e);
    recv_fill(h, e, now);
    h->meter->n.reconnects += (end->role & END_ASKS) != 0;
    return true;
}

static void make_anew(struct host *h, uint32_t e, uint16_t generation, tm_ps now)
{
    struct load *l = h->load;
    struct end *end = &l->end[e];
    struct xp_qp_attr reset = {.state = XP_RESET};
    end->generation = generation;
    recv_rescue(h, e, now);
    int rc = h->vb.ops->qp_modify(h->vb.dev, end->qpn, &reset, XP_A_STATE, now);
    CHECK(rc == XP_OK);
    rc = setup_connect(l, h, e, now);
    CHECK(rc == XP_OK);
    end->state = END_UP;
    start_over(h, e);
    recv_fill(h, e, now);
    flow_refill(h, e, now);
}

static void keep_plan(struct host *h, const struct due *d, tm_ps now)
{
    const struct end *end = &h->load->end[d->end];
    if (end->state != END_BROKEN || end->generation != d->generation)
        return;
    if (gives_up(h, d->end, now))
        return;
    h->meter->n.reconnects++;
    meter_recovered(h->meter, flow_of(h->load, d->end)->broken_ps, now);
    make_anew(h, d->end, (uint16_t)(d->generation + 1), now);
}

static void follow_letter(struct host *h, const struct due *d, tm_ps now)
{
    struct end *end = &h->load->end[d->end];
    int16_t ahead = (int16_t)(d->generation - end->generation);
    if (end->state == END_DOWN || ahead < 0)
        return;
    end->peer_qpn = d->qpn;
    if (ahead > 0)
        make_anew(h, d->end, d->generation, now);
}

void reconnect_step(struct host *h, tm_ps now)
{
    struct due d;
    while (fifo_take(&h->own, now, &d))
        keep_plan(h, &d, now);
    while (fifo_take(&h->mail, now, &d))
        follow_letter(h, &d, now);
}
