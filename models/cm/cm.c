/*
 * The consumer's calls, events, timers: what becomes of a connection (see cm.h).
 *
 *   active   WAITING -> REQ_SENT -> REP_RCVD -> ESTABLISHED
 *   passive  REQ_RCVD -> REP_SENT -> ESTABLISHED
 *   both     -> DREQ_SENT -> TIMEWAIT -> CLOSED; a failure goes to TIMEWAIT, or where the other
 *            side cannot have heard of this side's QP, to CLOSED at once.
 *
 * A wait for an answer lasts 4.096 us * 2^t; the MAD is sent again so often as may be, and the
 * connection fails when the last wait is over.  An MRA only makes the present wait longer.
 */
#include <string.h>

#include "models/cm/cm_state.h"
#include "sim/base/check.h"

const struct cm_counts *cm_counts(const struct cm *cm) { return &cm->counts; }

static void advance(struct cm *cm, tm_ps now)
{
    CHECK(now >= cm->now);
    cm->now = now;
}

/* The connection of a caller's number, NULL if there is none. */
static struct conn *named(struct cm *cm, uint32_t conn)
{
    if (conn >= cm->used)
        return NULL;
    struct conn *c = cm__conn(cm, conn);
    return c->state == C_FREE ? NULL : c;
}

static bool is_active(const struct conn *c) { return c->flags & CF_ACTIVE; }

/* ---- handshakes ------------------------------------------------------------------------------------ */

void cm__await(struct cm *cm, struct conn *c, tm_ps now)
{
    cm__wait(cm, c, tm_add(now, cm_wait_ps(c->wait_code)));
}

static void begin(struct cm *cm, struct conn *c, tm_ps now)
{
    cm->running++;
    c->state = C_REQ_SENT;
    c->wait_code = cm->cfg.timeout;
    c->tries_left = cm->cfg.retries;
    cm__send(cm, c, CM_REQ);
    cm__await(cm, c, now);
}

void cm__handshake_over(struct cm *cm, struct conn *c, tm_ps now)
{
    if (!is_active(c) || (c->state != C_REQ_SENT && c->state != C_REP_RCVD))
        return;
    cm->running--;
    struct conn *next = cm__next_turn(cm);
    if (next)
        begin(cm, next, now);
}

void cm__close(struct cm *cm, struct conn *c)
{
    cm__wait_no_more(cm, c);
    c->state = C_CLOSED;
    cm__key_remove(cm, c, BY_QPN);
    cm__tell(cm, c, CM_EV_CLOSED);
}

/* The other side's QP may be connected anew meanwhile: it has its own TIMEWAIT. */
void cm__to_timewait(struct cm *cm, struct conn *c, tm_ps now)
{
    cm__handshake_over(cm, c, now);
    c->state = C_TIMEWAIT;
    cm__key_remove(cm, c, BY_QPN);
    cm__wait(cm, c, tm_add(now, cm->cfg.timewait_ps));
}

void cm__fail(struct cm *cm, struct conn *c, enum cm_reason why, tm_ps now)
{
    bool qp_untouched = c->state == C_REQ_SENT || c->state == C_REQ_RCVD || c->state == C_SIDR_SENT;
    c->reason = (uint16_t)why;
    cm->counts.failed++;
    cm__tell(cm, c, CM_EV_FAILED);
    cm__to_timewait(cm, c, now);
    if (qp_untouched)
        cm__close(cm, c);
}

void cm__established(struct cm *cm, struct conn *c)
{
    cm__wait_no_more(cm, c);
    c->state = C_ESTABLISHED;
    cm->counts.established++;
}

/* ---- the active side -------------------------------------------------------------------------------- */

static struct cm_offer offer_of(const struct cm *cm, const struct cm_own *own)
{
    return (struct cm_offer){.guid = cm->cfg.guid,
                             .qpn = own->qpn,
                             .psn = own->psn,
                             .responder_resources = own->responder_resources,
                             .initiator_depth = own->initiator_depth,
                             .rnr_retry = own->rnr_retry};
}

static bool own_fits(const struct cm_own *own)
{
    return own->qpn < 1u << 24 && own->psn < 1u << 24 && own->rnr_retry < 8;
}

int cm_connect(struct cm *cm, const struct cm_ask *ask, tm_ps now, uint32_t *conn)
{
    advance(cm, now);
    if (!own_fits(&ask->own) || ask->mtu < 1 || ask->mtu > 5 || ask->timeout > 31 ||
        ask->retry_cnt > 7 || ask->transport > CM_TRANSPORT_UC)
        return CM_EINVAL;
    struct conn *c = cm__alloc(cm);
    if (!c)
        return CM_ENOMEM;
    *conn = cm__index(cm, c);
    c->flags = CF_ACTIVE;
    c->state = C_WAITING;
    c->begun_ps = now;
    c->ask = *ask;
    c->peer = ask->peer;
    c->user = ask->own.user;
    c->service_id = ask->service_id;
    c->own = offer_of(cm, &ask->own);
    c->tid = c->local_id;
    if (cm->cfg.handshakes == 0 || cm->running < cm->cfg.handshakes)
        begin(cm, c, now);
    else
        cm__wait_turn(cm, c);
    return CM_OK;
}

int cm_confirm(struct cm *cm, uint32_t conn, tm_ps now)
{
    struct conn *c = named(cm, conn);
    advance(cm, now);
    if (!c || c->state != C_REP_RCVD)
        return CM_ESTATE;
    cm__send(cm, c, CM_RTU);
    cm__handshake_over(cm, c, now);
    cm__established(cm, c);
    return CM_OK;
}

/* ---- the passive side -------------------------------------------------------------------------------- */

int cm_listen(struct cm *cm, uint64_t service_id, enum cm_transport transport)
{
    if (cm->listens == CM_LISTEN_MAX)
        return CM_ENOMEM;
    cm->listen[cm->listens].service_id = service_id;
    cm->listen[cm->listens++].transport = (uint8_t)transport;
    return CM_OK;
}

static uint8_t lesser(uint8_t a, uint8_t b) { return a < b ? a : b; }

/* Each side starts no more READs and atomics than the other keeps resources for. */
int cm_accept(struct cm *cm, uint32_t conn, const struct cm_own *own, tm_ps now)
{
    struct conn *c = named(cm, conn);
    advance(cm, now);
    if (!own_fits(own))
        return CM_EINVAL;
    if (!c || c->state != C_REQ_RCVD)
        return CM_ESTATE;
    c->user = own->user;
    c->own = offer_of(cm, own);
    c->own.initiator_depth = lesser(own->initiator_depth, c->remote.responder_resources);
    c->own.responder_resources = lesser(own->responder_resources, c->remote.initiator_depth);
    memcpy(c->ask.own.note, own->note, CM_NOTE_BYTES);
    c->state = C_REP_SENT;
    cm__tell(cm, c, CM_EV_TO_RTR);
    cm__send(cm, c, CM_REP);
    cm__await(cm, c, now);
    return CM_OK;
}

static void send_rej(struct cm *cm, struct conn *c, enum cm_answered of, enum cm_reason why)
{
    c->rej_of = (uint8_t)of;
    c->reason = (uint16_t)why;
    cm__send(cm, c, CM_REJ);
}

int cm_reject(struct cm *cm, uint32_t conn, enum cm_reason why, tm_ps now)
{
    struct conn *c = named(cm, conn);
    advance(cm, now);
    if (!c || (c->state != C_REQ_RCVD && c->state != C_REP_RCVD))
        return CM_ESTATE;
    bool of_req = c->state == C_REQ_RCVD;
    send_rej(cm, c, of_req ? CM_OF_REQ : CM_OF_REP, why);
    if (of_req)
        cm__close(cm, c);
    else
        cm__to_timewait(cm, c, now);
    return CM_OK;
}

int cm_delay(struct cm *cm, uint32_t conn, uint8_t service_timeout, tm_ps now)
{
    struct conn *c = named(cm, conn);
    advance(cm, now);
    if (service_timeout > 31)
        return CM_EINVAL;
    if (!c || (c->state != C_REQ_RCVD && c->state != C_REP_RCVD))
        return CM_ESTATE;
    c->mra.of = c->state == C_REQ_RCVD ? CM_OF_REQ : CM_OF_REP;
    c->mra.service_timeout = service_timeout;
    c->flags |= CF_MRA_SENT;
    cm__send(cm, c, CM_MRA);
    return CM_OK;
}

int cm_comm_est(struct cm *cm, uint32_t conn, tm_ps now)
{
    struct conn *c = named(cm, conn);
    advance(cm, now);
    if (!c || c->state != C_REP_SENT)
        return CM_ESTATE;
    cm__established(cm, c);
    cm__tell(cm, c, CM_EV_TO_RTS);
    return CM_OK;
}

/* ---- datagrams --------------------------------------------------------------------------------------- */

int cm_serve(struct cm *cm, uint64_t service_id, uint32_t qpn, uint32_t qkey)
{
    if (qpn >= 1u << 24)
        return CM_EINVAL;
    if (cm->serves == CM_LISTEN_MAX)
        return CM_ENOMEM;
    cm->serve[cm->serves].service_id = service_id;
    cm->serve[cm->serves].qpn = qpn;
    cm->serve[cm->serves++].qkey = qkey;
    return CM_OK;
}

int cm_resolve(struct cm *cm, uint32_t peer, uint64_t service_id, uint32_t user, tm_ps now,
               uint32_t *conn)
{
    advance(cm, now);
    struct conn *c = cm__alloc(cm);
    if (!c)
        return CM_ENOMEM;
    *conn = cm__index(cm, c);
    c->flags = CF_ACTIVE;
    c->state = C_SIDR_SENT;
    c->begun_ps = now;
    c->peer = peer;
    c->user = user;
    c->service_id = service_id;
    c->tid = c->local_id;
    c->wait_code = cm->cfg.timeout;
    c->tries_left = cm->cfg.retries;
    cm__send(cm, c, CM_SIDR_REQ);
    cm__await(cm, c, now);
    return CM_OK;
}

/* ---- the end ------------------------------------------------------------------------------------------ */

int cm_disconnect(struct cm *cm, uint32_t conn, tm_ps now)
{
    struct conn *c = named(cm, conn);
    advance(cm, now);
    if (!c || (c->state != C_ESTABLISHED && c->state != C_REP_SENT))
        return CM_ESTATE;
    c->state = C_DREQ_SENT;
    c->wait_code = cm->cfg.timeout;
    c->tries_left = cm->cfg.retries;
    c->tid = (uint64_t)1 << 32 | c->local_id;
    cm__send(cm, c, CM_DREQ);
    cm__await(cm, c, now);
    return CM_OK;
}

/* What is sent again in a state whose wait is over. */
static const struct {
    uint8_t kind;
    uint8_t rej_of; /* the REJ that tells the other side of giving up */
    bool waits;
} waits[C_STATES] = {
    [C_REQ_SENT] = {CM_REQ, CM_OF_REQ, true},
    [C_REP_SENT] = {CM_REP, CM_OF_REP, true},
    [C_DREQ_SENT] = {CM_DREQ, CM_OF_NONE, true},
    [C_SIDR_SENT] = {CM_SIDR_REQ, CM_OF_NONE, true},
};

static void give_up(struct cm *cm, struct conn *c, tm_ps now)
{
    if (c->state == C_DREQ_SENT) {
        cm__to_timewait(cm, c, now);
        return;
    }
    c->flags |= CF_TIMED_OUT;
    if (c->state != C_SIDR_SENT)
        send_rej(cm, c, (enum cm_answered)waits[c->state].rej_of, CM_REJ_TIMEOUT);
    cm__fail(cm, c, CM_REJ_TIMEOUT, now);
}

static void expire_one(struct cm *cm, struct conn *c, tm_ps now)
{
    if (c->state == C_TIMEWAIT) {
        cm__close(cm, c);
        return;
    }
    CHECK(waits[c->state].waits);
    if (c->tries_left == 0) {
        give_up(cm, c, now);
        return;
    }
    c->tries_left--;
    cm__send(cm, c, (enum cm_kind)waits[c->state].kind);
    cm__wait(cm, c, tm_add(now, cm_wait_ps(c->wait_code)));
}

void cm_expire(struct cm *cm, tm_ps now)
{
    struct conn *c;
    advance(cm, now);
    while ((c = cm__due(cm, now)))
        expire_one(cm, c, now);
}

bool cm_is_busy(const struct cm *cm)
{
    return cm->events.first != NONE || cm->sends.first != NONE || cm->stray.head != cm->stray.tail;
}

/* ---- events -------------------------------------------------------------------------------------------- */

static struct cm_attr attributes(const struct conn *c)
{
    return (struct cm_attr){
        .peer = c->peer,
        .dest_qpn = c->remote.qpn,
        .rq_psn = c->remote.psn,
        .sq_psn = c->own.psn,
        .mtu = c->ask.mtu,
        .timeout = c->ask.timeout,
        .retry_cnt = c->ask.retry_cnt,
        .rnr_retry = c->remote.rnr_retry,
        .max_rd_atomic = lesser(c->own.initiator_depth, c->remote.responder_resources),
        .max_dest_rd_atomic = lesser(c->own.responder_resources, c->remote.initiator_depth),
    };
}

bool cm_attributes(const struct cm *cm, uint32_t conn, struct cm_attr *out)
{
    if (conn >= cm->used || cm__conn(cm, conn)->remote.qpn == 0)
        return false;
    *out = attributes(cm__conn(cm, conn));
    return true;
}

bool cm_take_event(struct cm *cm, struct cm_event *out)
{
    struct conn *c = cm__first_event(cm);
    if (!c)
        return false;
    unsigned kind = (unsigned)__builtin_ctz(c->events);
    *out = (struct cm_event){.kind = (enum cm_event_kind)kind,
                             .conn = cm__index(cm, c),
                             .user = c->user,
                             .active = is_active(c),
                             .timed_out = (c->flags & CF_TIMED_OUT) != 0,
                             .reason = (enum cm_reason)c->reason,
                             .service_id = c->service_id,
                             .begun_ps = c->begun_ps,
                             .qkey = c->remote.qkey,
                             .attr = attributes(c)};
    memcpy(out->note, c->note, CM_NOTE_BYTES);
    cm__event_taken(cm, c, (enum cm_event_kind)kind);
    return true;
}
