/*
 * See cm_pair.h.
 */
#include "tests/unit/cm_pair.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"

#define FIRST_QPN 0x11u

struct cm_cfg pair_cfg(void)
{
    return (struct cm_cfg){.conns = 32, .timeout = 4, .retries = 2, .timewait_ps = TM_MS};
}

struct cm_pair *pair_new(const struct cm_cfg *cfg)
{
    struct cm_pair *p = calloc(1, sizeof *p);
    CHECK(p);
    for (uint32_t end = 0; end < 2; end++) {
        struct cm_cfg own = *cfg;
        own.guid = end + 1;
        void *block = calloc(1, cm_size(&own));
        CHECK(block);
        p->cm[end] = cm_init(block, cm_size(&own), &own, end);
        cm_listen(p->cm[end], PAIR_SERVICE, CM_TRANSPORT_RC);
    }
    p->delay_ps = TM_US;
    return p;
}

void pair_free(struct cm_pair *p)
{
    free(p->cm[0]);
    free(p->cm[1]);
    free(p);
}

static void say(struct cm_pair *p, const char *format, ...)
{
    size_t used = strlen(p->log);
    va_list args;
    if (p->quiet)
        return;
    used += (size_t)snprintf(p->log + used, sizeof p->log - used, "%s%" PRId64 " ",
                             used ? "\n" : "", p->now / TM_US);
    va_start(args, format);
    vsnprintf(p->log + used, sizeof p->log - used, format, args);
    va_end(args);
}

const char *pair_log(struct cm_pair *p)
{
    static char text[sizeof p->log];
    memcpy(text, p->log, sizeof text);
    p->log[0] = 0;
    return text;
}

/* ---- QPs -------------------------------------------------------------------------------------- */

static struct cm_own own_of(uint32_t end, uint32_t i)
{
    return (struct cm_own){.user = i,
                           .qpn = FIRST_QPN + i,
                           .psn = 0x100 * (end + 1) + i,
                           .responder_resources = end ? 16 : 4,
                           .initiator_depth = end ? 16 : 8,
                           .rnr_retry = (uint8_t)(6 + end),
                           .note = {(uint8_t)i}};
}

static uint32_t new_qp(struct cm_pair *p, uint32_t end)
{
    CHECK(p->qps[end] < PAIR_QPS);
    p->qp[end][p->qps[end]].state = PQ_ASKED;
    return p->qps[end]++;
}

uint32_t pair_connect(struct cm_pair *p, uint32_t from)
{
    uint32_t i = new_qp(p, from);
    struct cm_ask ask = {.peer = 1 - from,
                         .service_id = PAIR_SERVICE,
                         .mtu = 3,
                         .timeout = 14,
                         .retry_cnt = 7,
                         .own = own_of(from, i)};
    int rc = cm_connect(p->cm[from], &ask, p->now, &p->qp[from][i].conn);
    CHECK(rc == CM_OK);
    p->qp[from][i].active = true;
    return i;
}

void pair_accept(struct cm_pair *p, uint32_t end, uint32_t conn)
{
    uint32_t i = new_qp(p, end);
    struct cm_own own = own_of(end, i);
    p->qp[end][i].conn = conn;
    if (cm_accept(p->cm[end], conn, &own, p->now) != CM_OK)
        p->qp[end][i].state = PQ_CLOSED;
}

static void answer(struct cm_pair *p, uint32_t end, const struct cm_event *ev)
{
    p->held = ev->conn;
    switch (p->policy) {
    case PAIR_ACCEPT:
        pair_accept(p, end, ev->conn);
        break;
    case PAIR_REJECT:
        cm_reject(p->cm[end], ev->conn, CM_REJ_CONSUMER, p->now);
        break;
    case PAIR_HOLD:
        if (p->mra)
            cm_delay(p->cm[end], ev->conn, p->mra, p->now);
        break;
    }
}

/* A passive connection that was never accepted has no QP: user 0 is then another's. */
static struct pair_qp *qp_of(struct cm_pair *p, uint32_t end, const struct cm_event *ev)
{
    struct pair_qp *q = &p->qp[end][ev->user];
    return ev->user < p->qps[end] && q->conn == ev->conn && q->active == ev->active ? q : NULL;
}

static void move_qp(struct cm_pair *p, uint32_t end, struct pair_qp *q, const struct cm_event *ev)
{
    static const enum pair_qp_state to[CM_EVENTS] = {
        [CM_EV_TO_RTR] = PQ_RTR,    [CM_EV_TO_RTS] = PQ_RTS,    [CM_EV_DISCONNECTED] = PQ_LEFT,
        [CM_EV_FAILED] = PQ_FAILED, [CM_EV_CLOSED] = PQ_CLOSED,
    };
    q->state = to[ev->kind];
    q->attr = ev->attr;
    q->reason = ev->reason;
    q->timed_out = ev->timed_out;
    q->ever_rts |= ev->kind == CM_EV_TO_RTS;
    if (ev->kind == CM_EV_TO_RTS && ev->active && !p->slow_active)
        cm_confirm(p->cm[end], ev->conn, p->now);
}

static void take_events(struct cm_pair *p, uint32_t end)
{
    static const char *const name[CM_EVENTS] = {"request",      "to_rtr", "to_rts", "resolved",
                                                "disconnected", "failed", "closed"};
    struct cm_event ev;
    while (cm_take_event(p->cm[end], &ev)) {
        bool has_why = ev.kind == CM_EV_FAILED || (ev.kind == CM_EV_DISCONNECTED && ev.reason);
        say(p, "%c %s%s%s", 'A' + end, name[ev.kind], has_why ? ": " : "",
            has_why ? cm_reason_name(ev.reason) : "");
        if (ev.kind == CM_EV_REQUEST) {
            answer(p, end, &ev);
            continue;
        }
        struct pair_qp *q = qp_of(p, end, &ev);
        if (q)
            move_qp(p, end, q, &ev);
    }
}

/* ---- the way ------------------------------------------------------------------------------------ */

static bool has_bit(uint64_t mask, uint64_t n) { return n < 64 && (mask >> n & 1); }

static void fly(struct cm_pair *p, uint32_t to, const struct cm_mad *m, bool is_late)
{
    CHECK(p->flights < sizeof p->flight / sizeof p->flight[0]);
    struct pair_flight *f = &p->flight[p->flights++];
    tm_ps late = rng_hits(&p->draw, p->late) ? (tm_ps)rng_below(&p->draw, (uint64_t)p->late_ps) : 0;
    f->at = p->now + p->delay_ps + (is_late ? p->late_ps : late);
    f->order = p->sent;
    f->to = to;
    cm_mad_encode(m, f->bytes);
}

static void launch(struct cm_pair *p, uint32_t from, const struct cm_tx *tx)
{
    bool lost = has_bit(p->drop_mask, p->sent) || rng_hits(&p->draw, p->drop);
    say(p, "%c>%c %s%s%s", 'A' + from, 'A' + tx->peer, cm_kind_name((enum cm_kind)tx->mad.kind),
        tx->again ? " again" : "", lost ? " lost" : "");
    bool twice = has_bit(p->dup_mask, p->sent) || rng_hits(&p->draw, p->dup);
    bool late = has_bit(p->late_mask, p->sent);
    p->sent++;
    if (lost)
        return;
    fly(p, tx->peer, &tx->mad, late);
    if (twice)
        fly(p, tx->peer, &tx->mad, false);
}

void pair_settle(struct cm_pair *p)
{
    struct cm_tx tx;
    for (uint32_t end = 0; end < 2; end++) {
        take_events(p, end);
        while (cm_pull(p->cm[end], &tx))
            launch(p, end, &tx);
    }
}

static uint32_t first_flight(const struct cm_pair *p)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < p->flights; i++) {
        const struct pair_flight *a = &p->flight[i], *b = &p->flight[first];
        if (a->at < b->at || (a->at == b->at && a->order < b->order))
            first = i;
    }
    return first;
}

static void land(struct cm_pair *p)
{
    uint32_t i = first_flight(p);
    struct pair_flight f = p->flight[i];
    struct cm_mad m;
    p->flight[i] = p->flight[--p->flights];
    CHECK(cm_mad_decode(f.bytes, &m));
    cm_recv(p->cm[f.to], 1 - f.to, &m, p->now);
}

static tm_ps next_time(const struct cm_pair *p)
{
    tm_ps t = tm_min(cm_deadline(p->cm[0]), cm_deadline(p->cm[1]));
    return p->flights ? tm_min(t, p->flight[first_flight(p)].at) : t;
}

void pair_run(struct cm_pair *p, tm_ps until)
{
    pair_settle(p);
    for (tm_ps t = next_time(p); t <= until && t != TM_NEVER; t = next_time(p)) {
        p->now = t;
        if (p->flights && p->flight[first_flight(p)].at <= t)
            land(p);
        for (uint32_t end = 0; end < 2; end++)
            if (cm_deadline(p->cm[end]) <= t)
                cm_expire(p->cm[end], t);
        pair_settle(p);
    }
    p->now = tm_max(p->now, until == TM_NEVER ? 0 : until);
}
